// Part of plugin.h: MutatingAdmissionWebhook lets webhooks change an object, one after the other,
// each of which sees what those before it have made. In the second round those with
// reinvocationPolicy IfNeeded are asked again if another plugin has changed the object since.
//
// Source: apiserver
// pkg/admission/plugin/webhook/mutating/{plugin,dispatcher,reinvocationcontext}.go.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/schema.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/apiserver/admission/webhook/dispatcher.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/core/subresource_kind.h"
#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"

namespace ksim::apiserver {
namespace {

using value::Value;

class MutatingWebhooks final : public Plugin {
 public:
  explicit MutatingWebhooks(const PluginContext& context)
      : context_(context),
        dispatcher_(context, "mutatingwebhookconfigurations", /*mutating=*/true) {}
  std::string_view name() const override { return "MutatingAdmissionWebhook"; }
  bool Handles(const Attributes& a) const override { return dispatcher_.MayAsk(a); }
  bool AsksWebhooks() const override { return dispatcher_.MayHaveHooks(); }

  sim::Task<api::Status> Admit(Attributes& a) override {
    const api::Result<Hooks> hooks = co_await dispatcher_.KnownHooks(a);
    if (!hooks.ok()) co_return hooks.status();
    if (a.reinvocation == nullptr) a.reinvocation = std::make_unique<Reinvocation>();
    Reinvocation& again = *a.reinvocation;
    if (again.second_round && again.last_output != a.object) CallAgain(&again);
    for (std::size_t i = 0; i < (*hooks)->size(); ++i) {
      const Hook& hook = (**hooks)[i];
      const api::Result<Invocation> invocation = co_await dispatcher_.matcher().Match(hook, a);
      if (!invocation.ok()) co_return invocation.status();
      if (invocation->hook == nullptr) continue;
      // A webhook that was not called in the first round is not called in the second either.
      if (again.second_round && !again.again.contains(hook.uid)) continue;
      const api::Status refused = co_await Ask(*invocation, a, i);
      if (!refused.ok()) co_return refused;
    }
    again.last_output = a.object;
    co_return api::Status();
  }

 private:
  // RequireReinvokingPreviouslyInvokedPlugins
  static void CallAgain(Reinvocation* again) {
    again->again.insert(again->called.begin(), again->called.end());
    again->called.clear();
  }

  // Asks one webhook and applies its patch. `index`: its place among all webhooks.
  sim::Task<api::Status> Ask(Invocation invocation, Attributes& a, std::size_t index) {
    const Hook& hook = *invocation.hook;
    const api::ResourceInfo& at = *invocation.resource;
    Reinvocation& again = *a.reinvocation;
    const int round = again.second_round ? 1 : 0;
    const std::string place = fmt::format("round_{}_index_{}", round, index);
    const api::Status dry = dispatcher_.CheckDryRun(hook, a);
    if (!dry.ok()) co_return dry;
    const Value shown = dispatcher_.Shown(a.object, a.object_version, false, a, at);
    const Value old = dispatcher_.Shown(a.old, a.old_version, true, a, at);
    const std::shared_ptr<HookCall> call = dispatcher_.Call(invocation, a, round, shown, old);
    ReviewVerdict verdict = HookDispatcher::NoKnownVersion();
    if (call != nullptr) {
      sim::Future<ReviewVerdict> coming = call->verdict();
      std::optional<ReviewVerdict> come = co_await coming.Wait();
      verdict = *std::move(come);
    }
    // Changes the object.
    bool changed = false;
    const bool patches = verdict.failure.empty() && verdict.error.ok() && !verdict.patch.empty();
    if (patches && verdict.patch_type != "JSONPatch") {
      verdict.failure = fmt::format("unsupported patch type {}", api::GoQuote(verdict.patch_type));
    } else if (patches) {
      api::Result<Value> patched = Patched(verdict.patch, hook, shown, at, a);
      if (patched.ok() && NeedsConversionToShow(a, at))
        patched = co_await ConvertBetween(context_, a.resource, *patched);
      if (patched.ok()) {
        TakeOver(*patched, at, &a, &changed);
      } else {
        verdict.error = patched.status();
      }
      Annotate(a, "patch.webhook.admission.k8s.io/" + place, PatchText(hook, verdict.patch));
    }
    Annotate(a, "mutation.webhook.admission.k8s.io/" + place, MutationText(hook, changed));
    if (changed) {
      CallAgain(&again);
      again.wanted = true;
    }
    if (hook.reinvoked) again.called.insert(hook.uid);
    const bool ignored = !verdict.failure.empty() && hook.ignores_failures;
    api::Status status = HookDispatcher::Conclude(
        hook, verdict, a, "failed-open.mutation.webhook.admission.k8s.io/" + place);
    if (ignored && dispatcher_.IsOver(a)) status = RequestTimedOutAskingWebhooks();
    co_return status;
  }

  // The object with the patch, which is applied to the object as the webhook saw it.
  api::Result<Value> Patched(const Value& patch, const Hook& hook, const Value& shown,
                             const api::ResourceInfo& at, const Attributes& a) const {
    if (shown.is_null())
      return api::InternalError(
          fmt::format("admission webhook {} attempted to modify the object, which is not supported "
                      "for this operation",
                      api::GoQuote(hook.name)));
    const absl::StatusOr<Value> patched = value::ApplyJsonPatch(shown, patch);
    if (!patched.ok()) return api::InternalError(Message(patched.status()));
    const api::ResourceInfo& kind = KindAt(at, a.subresource);
    api::Reading reading = api::Read(kind, *patched, "Ignore", nullptr, context_.shared.compat);
    if (!reading.problem.empty()) return api::InternalError(reading.problem);
    Value tree = std::move(reading.tree);
    api::Object::TakeVersion(&tree);
    return tree;
  }

  // Takes over what the patch has made of the object, as Go would read it, with its defaults.
  void TakeOver(Value tree, const api::ResourceInfo& at, Attributes* a, bool* changed) const {
    const bool own = &KindAt(at, a->subresource) == &at;
    if (own) {
      if (&at != &a->resource && !NeedsConversionToShow(*a, at))
        tree = FromStored(a->resource, ToStored(at, tree));
      // A field that the webhook left alone stays as it was written.
      tree = api::InFormOf(a->resource, a->object, tree);
    }
    *changed = tree != a->object;
    a->object = own ? api::ApplyDefaults(a->resource, tree, context_.shared.compat) : tree;
  }

  static void Annotate(const Attributes& a, std::string key, std::string text) {
    if (a.request != nullptr) a.request->Annotate(std::move(key), std::move(text));
  }

  static std::string MutationText(const Hook& hook, bool mutated) {
    return fmt::format("{{\"configuration\":{},\"webhook\":{},\"mutated\":{}}}",
                       value::ToJson(Value::Of(hook.configuration)),
                       value::ToJson(Value::Of(hook.name)), mutated);
  }

  static std::string PatchText(const Hook& hook, const Value& patch) {
    return fmt::format(
        "{{\"configuration\":{},\"webhook\":{},\"patch\":{},\"patchType\":\"JSONPatch\"}}",
        value::ToJson(Value::Of(hook.configuration)), value::ToJson(Value::Of(hook.name)),
        value::ToJson(patch));
  }

  PluginContext context_;
  HookDispatcher dispatcher_;
};

}  // namespace

std::unique_ptr<Plugin> MakeMutatingWebhooks(const PluginContext& context) {
  return std::make_unique<MutatingWebhooks>(context);
}

}  // namespace ksim::apiserver
