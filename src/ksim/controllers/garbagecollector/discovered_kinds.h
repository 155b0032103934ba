// DiscoveredKinds: the kinds that the garbage collector knows of, as upstream's discovery client
// and REST mapper would.
//
// Discovery is asked every 30 s. ksim asks nobody: the built-in kinds are known, and a custom kind
// is there once its CustomResourceDefinition is, which the garbage collector watches anyway. A
// custom kind that nobody defined is there from the start.
//
// Source: pkg/controller/garbagecollector/garbagecollector.go GetDeletableResources, operations.go
// apiResource; client-go restmapper/discovery.go; cmd/kube-controller-manager/app/
// controllermanager.go CreateControllerContext (restMapper.Reset). CTRL-GC-12, CTRL-GC-13.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/controller.h"
#include "ksim/sim/process.h"

namespace ksim::controllers {

class DiscoveredKinds {
 public:
  static constexpr Duration kPeriod = Seconds(30);

  explicit DiscoveredKinds(const ControllerContext& context);

  // Asks discovery: the resources that can be deleted, listed and watched, each at the version that
  // clients prefer; without those that the garbage collector ignores.
  std::vector<const api::ResourceInfo*> Deletable() const;
  // The mapper's answer: null if it knows no such kind. It asks discovery anew at most every 30 s.
  const api::ResourceInfo* Find(std::string_view api_version, std::string_view kind);
  void Reset() { age_ = -1; }
  // How long it is until discovery is asked the next time.
  Duration UntilNext() const;
  // The informer of CustomResourceDefinitions.
  client::SharedInformer& definitions() { return definitions_; }

 private:
  bool IsThere(const api::ResourceInfo& kind) const;
  std::int64_t Age() const;  // in periods

  client::Environment& env_;
  const sim::Process& process_;
  client::SharedInformer& definitions_;
  VirtualTime begun_;
  std::int64_t age_ = -1;                                  // of the mapper's view; -1: it has none
  absl::flat_hash_set<const api::ResourceInfo*> defined_;  // the mapper's view; looked up only
};

}  // namespace ksim::controllers
