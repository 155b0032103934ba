// The StatefulSet controller: keeps spec.replicas pods with names of their own, and rolls them to a
// new template one after the other.
//
// It acts only on its informers' caches (live reads: the adoption check, and a revision that exists
// already); nothing but the names of pods protects it from their lag, in 1.36 also the consistency
// gate. A restart loses the work queue and the consistency records, and nothing else.
//
// Source: pkg/controller/statefulset/stateful_set.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/history/controller_history.h"
#include "ksim/controllers/statefulset/set_pod_control.h"
#include "ksim/controllers/statefulset/statefulset_control.h"

namespace ksim::controllers {

inline constexpr int kStatefulSetWorkers = 5;

class StatefulSetController : public Controller, public client::Reconciler {
 public:
  explicit StatefulSetController(ControllerContext context);
  ~StatefulSetController() override;
  void Start() override;

 private:
  // --- handlers (stateful_set.go addPod, updatePod, deletePod) ---
  void RegisterHandlers();
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& old_pod, const api::Object& new_pod);
  void DeletePod(const api::Object& pod);
  // The set that a reference names, if the cache has it under that name with that uid.
  api::Object ResolveOwner(std::string_view ns,
                           const std::optional<api::OwnerReference>& ref) const;
  void EnqueueOwner(std::string_view ns, const std::optional<api::OwnerReference>& ref);
  void EnqueueMatching(const api::Object& pod);

  // --- sync ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<std::optional<std::string>> AdoptRevisions(api::Object set,
                                                       value::LabelSelector selector);
  // When to look again at pods that are ready and not available yet.
  std::optional<Duration> NextAvailabilityCheck(const api::Object& set,
                                                const std::vector<api::Object>& pods,
                                                const StatefulSetStatus& status,
                                                VirtualTime evaluated) const;

  ControllerContext context_;
  const Profile& profile_;
  client::SharedInformer& set_informer_;
  client::SharedInformer& pod_informer_;
  client::SharedInformer& claim_informer_;
  client::SharedInformer& revision_informer_;
  client::Client client_;
  client::EventRecorder recorder_;
  PodControl pod_patches_;
  ConsistencyStore consistency_;
  ControllerHistory history_;
  SetPodControl pods_;
  StatefulSetControl control_;
  client::HandlerFuncs set_handlers_, pod_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
