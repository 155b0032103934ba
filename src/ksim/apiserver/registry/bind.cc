// Part of registry.h: pods/binding assigns a pod to a node.
//
// Source: pkg/registry/core/pod/storage/storage.go BindingREST.Create, assignPod,
// setPodNodeAndMetadata.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/validation.h"
#include "ksim/apiserver/registry/registry.h"

namespace ksim::apiserver {

namespace {

using value::Path;
using value::Value;

Value MergeMembers(const Value& into, const Value& from) {
  Value merged = into.is_object() ? into : Value::EmptyObject();
  for (const Value::Member& m : from.members()) merged = merged.Set(m.name, m.value);
  return merged;
}

class BindTransform final : public Transform {
 public:
  BindTransform(Value binding, VirtualTime now, const RegistryContext& context)
      : binding_(std::move(binding)), now_(now), context_(context) {}

  api::Result<Value> Apply(const api::Object& pod) override {
    const api::Status refused = CheckAssignable(pod);
    if (!refused.ok()) return refused;
    static const Path kNode{"spec", "nodeName"};
    static const Path kTarget{"target", "name"};
    static const Path kNominated{"status", "nominatedNodeName"};
    Value tree = pod.tree().Set(kNode, binding_.Get(kTarget));
    tree = WithMerged(std::move(tree), "annotations");
    if (context_.profile.binding_sets_labels) tree = WithMerged(std::move(tree), "labels");
    if (context_.profile.binding_clears_nomination) tree = tree.Erase(kNominated);
    return WithScheduled(std::move(tree));
  }

 private:
  static api::Status BindingConflict(const api::Object& pod, std::string_view why) {
    return api::Conflict(api::GroupResource("", "pods/binding"), pod.name(), why);
  }

  api::Status CheckAssignable(const api::Object& pod) const {
    static const Path kGates{"spec", "schedulingGates"};
    if (pod.deleting())
      return BindingConflict(
          pod, fmt::format("pod {} is being deleted, cannot be assigned to a host", pod.name()));
    if (!pod.node_name().empty())
      return BindingConflict(pod, fmt::format("pod {} is already assigned to node \"{}\"",
                                              pod.name(), pod.node_name()));
    if (api::ProfileOf(context_.compat).pod_scheduling_readiness && !pod.Get(kGates).empty())
      return BindingConflict(pod,
                             fmt::format("pod {} has non-empty .spec.schedulingGates", pod.name()));
    return api::Status();
  }

  Value WithMerged(Value tree, const char* field) const {
    const Path path{"metadata", field};
    const Value& given = binding_.Get(path);
    if (given.empty()) return tree;
    return tree.Set(path, MergeMembers(tree.Get(path), given));
  }

  Value WithScheduled(Value tree) const {
    static const Path kConditions{"status", "conditions"};
    return tree.Set(kConditions,
                    api::UpdateCondition(tree.Get(kConditions),
                                         api::MakeCondition("PodScheduled", "True"), now_));
  }

  Value binding_;
  VirtualTime now_;
  const RegistryContext& context_;
};

}  // namespace

sim::Task<api::Status> Registry::Bind(RequestContext& rc, Value binding) {
  const api::Request& request = rc.request();
  // The registry returns these unmapped.
  const api::FieldErrors errors = api::ValidateBinding(binding);
  if (!errors.empty()) {
    std::string text;
    for (const api::StatusCause& e : errors)
      text.append(text.empty() ? "" : ", ").append(e.field).append(": ").append(e.message);
    if (errors.size() > 1) text = "[" + text + "]";
    co_return rc.EndStage(Stage::kValidate, api::Unmapped(500, text));
  }
  rc.PassStage(Stage::kValidate);
  if (context_.admission.AsksWebhooks()) {
    const api::Status refused = co_await AskAboutNew(rc, binding);
    if (!refused.ok()) co_return rc.EndStage(Stage::kStore, refused);
  }
  Preconditions preconditions;
  const Value& metadata = binding.Get("metadata");
  if (!metadata.Get("uid").AsString().empty())
    preconditions.uid = std::string(metadata.Get("uid").AsString());
  if (!metadata.Get("resourceVersion").AsString().empty())
    preconditions.resource_version = std::string(metadata.Get("resourceVersion").AsString());
  BindTransform transform(std::move(binding), rc.now(), context_);
  api::Object suggestion = storage_.Suggestion(request.ns, request.name);
  api::Result<api::Object> stored = co_await storage_.storage().GuaranteedUpdate(
      request.ns, request.name, preconditions, false, transform, suggestion, rc.write());
  if (!stored.ok()) co_return rc.EndStage(Stage::kStore, stored.status());
  rc.PassStage(Stage::kStore);
  api::Status success;
  success.code = 201;
  co_return success;
}

}  // namespace ksim::apiserver
