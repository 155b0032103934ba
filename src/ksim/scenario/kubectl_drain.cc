// kubectl drain, and the eviction of one pod.
//
// Source: kubectl pkg/cmd/drain/drain.go, pkg/drain/{drain,filters}.go.
#include <fmt/format.h>

#include "ksim/scenario/kubectl.h"

namespace ksim::scenario {

using api::Object;
using api::Response;
using value::Value;

namespace {

constexpr Duration kEvictionRetry = Seconds(5);

std::string Joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string_view ControllerKind(const Object& pod) {
  for (const Value& owner : pod.ToTree().Get("metadata").Get("ownerReferences").items())
    if (owner.Get("controller").AsBool()) return owner.Get("kind").AsString();
  return {};
}

bool Finished(const Object& pod) {
  const std::string_view phase = pod.ToTree().Get("status").Get("phase").AsString();
  return phase == "Succeeded" || phase == "Failed";
}

// What drain does with the pods of a node (filters.go).
struct Sorted {
  Sorted() = default;
  std::vector<Object> evict;
  std::vector<std::string> daemons, orphans;  // ns/name
};

Sorted SortPods(const std::vector<Object>& pods) {
  Sorted out;
  for (const Object& pod : pods) {
    const std::string_view controller = ControllerKind(pod);
    if (controller == "DaemonSet" && !Finished(pod)) {
      out.daemons.push_back(pod.key());
      continue;
    }
    if (controller.empty() && !Finished(pod)) out.orphans.push_back(pod.key());
    out.evict.push_back(pod);
  }
  return out;
}

}  // namespace

sim::Task<Response> Kubectl::EvictOne(std::string ns, std::string name,
                                      std::optional<std::int64_t> grace) {
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.resource = env_.kinds.ByName("pods");
  request.ns = ns;
  request.name = name;
  request.subresource = "eviction";
  value::ObjectBuilder options;
  if (grace) options.Add("gracePeriodSeconds", Value::Of(*grace));
  request.body = value::Obj(
      {{"apiVersion", Value::Of("policy/v1")},
       {"kind", Value::Of("Eviction")},
       {"metadata", value::Obj({{"name", Value::Of(name)}, {"namespace", Value::Of(ns)}})},
       {"deleteOptions", options.Build()}});
  co_return co_await Send(std::move(request));
}

sim::Task<StepOutcome> Kubectl::Evict(const Step& step, EarlierTries& tries) {
  StepOutcome outcome;
  const Response response = co_await EvictOne(step.ns, step.name, step.grace_period_seconds);
  if (tries.Settled(fmt::format("{}/{}", step.ns, step.name), response))
    outcome.lines.push_back(fmt::format("pod/{} evicted", step.name));
  else
    outcome.error = ErrorText(response);
  co_return outcome;
}

sim::Task<StepOutcome> Kubectl::Drain(const Step& step) {
  Step cordon = step;
  cordon.kind = StepKind::kCordon;
  StepOutcome outcome = co_await Cordon(cordon);
  if (!outcome.ok()) co_return outcome;
  Info pods = env_.kinds.ByName("pods");
  api::Request list;
  list.verb = api::Verb::kList;
  list.resource = pods;
  list.list.field_selector = "spec.nodeName=" + step.name;
  list.list.limit = 500;
  const Response found = co_await Send(std::move(list));
  if (found.code != 200) {
    outcome.error = ErrorText(found);
    co_return outcome;
  }
  const Sorted sorted = SortPods(found.items);
  std::string refused;
  if (!sorted.daemons.empty() && !step.ignore_daemon_sets)
    refused = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): " +
              Joined(sorted.daemons);
  if (!sorted.orphans.empty() && !step.force)
    refused += (refused.empty() ? "" : ", ") +
               ("cannot delete Pods that declare no controller (use --force to override): " +
                Joined(sorted.orphans));
  if (!refused.empty()) {
    outcome.error =
        fmt::format("error: unable to drain node \"{}\" due to error: {}", step.name, refused);
    co_return outcome;
  }
  if (!sorted.daemons.empty())
    outcome.lines.push_back("Warning: ignoring DaemonSet-managed Pods: " + Joined(sorted.daemons));
  co_await EvictAll(pods, sorted.evict, step, &outcome);
  if (outcome.ok()) outcome.lines.push_back(fmt::format("node/{} drained", step.name));
  co_return outcome;
}

// All are asked to go first, then waited for; a refusal for now (429) is tried again.
sim::Task<void> Kubectl::EvictAll(Info info, std::vector<Object> pods, const Step& step,
                                  StepOutcome* outcome) {
  const VirtualTime begin = env_.sim.now();
  const auto in_time = [&] {
    return step.timeout == Duration() || env_.sim.now() - begin < step.timeout;
  };
  for (const Object& pod : pods) {
    outcome->lines.push_back("evicting pod " + pod.key());
    for (;;) {
      const Response response = co_await EvictOne(std::string(pod.ns()), std::string(pod.name()),
                                                  step.grace_period_seconds);
      if (response.code == 404 || (response.code > 0 && response.code < 400)) break;
      if (response.code != 429 || !in_time()) {
        outcome->error = fmt::format("error when evicting pods/\"{}\" -n \"{}\": {}", pod.name(),
                                     pod.ns(), ErrorText(response));
        co_return;
      }
      co_await env_.sim.Sleep(kEvictionRetry, sim::TimerKind::kWork, "eviction retry");
    }
  }
  for (const Object& pod : pods) {
    const bool gone = co_await UntilGone(info, std::string(pod.ns()), std::string(pod.name()),
                                         std::string(pod.uid()));
    if (!gone) {
      outcome->error = fmt::format("error: cannot watch {}", pod.name());
      co_return;
    }
    outcome->lines.push_back(fmt::format("pod/{} evicted", pod.name()));
  }
}

}  // namespace ksim::scenario
