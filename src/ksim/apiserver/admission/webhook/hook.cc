#include "ksim/apiserver/admission/webhook/hook.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ksim/api/core/profile.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/server.h"
#include "ksim/base/status.h"

namespace ksim::apiserver {
namespace {

using value::Value;

constexpr Duration kReadyTimeout = Seconds(10);  // admission.Handler timeToWaitForReady
constexpr std::string_view kGroup = "admissionregistration.k8s.io";

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.items()) texts.emplace_back(item.AsString());
  return texts;
}

Hook ReadHook(const Value& tree) {
  Hook hook;
  hook.name = tree.Get("name").AsString();
  for (const Value& rule : tree.Get("rules").items()) hook.rules.push_back(ReadHookRule(rule));
  hook.namespaces = ReadHookSelector(tree.Get("namespaceSelector"), &hook.bad_selector);
  hook.objects = ReadHookSelector(tree.Get("objectSelector"), &hook.bad_selector);
  hook.equivalent = tree.Get("matchPolicy").AsString() == "Equivalent";
  hook.ignores_failures = tree.Get("failurePolicy").AsString() == "Ignore";
  hook.reinvoked = tree.Get("reinvocationPolicy").AsString() == "IfNeeded";
  hook.side_effects = tree.Get("sideEffects").AsString();
  const Value& timeout = tree.Get("timeoutSeconds");
  hook.timeout = Seconds(timeout.is_int() ? timeout.AsInt() : 10);
  hook.review_versions = Texts(tree.Get("admissionReviewVersions"));
  hook.place = WebhookPlace::Read(tree.Get("clientConfig"));
  return hook;
}

}  // namespace

HookRule ReadHookRule(const Value& tree) {
  HookRule rule;
  rule.operations = Texts(tree.Get("operations"));
  rule.groups = Texts(tree.Get("apiGroups"));
  rule.versions = Texts(tree.Get("apiVersions"));
  rule.resources = Texts(tree.Get("resources"));
  rule.scope = tree.Get("scope").AsString();
  return rule;
}

// LabelSelectorAsSelector: a missing selector selects nothing.
value::LabelSelector ReadHookSelector(const Value& tree, std::string* problem) {
  auto selector = value::LabelSelector::FromObject(tree);
  if (selector.ok()) return *std::move(selector);
  *problem = Message(selector.status());
  return value::LabelSelector::Nothing();
}

HookSource::HookSource(const PluginContext& context, std::string_view resource)
    : context_(context),
      resource_(*context.kinds.ByResource(kGroup, resource)),
      namespaces_(*context.kinds.ByResource("", "namespaces")) {}

const Cacher* HookSource::cacher() const { return context_.resources.FindCacher(resource_); }

bool HookSource::ready() const {
  if (synced_) return true;
  for (const api::ResourceInfo* r : {&resource_, &namespaces_}) {
    Cacher* const cacher = context_.resources.FindCacher(*r);
    if (cacher == nullptr || !cacher->ready().ready()) return false;
  }
  synced_ = true;
  return true;
}

// A cache that is not ready says nothing: then it counts whether there ever was a configuration.
bool HookSource::MayHaveHooks() const {
  const Cacher* const known = cacher();
  if (known != nullptr && known->cache().size() > 0) return true;
  return context_.shared.webhooks_stored && !ready();
}

sim::Task<bool> HookSource::WaitReady() {
  const VirtualTime deadline = context_.process.SteadyNow() + kReadyTimeout;
  for (const api::ResourceInfo* r : {&resource_, &namespaces_}) {
    Cacher* const cacher = context_.resources.FindCacher(*r);
    if (cacher == nullptr) co_return false;
    const bool ready = co_await cacher->ready().WaitUntil(deadline);
    if (!ready) co_return false;
  }
  co_return true;
}

HookConditions::HookConditions(const Value& tree, api::Compat compat)
    : expressions(cel::EnvironmentOptions::Kubernetes(api::ProfileOf(compat).cel_minor), false,
                  false) {
  for (const Value& condition : tree.items())
    programs.push_back(
        expressions.Compile(condition.Get("expression").AsString(), true, {cel::BoolType()}));
}

void HookSource::Read(const api::Object& configuration, std::vector<Hook>* hooks) const {
  std::map<std::string, int> seen;
  for (const Value& tree : configuration.tree().Get("webhooks").items()) {
    Hook hook = ReadHook(tree);
    hook.configuration = configuration.name();
    const Value& conditions = tree.Get("matchConditions");
    const api::Compat compat = context_.shared.compat;
    if (!conditions.empty() && api::ProfileOf(compat).webhook_match_conditions)
      hook.conditions = std::make_shared<const HookConditions>(conditions, compat);
    hook.uid = fmt::format("{}/{}/{}", hook.configuration, hook.name, seen[hook.name]++);
    hooks->push_back(std::move(hook));
  }
}

Hooks HookSource::Get() {
  const Cacher* const known = cacher();
  std::vector<api::Object> configurations;
  if (known != nullptr) configurations = known->cache().List("", "");
  std::vector<std::pair<std::string, std::int64_t>> versions;
  for (const api::Object& c : configurations) versions.emplace_back(c.name(), c.resource_version());
  if (hooks_ != nullptr && versions == read_) return hooks_;
  auto hooks = std::make_shared<std::vector<Hook>>();
  for (const api::Object& c : configurations) Read(c, hooks.get());
  hooks_ = std::move(hooks);
  read_ = std::move(versions);
  return hooks_;
}

}  // namespace ksim::apiserver
