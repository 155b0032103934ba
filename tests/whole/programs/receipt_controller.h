// A controller that writes a receipt, a ConfigMap, for each Order (shop.test/v1), in two forms. The
// right one gives the receipt a name that follows from the Order's. The wrong one trusts its cache
// that there is none yet, and lets the server choose the name: a cache that is behind, a response
// that was lost or a death after the write, and there are two.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "ksim/client/cached_reader.h"
#include "ksim/client/controller_builder.h"
#include "ksim/controllers/controller.h"
#include "ksim/registry.h"
#include "ksim/value/value.h"

namespace receipts {

using ksim::client::ReconcileResult;
using ksim::value::Obj;
using ksim::value::Value;

enum class Naming { kByOrder, kByServer };

class ReceiptController : public ksim::controllers::Controller, public ksim::client::Reconciler {
 public:
  ReceiptController(ksim::controllers::ControllerContext context, Naming naming)
      : context_(std::move(context)),
        naming_(naming),
        orders_(context_.Resource("shop.test", "orders")),
        receipts_(context_.Resource("", "configmaps")),
        client_(context_.connection, context_.actor(), context_.client_options()),
        reader_(context_.connection, context_.informers, client_) {}

  void Start() override {
    controller_ =
        ksim::client::ControllerBuilder(context_.connection, context_.informers, context_.name)
            .For(orders_)
            .Owns(receipts_)
            .Build(*this);
  }

  ksim::sim::Task<ReconcileResult> Reconcile(std::string key) override {
    const auto id = ksim::client::SplitKey(key);
    if (!id.ok()) co_return ReconcileResult::Terminal(id.status().ToString());
    const auto order = co_await reader_.Get(orders_, id->ns, id->name);
    if (!order.ok()) co_return ReconcileResult::Done();
    ksim::client::CacheListOptions of_order;
    of_order.ns = id->ns;
    of_order.label_selector = "order=" + id->name;
    const auto written = co_await reader_.List(receipts_, of_order);
    if (!written.ok()) co_return ReconcileResult::Error(written.status());
    if (!written->empty()) co_return ReconcileResult::Done();
    const ksim::api::Object wanted = ReceiptOf(*order);
    const auto made = co_await client_.Create(receipts_, wanted);
    if (!made.ok() && !ksim::api::IsAlreadyExists(made.status()))
      co_return ReconcileResult::Error(made.status());
    co_return ReconcileResult::Done();
  }

 private:
  ksim::api::Object ReceiptOf(const ksim::api::Object& order) const {
    const bool by_order = naming_ == Naming::kByOrder;
    const std::string name = std::string(order.name()) + (by_order ? "-receipt" : "-");
    const Value owner = Obj({{"apiVersion", Value::Of(order.api_version())},
                             {"kind", Value::Of(order.kind())},
                             {"name", Value::Of(order.name())},
                             {"uid", Value::Of(order.uid())},
                             {"controller", Value::Of(true)}});
    return ksim::api::Object::FromTree(
        Obj({{"apiVersion", Value::Of("v1")},
             {"kind", Value::Of("ConfigMap")},
             {"metadata", Obj({{by_order ? "name" : "generateName", Value::Of(name)},
                               {"namespace", Value::Of(order.ns())},
                               {"labels", Obj({{"order", Value::Of(order.name())}})},
                               {"ownerReferences", ksim::value::Arr({owner})}})}}));
  }

  ksim::controllers::ControllerContext context_;
  Naming naming_;
  const ksim::api::ResourceInfo* orders_;
  const ksim::api::ResourceInfo* receipts_;
  ksim::client::Client client_;
  ksim::client::CachedReader reader_;
  std::unique_ptr<ksim::client::BuiltController> controller_;
};

inline std::string ScenarioWith(const std::string& controller) {
  return "apiVersion: ksim.dev/v1\n"
         "kind: Scenario\n"
         "metadata: {name: orders}\n"
         "spec:\n"
         "  cluster: {nodes: 0, controllers: [" +
         controller +
         "]}\n"
         "  steps:\n"
         "  - {at: 0s, create: {document: Order/a}}\n"
         "  expect:\n"
         "  - finally: {resource: configmaps, selector: order=a, count: 1}\n"
         "---\n"
         "apiVersion: shop.test/v1\n"
         "kind: Order\n"
         "metadata: {name: a, namespace: default}\n";
}

// Both controllers, and a scenario for each: right, wrong.
inline ksim::Registry Program(const std::string& version = "1") {
  ksim::Registry registry("receipts", version);
  registry.AddKind("shop.test/v1", "Order");
  const auto add = [&registry](const std::string& name, Naming naming) {
    registry.AddController(name + "-receipts", [naming](ksim::controllers::ControllerContext c) {
      return std::make_unique<ReceiptController>(std::move(c), naming);
    });
    registry.AddScenario(name, ScenarioWith(name + "-receipts"));
  };
  add("right", Naming::kByOrder);
  add("wrong", Naming::kByServer);
  return registry;
}

}  // namespace receipts
