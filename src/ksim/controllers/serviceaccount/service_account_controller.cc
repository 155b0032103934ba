#include "ksim/controllers/serviceaccount/service_account_controller.h"

#include <utility>

#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

constexpr const char* kDefaultAccount = "default";
// Its handlers are told of nothing twice (ServiceAccountsControllerOptions).
constexpr Duration kNoAccountResync = Seconds(-1);

}  // namespace

ServiceAccountController::ServiceAccountController(ControllerContext context)
    : context_(std::move(context)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "service-account-controller")),
      resource_(context_.Resource("", "serviceaccounts")),
      accounts_(context_.informers.For(resource_)),
      namespaces_(context_.informers.For(context_.Resource("", "namespaces"))),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

ServiceAccountController::~ServiceAccountController() = default;

void ServiceAccountController::Start() {
  account_handlers_.del = [this](const client::Deleted& account) {
    queue_.Add(std::string(account.object.ns()));
  };
  namespace_handlers_.add = [this](const api::Object& ns, bool) { queue_.Add(ns.key()); };
  namespace_handlers_.update = [this](const api::Object&, const api::Object& ns) {
    queue_.Add(ns.key());
  };
  accounts_.AddHandler(context_.actor(), &account_handlers_, kNoAccountResync);
  namespaces_.AddHandler(context_.actor(), &namespace_handlers_, kNoAccountResync);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(1, {&accounts_, &namespaces_});
}

sim::Task<client::ReconcileResult> ServiceAccountController::Reconcile(std::string key) {
  const api::Object ns = namespaces_.lister().Get("", key);
  if (ns.empty() || ns.status().Get("phase").AsString() != "Active")
    co_return client::ReconcileResult::Done();
  if (!accounts_.lister().Get(key, kDefaultAccount).empty())
    co_return client::ReconcileResult::Done();
  const Value metadata = Obj({{"name", Value::Of(kDefaultAccount)}, {"namespace", Value::Of(key)}});
  const api::Object account = api::Object::FromTree(Obj({{"apiVersion", Value::Of("v1")},
                                                         {"kind", Value::Of("ServiceAccount")},
                                                         {"metadata", metadata}}));
  client::Client::ObjectResult created = co_await client_.Create(resource_, account);
  const bool good = created.ok() || api::IsAlreadyExists(created.status()) ||
                    api::HasCause(created.status(), "NamespaceTerminating");
  if (!good) co_return client::ReconcileResult::Error(created.status());
  co_return client::ReconcileResult::Done();
}

}  // namespace ksim::controllers
