#include "ksim/controllers/namespace/namespace_controller.h"

#include <utility>
#include <vector>

#include "ksim/client/workqueue/rate_limiters.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {
namespace {

// namespaceDeletionGracePeriod.
constexpr Duration kNamespaceGrace = Seconds(5);
// NamespaceSyncPeriod (pkg/controller/namespace/config/v1alpha1/defaults.go).
constexpr Duration kNamespaceResync = Minutes(5);

// It asks a lot: 20 times the requests of other controllers, 100 times their burst.
client::ClientOptions NamespaceClient(const ControllerContext& context) {
  client::ClientOptions options = ManagerClient(context, "namespace-controller");
  options.qps *= 20;
  options.burst *= 100;
  return options;
}

// nsControllerRateLimiter: a namespace waits for a minute at most.
std::unique_ptr<client::RateLimiter> NamespaceRateLimiter(sim::Process& clock) {
  std::vector<std::unique_ptr<client::RateLimiter>> limiters;
  limiters.push_back(
      std::make_unique<client::ItemExponentialFailureRateLimiter>(Milliseconds(5), Seconds(60)));
  limiters.push_back(std::make_unique<client::BucketRateLimiter>(clock, 10, 100));
  return std::make_unique<client::MaxOfRateLimiter>(std::move(limiters));
}

}  // namespace

NamespaceController::NamespaceController(ControllerContext context)
    : context_(std::move(context)),
      client_(context_.connection, context_.actor(), NamespaceClient(context_)),
      deleter_(client_, context_.process, controllers::ProfileOf(context_.env().compat)),
      informer_(context_.informers.For(context_.Resource("", "namespaces"))),
      queue_(context_.process, NamespaceRateLimiter(context_.process)) {}

NamespaceController::~NamespaceController() = default;

void NamespaceController::Start() {
  handlers_.add = [this](const api::Object& ns, bool) { Enqueue(ns); };
  handlers_.update = [this](const api::Object&, const api::Object& ns) { Enqueue(ns); };
  informer_.AddHandler(context_.actor(), &handlers_, kNamespaceResync);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kNamespaceWorkers, {&informer_});
}

void NamespaceController::Enqueue(const api::Object& ns) {
  if (ns.deleting()) queue_.AddAfter(ns.key(), kNamespaceGrace);
}

sim::Task<client::ReconcileResult> NamespaceController::Reconcile(std::string key) {
  if (informer_.lister().Get("", key).empty()) co_return client::ReconcileResult::Done();
  NamespaceDeleter::Outcome outcome = co_await deleter_.Delete(key);
  if (!outcome.error.empty()) co_return client::ReconcileResult::Error(std::move(outcome.error));
  if (outcome.estimate == 0) co_return client::ReconcileResult::Done();
  co_return client::ReconcileResult::RequeueAfter(Seconds(outcome.estimate / 2 + 1))
      .KeepingFailures();
}

}  // namespace ksim::controllers
