// VolumeBinder: the volumes of pods, as the scheduler sees them. It finds for a node the volumes
// that a pod's claims could be bound to, assumes them with the pod, and in the binding cycle writes
// them down and waits until the controllers have bound the claims.
//
// Source: pkg/scheduler/framework/plugins/volumebinding/binder.go, assume_cache.go.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/views/volumes.h"
#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/scheduler/framework/profile.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::scheduler {

// A pod's claims: bound ones; those that are bound when the pod has its node; and those that the
// controllers bind without a pod, and have not yet.
struct PodVolumeClaims {
  PodVolumeClaims() = default;
  std::vector<api::Object> bound, delayed, immediate;
};

// Volumes for a pod's delayed claims on a node.
struct PodVolumes {
  struct Binding {
    Binding(api::Object v, api::Object c) : volume(std::move(v)), claim(std::move(c)) {}
    api::Object volume, claim;
  };
  PodVolumes() = default;
  std::vector<Binding> bindings;        // volumes that are there
  std::vector<api::Object> provisions;  // claims that a provisioner has to make a volume for
  std::vector<std::string> reasons;     // why the node does not do; none: it does
  bool empty() const { return bindings.empty() && provisions.empty(); }
};

class VolumeBinder {
 public:
  // Tells of claims, volumes and classes that are new or have changed.
  using Listener = std::function<void(const api::ResourceInfo& kind, const api::Object& before,
                                      const api::Object& after)>;
  VolumeBinder(sim::Process& process, client::Connection& connection,
               client::InformerFactory& informers, client::Client& client,
               client::SharedInformer& pods, client::SharedInformer& nodes, const Profile& profile);
  // The informers begin with the first claim, volume or class.
  void Start(Listener listener);
  // A pod or a node has changed: who waits for volumes looks again.
  void Notify() { changed_.Notify(); }

  // --- scheduling cycle ---
  // The claim as the cache has it, with what was assumed of it; empty if it is not there.
  api::Object Claim(std::string_view ns, std::string_view name) const;
  // GetPodVolumeClaims; all claims of the pod must be there.
  PodVolumeClaims ClaimsOf(const api::Object& pod) const;
  // FindPodVolumes
  PodVolumes Find(const PodVolumeClaims& claims, const api::Object& node) const;
  // AssumePodVolumes: what has to be bound before the pod can be; empty if nothing has.
  PodVolumes Assume(const api::Object& pod, const api::Object& node);

  // --- binding cycle: binding_cycle.cc ---
  // RevertAssumedPodVolumes
  void Forget(const PodVolumes& volumes);
  // BindPodVolumes: nullopt once all claims are bound; else why they cannot be.
  sim::Task<std::optional<std::string>> Bind(api::Object pod, std::string node, PodVolumes volumes);

 private:
  struct Verdict {
    bool bound = false;
    std::string error;  // "" with !bound: not yet
  };

  void Begin();
  void Watch(const api::ResourceInfo* kind, client::SharedInformer** informer,
             client::HandlerFuncs* handlers);
  api::Object Volume(std::string_view name) const;
  api::Object ClassOf(const api::Object& claim) const;
  std::vector<api::Object> VolumesOfClass(std::string_view name) const;
  bool Reaches(const std::vector<api::Object>& bound, const api::Object& node,
               std::vector<std::string>* reasons) const;
  bool CanProvision(const api::Object& claim, const api::Object& node) const;
  sim::Task<std::optional<std::string>> Write(PodVolumes* volumes);
  Verdict Check(const api::Object& pod, std::string_view node, const PodVolumes& volumes) const;
  Verdict CheckBindings(const api::Object& node, const PodVolumes& volumes) const;
  Verdict CheckProvisions(const api::Object& node, const PodVolumes& volumes) const;

  sim::Process& process_;
  client::InformerFactory& informers_;
  client::Client& client_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  const Profile& profile_;
  const api::ResourceInfo* claim_kind_;
  const api::ResourceInfo* volume_kind_;
  const api::ResourceInfo* class_kind_;
  client::FirstUse first_use_;
  Listener listener_;
  client::SharedInformer* claim_informer_ = nullptr;  // null until they begin
  client::SharedInformer* volume_informer_ = nullptr;
  client::SharedInformer* class_informer_ = nullptr;
  client::HandlerFuncs claim_handlers_, volume_handlers_, class_handlers_;
  absl::btree_map<std::string, api::Object> assumed_claims_, assumed_volumes_;  // by key
  sim::Signal changed_;
};

}  // namespace ksim::scheduler
