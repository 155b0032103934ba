// The HorizontalPodAutoscaler controller: looks at each autoscaler every 15 s, asks the metrics how
// many replicas the load wants, and writes that to the scale of what the autoscaler names.
//
// Recommendations, scalings and selectors are kept in memory, and lost with a restart: a window
// that held a scale-down back begins anew.
//
// A look comes for ever, so none keeps a run going (docs/scenarios.md). HasWorkAhead does: until an
// autoscaler has been looked at, while its last looks did not come to rest, and as long as the
// metrics will change by themselves.
//
// Source: pkg/controller/podautoscaler/horizontal.go.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/podautoscaler/hpa_status.h"
#include "ksim/controllers/podautoscaler/metric_proposals.h"
#include "ksim/controllers/podautoscaler/replica_calculator.h"
#include "ksim/controllers/podautoscaler/scaling_history.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

// --horizontal-pod-autoscaler-sync-period.
inline constexpr Duration kAutoscalerSyncPeriod = Seconds(15);

class HorizontalController : public Controller, public client::Reconciler {
 public:
  explicit HorizontalController(ControllerContext context);
  ~HorizontalController() override;
  void Start() override;
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  // The end of a sync, to see whether the next ones will come to the same.
  struct Outcome {
    Outcome() = default;
    Outcome(std::int32_t c, std::int32_t w, std::string e)
        : current(c), wanted(w), error(std::move(e)) {}
    std::int32_t current = 0, wanted = 0;
    std::string error;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  // An autoscaler by its key. Its history outlives it until its next turn: one that is made again
  // under the name meanwhile goes on with it.
  struct Autoscaler {
    Autoscaler() = default;
    bool exists = false;
    value::LabelSelector selector = value::LabelSelector::Nothing();
    ScalingHistory history;
    bool looked_at = false;
    Outcome outcome;
    VirtualTime settled_at;  // from then on nothing more is expected of it
  };
  // The scale of an autoscaler's target.
  struct Target {
    Target() = default;
    const api::ResourceInfo* resource = nullptr;
    api::Object scale;
    std::string_view unusable;  // how the error begins if there is none
    std::int32_t replicas() const;
  };
  // The count that a sync wants of the target.
  struct Decision {
    Decision() = default;
    std::int32_t desired = 0;
    std::string reason;  // why it is another count; "" = none
    value::Value metrics;
    bool rescale = true;
  };

  // Once there is an autoscaler: the informers, and then the workers.
  void Begin();
  void Work();
  void Enqueue(const api::Object& hpa);
  void Forget(const std::string& key);
  // Null if it has had its last turn.
  Autoscaler* Find(const std::string& key);

  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // reconcileAutoscaler. The error, "" if there is none.
  sim::Task<std::string> Sync(HpaStatus* status, std::string key);
  sim::Task<std::string> ReadScale(api::Object hpa, Target* target);
  sim::Task<std::string> GetScale(api::Object hpa, Target* target);
  // The error of a sync that cannot go on; "": it can.
  sim::Task<std::string> Decide(HpaStatus* status, std::string key, const Target* target,
                                Decision* decision, std::string* error);
  sim::Task<std::string> Rescale(api::Object hpa, Target* target, std::int32_t desired);
  sim::Task<std::string> WriteStatus(const HpaStatus* status);
  std::string UsableSelector(HpaStatus* status, const std::string& key, std::string_view text,
                             ScaledPods* pods);
  std::vector<std::string> SelectingAutoscalers(const ScaledPods& pods) const;
  ReplicaCalculator::Scaled ScaledOf(const api::Object& hpa, const Target& target) const;
  void Settle(const api::Object& hpa, const std::string& key, Outcome outcome, bool at_rest);
  void Warn(const HpaStatus& status, std::string_view reason, std::string_view message);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::FirstUse first_use_;
  client::SharedInformer* hpa_informer_ = nullptr;
  client::SharedInformer* pod_informer_ = nullptr;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
  client::JitterSource jitter_;
  ReplicaCalculator calculator_;
  std::map<std::string, Autoscaler, std::less<>> autoscalers_;
};

}  // namespace ksim::controllers
