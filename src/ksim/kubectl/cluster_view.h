// ClusterView: the objects of a cluster at one moment, for whoever prints them. Its owner is the
// command that prints: `ksim get TRACE` gives the state of a trace.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::kubectl {

class ClusterView {
 public:
  virtual ~ClusterView() = default;

  // The moment: ages count up to it.
  virtual VirtualTime now() const = 0;
  // The objects of a resource ("" = all) in a namespace ("" = all), by namespace and name.
  virtual std::vector<api::Object> List(std::string_view resource, std::string_view ns) const = 0;
  // The object of that name; empty if there is none.
  virtual api::Object Get(std::string_view resource, std::string_view ns,
                          std::string_view name) const = 0;
};

}  // namespace ksim::kubectl
