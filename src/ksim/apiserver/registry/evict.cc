// pods/eviction: a deletion that says why. Without disruption budgets nothing can forbid it.
//
// Source: pkg/registry/core/pod/storage/eviction.go EvictionREST.Create, addConditionAndDeletePod.
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

namespace {

using value::Value;

// Marks the pod for those who count disruptions (on by default since 1.26).
class DisruptionTransform final : public Transform {
 public:
  explicit DisruptionTransform(VirtualTime now) : now_(now) {}

  sim::Task<api::Result<api::Object>> Apply(api::Object pod) override {
    static const value::Path kConditions{"status", "conditions"};
    Value condition = api::MakeCondition("DisruptionTarget", "True", "EvictionByEvictionAPI",
                                         "Eviction API: evicting");
    Value tree = pod.tree().Set(
        kConditions, api::UpdateCondition(pod.Get(kConditions), std::move(condition), now_));
    co_return api::Object::FromTree(std::move(tree), pod.resource_version());
  }

 private:
  VirtualTime now_;
};

api::DeleteOptions OptionsOf(const Value& tree) {
  api::DeleteOptions options;
  const Value& grace = tree.Get("gracePeriodSeconds");
  if (grace.is_int()) options.grace_period_seconds = grace.AsInt();
  options.propagation_policy = std::string(tree.Get("propagationPolicy").AsString());
  const Value& preconditions = tree.Get("preconditions");
  const std::string_view uid = preconditions.Get("uid").AsString();
  if (!uid.empty()) options.uid = std::string(uid);
  const std::string_view version = preconditions.Get("resourceVersion").AsString();
  if (!version.empty()) options.resource_version = std::string(version);
  return options;
}

}  // namespace

sim::Task<api::Status> Registry::Evict(RequestContext& rc, Value eviction) {
  const api::Request& request = rc.request();
  api::DeleteOptions options = OptionsOf(eviction.Get("deleteOptions"));
  if (context_.compat > api::Compat::k1_25) {
    Preconditions preconditions;
    preconditions.uid = options.uid;
    preconditions.resource_version = options.resource_version;
    DisruptionTransform transform(rc.now());
    api::Object suggestion = storage_.Suggestion(request.ns, request.name);
    api::Result<api::Object> marked = co_await storage_.storage().GuaranteedUpdate(
        request.ns, request.name, preconditions, false, transform, suggestion, rc.write());
    if (!marked.ok()) co_return rc.Check(Stage::kStore, marked.status());
    if (options.resource_version)
      options.resource_version = std::to_string(marked->resource_version());
  }
  const SharedText ns = request.ns, name = request.name;
  api::Result<DeleteResult> deleted = co_await Delete(rc, ns, name, options);
  if (!deleted.ok()) co_return deleted.status();
  api::Status success;
  success.code = 201;
  co_return success;
}

}  // namespace ksim::apiserver
