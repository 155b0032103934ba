#include "ksim/controllers/pvprotection/pv_protection_controller.h"

#include <utility>

#include "ksim/controllers/common/finalizers.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

PvProtectionController::PvProtectionController(ControllerContext context)
    : context_(std::move(context)),
      resource_(context_.Resource("", "persistentvolumes")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "pv-protection-controller")),
      first_use_(context_.process, context_.env(), context_.informers),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

PvProtectionController::~PvProtectionController() = default;

void PvProtectionController::Start() {
  first_use_.Begin({resource_}, context_.name, [this] { Begin(); }, [this] { Work(); });
}

void PvProtectionController::Begin() {
  volumes_ = &context_.informers.For(resource_);
  const auto look = [this](const api::Object& volume) {
    if (NeedsFinalizer(volume, kPvProtection) || WaitsForFinalizer(volume, kPvProtection))
      queue_.Add(volume.key());
  };
  handlers_.add = [look](const api::Object& volume, bool) { look(volume); };
  handlers_.update = [look](const api::Object&, const api::Object& volume) { look(volume); };
  volumes_->AddHandler(context_.actor(), &handlers_);
}

void PvProtectionController::Work() {
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(1, {volumes_});
}

sim::Task<client::ReconcileResult> PvProtectionController::Reconcile(std::string key) {
  const api::Object volume = volumes_->lister().Get("", key);
  if (volume.empty()) co_return client::ReconcileResult::Done();
  api::Object changed;
  const bool is_bound = volume.status().Get("phase").AsString() == "Bound";
  if (WaitsForFinalizer(volume, kPvProtection) && !is_bound) {
    changed = WithoutFinalizer(volume, kPvProtection);
  } else if (NeedsFinalizer(volume, kPvProtection)) {
    changed = WithFinalizer(volume, kPvProtection);
  } else {
    co_return client::ReconcileResult::Done();
  }
  client::Client::ObjectResult updated = co_await client_.Update(resource_, changed);
  if (!updated.ok()) co_return client::ReconcileResult::Error(updated.status());
  co_return client::ReconcileResult::Done();
}

}  // namespace ksim::controllers
