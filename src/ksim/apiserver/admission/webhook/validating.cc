// Part of plugin.h: ValidatingAdmissionWebhook asks webhooks whether an object may be stored, all
// at a time. The first refusal that arrives counts; of those that arrive together, that of the
// webhook that comes first.
//
// Source: apiserver pkg/admission/plugin/webhook/validating/{plugin,dispatcher}.go.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/apiserver/admission/webhook/dispatcher.h"

namespace ksim::apiserver {
namespace {

// One webhook that is asked.
struct Asked {
  Asked() = default;
  const Hook* hook = nullptr;
  std::shared_ptr<HookCall> call;  // null: it was not called
  api::Status refusal;             // without a call
};

class ValidatingWebhooks final : public Plugin {
 public:
  explicit ValidatingWebhooks(const PluginContext& context)
      : dispatcher_(context, "validatingwebhookconfigurations", /*mutating=*/false) {}
  std::string_view name() const override { return "ValidatingAdmissionWebhook"; }
  bool Handles(const Attributes&) const override { return false; }
  bool AsksWebhooks() const override { return dispatcher_.MayHaveHooks(); }
  bool Validates(const Attributes& a) const override { return dispatcher_.MayAsk(a); }

  sim::Task<api::Status> Validate(Attributes& a) override {
    const api::Result<Hooks> hooks = co_await dispatcher_.KnownHooks(a);
    if (!hooks.ok()) co_return hooks.status();
    // Chooses all before it asks any.
    std::vector<Invocation> invocations;
    for (const Hook& hook : **hooks) {
      const api::Result<Invocation> invocation = co_await dispatcher_.matcher().Match(hook, a);
      if (!invocation.ok()) co_return invocation.status();
      if (invocation->hook != nullptr) invocations.push_back(*invocation);
    }
    if (invocations.empty()) co_return api::Status();
    if (dispatcher_.IsOver(a)) co_return RequestTimedOutAskingWebhooks();
    std::vector<Asked> asked;
    for (const Invocation& invocation : invocations) asked.push_back(Ask(invocation, a));
    // Takes the verdicts.
    api::Status first;
    VirtualTime at = VirtualTime::Max();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const Asked& one = asked[i];
      ReviewVerdict verdict = HookDispatcher::NoKnownVersion();
      VirtualTime ended = dispatcher_.context().sim.now();
      if (one.call != nullptr) {
        sim::Future<ReviewVerdict> coming = one.call->verdict();
        std::optional<ReviewVerdict> come = co_await coming.Wait();
        verdict = *std::move(come);
        ended = one.call->ended();
      }
      api::Status refusal = one.refusal;
      if (refusal.ok())
        refusal = HookDispatcher::Conclude(
            *one.hook, verdict, a,
            fmt::format("failed-open.validating.webhook.admission.k8s.io/round_0_index_{}", i));
      if (refusal.ok() || ended >= at) continue;
      first = std::move(refusal);
      at = ended;
    }
    co_return first;
  }

 private:
  Asked Ask(const Invocation& invocation, const Attributes& a) {
    Asked asked;
    asked.hook = invocation.hook;
    asked.refusal = dispatcher_.CheckDryRun(*invocation.hook, a);
    if (!asked.refusal.ok()) return asked;
    const api::ResourceInfo& at = *invocation.resource;
    const value::Value object = dispatcher_.Shown(a.object, a.object_version, false, a, at);
    const value::Value old = dispatcher_.Shown(a.old, a.old_version, true, a, at);
    asked.call = dispatcher_.Call(invocation, a, 0, object, old);
    return asked;
  }

  HookDispatcher dispatcher_;
};

}  // namespace

std::unique_ptr<Plugin> MakeValidatingWebhooks(const PluginContext& context) {
  return std::make_unique<ValidatingWebhooks>(context);
}

}  // namespace ksim::apiserver
