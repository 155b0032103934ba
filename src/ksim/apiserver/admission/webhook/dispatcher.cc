#include "ksim/apiserver/admission/webhook/dispatcher.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/core/names.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/core/object_converter.h"
#include "ksim/apiserver/core/subresource_kind.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr Duration kRequestTimeout = Seconds(34);  // handlers/rest.go requestTimeoutUpperBound

// Null: no webhook has converted the object for that resource.
const ConvertedObject* FindConverted(const Attributes& a, const api::ResourceInfo& at,
                                     const Value& tree) {
  for (const ConvertedObject& one : a.converted)
    if (one.at == &at && one.from.SameTree(tree)) return &one;
  return nullptr;
}

VirtualTime DeadlineOf(const Attributes& a, VirtualTime now) {
  return (a.request == nullptr ? now : a.request->arrived()) + kRequestTimeout;
}

}  // namespace

bool HookDispatcher::MayAsk(const Attributes& a) const {
  if (a.operation == Operation::kDelete && a.old.is_null()) return false;
  return source_.MayHaveHooks() && !IsExempt(a.resource);
}

sim::Task<api::Result<Hooks>> HookDispatcher::KnownHooks(const Attributes& a) {
  bool ready = source_.ready();
  if (!ready) ready = co_await source_.WaitReady();
  if (!ready) co_return AdmissionForbidden(a, "not yet ready to handle request");
  co_return source_.Get();
}

bool NeedsConversionToShow(const Attributes& a, const api::ResourceInfo& at) {
  return &at != &a.resource && IsConvertedByWebhook(at) &&
         KindAt(a.resource, a.subresource).kind == a.resource.kind;
}

sim::Task<api::Result<Value>> ConvertBetween(const PluginContext& context,
                                             const api::ResourceInfo& to, Value tree) {
  api::Result<Value> converted =
      co_await context.resources.converter()->Convert(to, std::move(tree), to.version);
  if (!converted.ok()) co_return api::InternalError(converted.status().message);
  *converted = api::PrunedBySchemaOf(to, *converted);
  co_return converted;
}

namespace {

sim::Task<api::Status> ConvertOne(const PluginContext& context, const Attributes& a,
                                  const api::ResourceInfo& at, Value tree) {
  if (!tree.is_object() || FindConverted(a, at, tree) != nullptr) co_return api::Status();
  api::Result<Value> converted = co_await ConvertBetween(context, at, tree);
  if (!converted.ok()) co_return converted.status();
  a.converted.emplace_back(&at, tree, *std::move(converted));
  co_return api::Status();
}

}  // namespace

sim::Task<api::Status> ConvertToShow(const PluginContext& context, const Attributes& a,
                                     const api::ResourceInfo& at) {
  const api::Status object = co_await ConvertOne(context, a, at, a.object);
  if (!object.ok()) co_return object;
  co_return co_await ConvertOne(context, a, at, a.old);
}

Value ShownToHook(const PluginContext& context, const Value& tree, std::int64_t version,
                  bool stored, const Attributes& a, const api::ResourceInfo& at) {
  if (!tree.is_object()) return Value();
  const bool own = KindAt(a.resource, a.subresource).kind == a.resource.kind;
  Value shown = tree;
  const ConvertedObject* const converted = FindConverted(a, at, tree);
  if (converted != nullptr) {
    shown = converted->to;
  } else if (own && &at != &a.resource) {
    shown = FromStored(at, ToStored(a.resource, tree));
  }
  if (version != 0) shown = api::Object::FromTree(std::move(shown), version).ToTree();
  if (!own) return shown;
  return api::GoForm(at, shown, context.shared.compat,
                     stored ? api::Stored::kYes : api::Stored::kNo);
}

api::Status HookDispatcher::CheckDryRun(const Hook& hook, const Attributes& a) const {
  if (!a.dry_run || hook.side_effects == "None" || hook.side_effects == "NoneOnDryRun")
    return api::Status();
  return api::BadRequest(
      fmt::format("admission webhook {} does not support dry run", api::GoQuote(hook.name)));
}

std::shared_ptr<HookCall> HookDispatcher::Call(const Invocation& invocation, const Attributes& a,
                                               int round, const Value& object, const Value& old) {
  const Hook& hook = *invocation.hook;
  const std::string_view version = ReviewVersion(hook);
  if (version.empty()) return nullptr;
  // Draws about the call are about the webhook and the object.
  const std::string_view name =
      a.name.empty() ? a.object.Get("metadata").Get("name").AsString() : a.name.view();
  const std::uint64_t about =
      name.empty() ? a.identity : context_.shared.identities.Of(a.resource.known_as(), a.ns, name);
  HookCallSpec spec;
  spec.hook = &hook;
  spec.mutating = mutating_;
  spec.round = round;
  spec.version = version;
  spec.key = sim::KeyOf(sim::KeyOf(hook.uid), about);
  spec.uid = api::GenerateUid(context_.sim.decisions(), "admissionreviews", spec.key);
  spec.body = ReviewRequest(version, spec.uid, a, invocation, object, old);
  spec.deadline = DeadlineOf(a, context_.process.SteadyNow());
  if (a.request != nullptr) {
    spec.request = a.request->request().id;
    spec.cause = a.request->request().event;
  }
  return client_.Start(std::move(spec));
}

ReviewVerdict HookDispatcher::NoKnownVersion() {
  return ReviewVerdict::Failed(
      "could not create admission objects: webhook does not accept known AdmissionReview versions "
      "(v1, v1beta1)");
}

api::Status HookDispatcher::Conclude(const Hook& hook, const ReviewVerdict& verdict,
                                     const Attributes& a, std::string failed_open_key) {
  if (a.request != nullptr) {
    for (const std::string& warning : verdict.warnings) a.request->Warn(warning);
    for (const auto& [key, text] : verdict.annotations)
      a.request->Annotate(hook.name + "/" + key, text);
  }
  if (!verdict.error.ok()) return verdict.error;
  if (!verdict.failure.empty()) {
    if (!hook.ignores_failures)
      return api::InternalError(
          fmt::format("failed calling webhook {}: {}", api::GoQuote(hook.name), verdict.failure));
    if (a.request != nullptr) a.request->Annotate(std::move(failed_open_key), hook.name);
    return api::Status();
  }
  return verdict.allowed ? api::Status() : verdict.denial;
}

bool HookDispatcher::IsOver(const Attributes& a) const {
  return a.request != nullptr &&
         (a.request->abandoned() || DeadlineOf(a, {}) <= context_.process.SteadyNow());
}

api::Status RequestTimedOutAskingWebhooks() {
  return api::TimeoutError("request did not complete within requested timeout", 0);
}

}  // namespace ksim::apiserver
