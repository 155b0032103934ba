#include "ksim/apiserver/admission/policy/params.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/server.h"
#include "ksim/base/status.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr Duration kSyncTimeout = Seconds(1);

Params Misconfigured(std::string problem) {
  Params params;
  params.problem = std::move(problem);
  return params;
}

// schema.GroupVersionKind.String
std::string GroupVersionKindText(const ParamKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  const bool grouped = slash != std::string::npos;
  return fmt::format("{}/{}, Kind={}", grouped ? kind.api_version.substr(0, slash) : "",
                     grouped ? kind.api_version.substr(slash + 1) : kind.api_version, kind.kind);
}

}  // namespace

// policySource.ensureParamsForPolicyLocked
std::string ParamKindProblem(const PluginContext& context, const Policy& policy) {
  if (!policy.param_kind.has_value()) return "";
  const ParamKind& wanted = *policy.param_kind;
  const api::ResourceInfo* const kind = context.kinds.ByKind(wanted.api_version, wanted.kind);
  if (kind != nullptr && !kind->withdrawn && api::IsServed(*kind, context.shared.compat)) return "";
  return fmt::format("failed to find resource referenced by paramKind: '{}'",
                     GroupVersionKindText(wanted));
}

sim::Task<Params> CollectParams(const PluginContext& context, const Policy& policy,
                                const PolicyBinding& binding, SharedText ns) {
  Params params;
  if (!policy.param_kind.has_value() || binding.param_ref.is_null()) {
    params.objects.emplace_back();
    co_return params;
  }
  const ParamKind& wanted = *policy.param_kind;
  const api::ResourceInfo* const kind = context.kinds.ByKind(wanted.api_version, wanted.kind);
  const Value& ref = binding.param_ref;
  const std::string_view given = ref.Get("namespace").AsString();
  std::string space;
  if (kind->namespaced) {
    space = given.empty() ? ns.str() : std::string(given);
    if (space.empty())
      co_return Misconfigured(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  CacheDelegator& storage = context.resources.StorageFor(*kind);
  Cacher* const cacher = storage.cacher();
  const VirtualTime deadline = context.process.SteadyNow() + kSyncTimeout;
  bool synced = false;
  if (cacher != nullptr) synced = co_await cacher->ready().WaitUntil(deadline);
  if (!synced)
    co_return Misconfigured(
        fmt::format("paramKind kind `&ParamKind{{APIVersion:{},Kind:{},}}` not yet synced to use "
                    "for admission",
                    wanted.api_version, wanted.kind));
  if (!kind->namespaced && !given.empty())
    co_return Misconfigured(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const auto add = [&](const api::Object& object) {
    const Value tree = FromStored(*kind, object.tree());
    params.objects.push_back(
        api::GoForm(*kind, api::Object::FromTree(tree, object.resource_version()).ToTree(),
                    context.shared.compat, api::Stored::kYes));
  };
  const std::string_view name = ref.Get("name").AsString();
  if (!name.empty()) {
    const api::Object found = storage.Suggestion(space, name);
    if (!found.empty()) add(found);
  } else {
    const auto selector = value::LabelSelector::FromObject(ref.Get("selector"));
    if (!selector.ok()) co_return Misconfigured(std::string(Message(selector.status())));
    const std::string prefix = space.empty() ? "" : space + "/";
    for (const api::Object& object : cacher->cache().List(prefix, ""))
      if (selector->Matches(object.metadata().Get("labels"))) add(object);
  }
  if (params.objects.empty() && ref.Get("parameterNotFoundAction").AsString() == "Deny")
    params.problem = "no params found for policy binding with `Deny` parameterNotFoundAction";
  co_return params;
}

}  // namespace ksim::apiserver
