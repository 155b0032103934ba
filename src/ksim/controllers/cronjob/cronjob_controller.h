// The CronJob controller: creates a Job at each time of a schedule.
//
// A Job's name tells the minute for which it was scheduled, so that a start that is tried twice
// makes one Job. Nothing but the work queue is lost with a restart: a CronJob's status has the last
// start and the Jobs that go on.
//
// Source: pkg/controller/cronjob/cronjob_controllerv2.go, utils.go.
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
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/cronjob/schedule.h"

namespace ksim::controllers {

inline constexpr int kCronJobWorkers = 5;

class CronJobController : public Controller, public client::Reconciler {
 public:
  explicit CronJobController(ControllerContext context);
  ~CronJobController() override;
  void Start() override;
  // The first start of a CronJob is near. Later ones come for ever, and no run waits for them.
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  using Jobs = std::vector<api::Object>;
  // A CronJob whose status a sync changes.
  struct Work {
    explicit Work(api::Object o) : object(std::move(o)) {}
    const value::Value& active() const;
    bool Has(std::string_view uid) const;
    bool HasName(std::string_view ns, std::string_view name) const;
    void Remove(std::string_view uid);
    void SetStatus(std::string_view field, value::Value v);
    api::Object object;
  };
  // Where a sync ends: an error, or the time to the next look; nothing of both: until something
  // happens.
  struct Outcome {
    Outcome() = default;
    std::optional<std::string> error;
    std::optional<Duration> next;
    bool changed = false;  // the status is to be written
  };

  // --- handlers (addJob ... updateCronJob) ---
  void RegisterHandlers();
  void EnqueueOwner(const api::Object& job);
  void UpdateJob(const api::Object& old_job, const api::Object& new_job);
  void UpdateCronJob(const api::Object& old_cron, const api::Object& new_cron);

  // --- sync ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  Jobs JobsOf(const api::Object& cron_job) const;
  // cleanupFinishedJobs: true if the status has changed.
  sim::Task<bool> CleanUp(Work* work, Jobs jobs);
  sim::Task<bool> RemoveOldest(Work* work, Jobs jobs, std::int64_t limit);
  sim::Task<bool> DeleteJob(Work* work, api::Object job);
  // syncCronJob. `work` is what will be written.
  sim::Task<Outcome> Sync(Work* work, Jobs jobs);
  // Has `*current` be what a live read brought where the cache was behind.
  sim::Task<std::optional<std::string>> SeeJobs(Work** current, Work* fresh, Jobs jobs,
                                                bool* changed);
  sim::Task<std::optional<std::string>> ForgetMissingJobs(Work* work, Jobs jobs, bool* changed);
  void SeeFinished(Work* work, const api::Object& job, bool was_active, bool* changed);
  void SeeSuccess(Work* work, const api::Object& job, bool* changed);
  // The schedule, unless nothing is to be started; says why not.
  std::optional<CronSchedule> ScheduleOf(const api::Object& cron_job);
  sim::Task<Outcome> StartDue(Work* work, CronSchedule schedule, bool changed);
  sim::Task<std::optional<std::string>> ReplaceActive(Work* work, bool* changed);
  sim::Task<Outcome> StartJob(Work* work, VirtualTime scheduled, CronSchedule schedule,
                              bool changed);
  api::Object MakeJob(const api::Object& cron_job, VirtualTime scheduled) const;

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  const api::ResourceInfo* job_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& cron_informer_;
  client::SharedInformer& job_informer_;
  client::HandlerFuncs cron_handlers_, job_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
