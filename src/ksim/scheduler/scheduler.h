// The scheduler: gives pending pods their node. One pod at a time is filtered, scored and assumed
// on the best node; the bind (POST pods/NAME/binding) goes on beside, so that the next pod need not
// wait for it.
//
// Source: pkg/scheduler/{scheduler,schedule_one,eventhandlers}.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/scheduler/algorithm.h"
#include "ksim/scheduler/cache.h"
#include "ksim/scheduler/framework.h"
#include "ksim/scheduler/queue.h"
#include "ksim/sim/process.h"

namespace ksim::scheduler {

class Scheduler {
 public:
  // Made at every start of the process; its informers must not have started yet.
  Scheduler(sim::Process& process, client::Connection& connection,
            client::InformerFactory& informers);
  ~Scheduler();
  void Start();

  const SchedulingQueue& queue() const { return queue_; }
  const SchedulerCache& cache() const { return cache_; }

 private:
  // --- eventhandlers.go ---
  void RegisterHandlers();
  bool Responsible(const api::Object& pod) const;  // our schedulerName
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& before, const api::Object& after);
  void DeletePod(const api::Object& pod);
  void AddToCache(const api::Object& pod);
  void AddNode(const api::Object& node);
  void UpdateNode(const api::Object& before, const api::Object& after);
  void DeleteNode(const client::Deleted& deleted);

  // --- schedule_one.go ---
  sim::Task<void> Run();
  bool Skip(const api::Object& pod);
  void ScheduleOne(QueuedPod queued);
  sim::Task<void> Bind(QueuedPod queued, std::string node);
  sim::Task<void> HandleFailure(QueuedPod queued, std::string reason, std::string message);
  sim::Task<void> PatchUnscheduled(api::Object pod, std::string reason, std::string message);

  std::vector<value::LabelSelector> DefaultSelectors(const api::Object& pod) const;

  sim::Process& process_;
  client::Environment& env_;
  client::InformerFactory& informers_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  SchedulerCache cache_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  Algorithm algorithm_;
  SchedulingQueue queue_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  std::vector<client::SharedInformer*> workloads_;  // services, rcs, rss, statefulsets
  client::HandlerFuncs pod_handlers_, node_handlers_;
};

}  // namespace ksim::scheduler
