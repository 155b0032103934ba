#include "ksim/controllers/ttlafterfinished/ttl_after_finished_controller.h"

#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/job/job_spec.h"

namespace ksim::controllers {
namespace {

// A run waits for a Job that goes within this time, not for one that goes in a week.
constexpr Duration kTtlHorizon = Minutes(10);

bool NeedsCleanup(const api::Object& job) {
  return job.spec().Get(api::Fields().ttl_seconds_after_finished).is_int() && IsJobFinished(job);
}

}  // namespace

TtlAfterFinishedController::TtlAfterFinishedController(ControllerContext context)
    : context_(std::move(context)),
      resource_(context_.Resource("batch", "jobs")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "ttl-after-finished-controller")),
      jobs_(context_.informers.For(resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

TtlAfterFinishedController::~TtlAfterFinishedController() = default;

void TtlAfterFinishedController::Start() {
  handlers_.add = [this](const api::Object& job, bool) { Look(job); };
  handlers_.update = [this](const api::Object&, const api::Object& job) { Look(job); };
  jobs_.AddHandler(context_.actor(), &handlers_);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kTtlWorkers, {&jobs_});
}

void TtlAfterFinishedController::Look(const api::Object& job) {
  if (!job.deleting() && NeedsCleanup(job)) queue_.Add(job.key());
}

bool TtlAfterFinishedController::IsExpired(const api::Object& job) {
  if (job.deleting() || !NeedsCleanup(job)) return false;
  const value::Value& conditions = job.status().Get(api::Fields().conditions);
  const std::optional<VirtualTime> finished = api::ConditionSince(conditions, JobFinishedBy(job));
  if (!finished) return false;
  const Duration ttl = Seconds(job.spec().Get(api::Fields().ttl_seconds_after_finished).AsInt());
  const Duration left = *finished + ttl - context_.process.Now();
  if (left <= Duration()) return true;
  if (left < kTtlHorizon && !RepeatsAnother(job, jobs_.lister().List(job.ns()))) {
    queue_.AddAfter(job.key(), left);
  } else {
    queue_.AddAfterInBackground(job.key(), left);
  }
  return false;
}

sim::Task<client::ReconcileResult> TtlAfterFinishedController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object job = jobs_.lister().Get(id->ns, id->name);
  if (job.empty() || !IsExpired(job)) co_return client::ReconcileResult::Done();

  // The cache may be behind a change of the TTL, or have another Job of that name.
  client::Client::ObjectResult fresh = co_await client_.Get(resource_, id->ns, id->name);
  if (!fresh.ok()) {
    if (api::IsNotFound(fresh.status())) co_return client::ReconcileResult::Done();
    co_return client::ReconcileResult::Error(fresh.status());
  }
  if (!IsExpired(*fresh)) co_return client::ReconcileResult::Done();
  api::DeleteOptions options;
  options.propagation_policy = "Foreground";
  options.uid = SharedText(fresh->uid());
  client::Client::ObjectResult deleted =
      co_await client_.Delete(resource_, id->ns, id->name, options);
  if (!deleted.ok()) co_return client::ReconcileResult::Error(deleted.status());
  co_return client::ReconcileResult::Done();
}

}  // namespace ksim::controllers
