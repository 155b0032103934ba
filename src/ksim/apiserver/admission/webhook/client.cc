#include "ksim/apiserver/admission/webhook/client.h"

#include <algorithm>
#include <utility>

#include "ksim/sim/process.h"

namespace ksim::apiserver {

HookCall::HookCall(const PluginContext& context, HookCallSpec spec)
    : WebhookCall(context.sim),
      context_(context),
      spec_(std::move(spec)),
      promise_(context.sim),
      future_(promise_.future()) {}

std::uint64_t HookCall::Emit(std::string_view state, const ReviewVerdict& verdict) {
  auto payload = std::make_unique<WebhookPayload>();
  const Hook& hook = *spec_.hook;
  payload->request = spec_.request;
  payload->type = spec_.mutating ? "mutating" : "validating";
  payload->configuration = hook.configuration;
  payload->webhook = hook.name;
  payload->url = url();
  payload->server = server();
  payload->round = spec_.round;
  payload->state = state;
  const bool answers = event() != 0;
  if (answers) {
    const bool failed = !verdict.failure.empty() || !verdict.error.ok();
    payload->latency = context_.sim.now() - begun();
    payload->message = !verdict.failure.empty() ? verdict.failure
                       : failed                 ? verdict.error.message.str()
                       : verdict.allowed        ? ""
                                                : verdict.denial.message.str();
    if (failed) {
      payload->result = hook.ignores_failures && verdict.error.ok() ? "ignored" : "failed";
    } else if (!verdict.allowed) {
      payload->result = "denied";
    } else {
      payload->result = verdict.patch.empty() ? "allowed" : "patched";
    }
  }
  // The answer follows from whatever brought it.
  const std::uint64_t cause =
      answers ? std::max(event(), context_.sim.context().cause) : spec_.cause;
  return context_.sim.EmitAs(context_.process.actor(), cause,
                             sim::EventInfo{sim::EventKind::kWebhook},
                             sim::PayloadRef(payload.release()));
}

std::uint64_t HookCall::Told() { return Emit("call", ReviewVerdict()); }

void HookCall::Answered(const WebhookAnswer& answer) {
  End(ReadAnswer(answer, spec_.version, spec_.uid, spec_.hook->name, spec_.mutating,
                 apiserver::ProfileOf(context_.shared.compat)));
}

void HookCall::Failed(std::string why) {
  End(ReviewVerdict::Failed("failed to call webhook: " + why));
}

WebhookFault HookCall::Fault() const {
  const auto& fault = context_.shared.webhook_fault;
  return fault ? fault(spec_.hook->name, event()) : WebhookFault();
}

void HookCall::End(ReviewVerdict verdict) {
  ended_ = context_.sim.now();
  Emit("answer", verdict);
  promise_.Fulfil(std::move(verdict));
}

std::shared_ptr<HookCall> HookClient::Start(HookCallSpec spec) {
  const Hook& hook = *spec.hook;
  const Duration left = spec.deadline - context_.process.SteadyNow();
  const Duration timeout = std::max(Duration(), std::min(hook.timeout, left));
  std::string body = std::move(spec.body);
  const std::uint64_t key = spec.key;
  auto call = std::make_shared<HookCall>(context_, std::move(spec));
  client_.Post(call, hook.place, std::move(body), timeout, key);
  return call;
}

}  // namespace ksim::apiserver
