// Nominator: pods that wait for their victims to go, each with its nominated node. The filters
// count them on that node, unless their priority is lower.
//
// Source: pkg/scheduler/backend/queue/nominator.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"

namespace ksim::scheduler {

// NominatingInfo: how an attempt that failed changes the pod's nominated node.
struct Nomination {
  Nomination() = default;  // leave it as it is
  static Nomination Clear() { return Of(""); }
  static Nomination Of(std::string node) {
    Nomination n;
    n.overrides = true;
    n.node = std::move(node);
    return n;
  }
  bool overrides = false;
  std::string node;  // "": none
};

class Nominator {
 public:
  // Without an override the pod's own status says where.
  void Add(const api::Object& pod, const Nomination& nomination = Nomination());
  void Update(const api::Object& before, const api::Object& after);
  void Remove(const api::Object& pod);

  // In the order in which they were nominated.
  std::vector<api::Object> On(std::string_view node) const;

 private:
  struct Entry {
    api::Object pod;
    std::string node;
  };
  std::vector<Entry> entries_;
};

}  // namespace ksim::scheduler
