// TraceView: the state of a trace at a moment, as what prints clusters reads it.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/kubectl/cluster_view.h"
#include "ksim/trace/state.h"

namespace ksim::cli {

class TraceView final : public kubectl::ClusterView {
 public:
  // The state must outlive the view.
  explicit TraceView(const trace::State& state) : state_(state) {}

  VirtualTime now() const override { return VirtualTime(state_.time()); }
  std::vector<api::Object> List(std::string_view resource, std::string_view ns) const override {
    return state_.List(resource, ns);
  }
  api::Object Get(std::string_view resource, std::string_view ns,
                  std::string_view name) const override {
    return state_.Get(resource, ns, name);
  }

 private:
  const trace::State& state_;
};

}  // namespace ksim::cli
