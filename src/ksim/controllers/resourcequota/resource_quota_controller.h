// The resource quota controller: counts what each quota limits in its namespace, and writes it into
// the quota's status, where API servers find how much is left.
//
// It counts again when a quota is made or changed, when something that it counts goes or gives
// something back, and every five minutes. What is added it need not count: the API server that let
// it pass has written it down.
//
// Source: pkg/controller/resourcequota/{resource_quota_controller,resource_quota_monitor}.go;
// cmd/kube-controller-manager/app/core.go newResourceQuotaController.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/quota/evaluator.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

inline constexpr int kQuotaWorkers = 5;  // of each of its two queues
// Its monitors are told of quotas beside it.
inline constexpr const char* kQuotaMonitorPart = "resourcequota-monitor";

class ResourceQuotaController : public Controller, public client::Reconciler {
 public:
  explicit ResourceQuotaController(ControllerContext context);
  ~ResourceQuotaController() override;
  void Start() override;
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  // A resource whose objects quotas count: who counts them, and from which cache.
  struct Monitor {
    Monitor(const api::ResourceInfo* r, api::Compat compat, client::SharedInformer& i)
        : evaluator(*r, compat), informer(i) {}
    api::QuotaEvaluator evaluator;
    client::SharedInformer& informer;
    client::HandlerFuncs handlers;
  };

  // Watches the resources that the server has and that are not watched yet. False: there are none.
  bool AddMonitors();
  bool MonitorsSynced() const;
  sim::Task<void> FindNewResources();
  sim::Task<void> EnqueueAllForEver();

  void AddQuota(const api::Object& quota);
  // Something that `monitor` counts has gone from the namespace.
  void Replenish(const Monitor& monitor, std::string_view ns);

  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // The status that the quota should have; nullopt if it has it.
  std::optional<value::Value> News(const api::Object& quota,
                                   std::vector<std::string>* errors) const;
  // The usage of what can be counted; adds to `errors` what cannot.
  api::ResourceList CountUsage(const api::Object& quota, const api::ResourceList& hard,
                               std::vector<std::string>* errors) const;
  api::ResourceList CountIn(const Monitor& monitor, const api::Object& quota) const;

  ControllerContext context_;
  client::Client client_;
  const api::ResourceInfo* resource_;
  client::SharedInformer& quotas_;
  client::HandlerFuncs quota_handlers_;
  std::map<std::string, std::unique_ptr<Monitor>> monitors_;  // by RESOURCE.GROUP
  client::WorkQueue queue_;
  client::WorkQueue missing_usage_;  // quotas whose usage is not known yet
  std::unique_ptr<client::ReconcileLoop> loop_, missing_usage_loop_;
  bool paused_ = false;  // new monitors are filling
  sim::Signal resumed_;
};

}  // namespace ksim::controllers
