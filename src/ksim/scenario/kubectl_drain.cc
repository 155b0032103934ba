// kubectl drain, and the eviction of one pod.
//
// Source: kubectl pkg/cmd/drain/drain.go, pkg/drain/{drain,filters}.go.
#include <fmt/format.h>

#include "ksim/base/time.h"
#include "ksim/scenario/kubectl.h"

namespace ksim::scenario {

using api::Object;
using api::Response;
using value::Value;

namespace {

constexpr Duration kEvictionRetry = Seconds(5);
constexpr Duration kLook = Seconds(1);  // for a pod that was evicted

std::string Joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

bool Finished(const Object& pod) {
  const std::string_view phase = pod.ToTree().Get("status").Get("phase").AsString();
  return phase == "Succeeded" || phase == "Failed";
}

// What follows "cannot delete"; twice in 1.30.
std::string_view UnmanagedFatal(api::Compat compat) {
  if (compat == api::Compat::k1_25) return "Pods declare no controller (use --force to override)";
  return compat == api::Compat::k1_30
             ? "cannot delete Pods that declare no controller (use --force to override)"
             : "Pods that declare no controller (use --force to override)";
}

// By message, in the order in which they came up: the pods (ns/name) that it is about.
using Messages = std::vector<std::pair<std::string, std::vector<std::string>>>;

void Note(std::string message, const Object& pod, Messages* out) {
  for (auto& [known, pods] : *out) {
    if (known != message) continue;
    pods.push_back(pod.key());
    return;
  }
  out->emplace_back(std::move(message), std::vector<std::string>{pod.key()});
}

std::vector<std::string> Texts(std::string_view prefix, const Messages& messages) {
  std::vector<std::string> out;
  for (const auto& [message, pods] : messages)
    out.push_back(fmt::format("{}{}: {}", prefix, message, Joined(pods)));
  return out;
}

// utilerrors.Aggregate.
std::string Aggregate(const std::vector<std::string>& errors) {
  return errors.size() == 1 ? errors.front() : fmt::format("[{}]", Joined(errors));
}

std::string Waiting(const Object& pod, std::string_view error) {
  return fmt::format("error when waiting for pod \"{}\" in namespace \"{}\" to terminate: {}",
                     pod.name(), pod.ns(), error);
}

// drain.go RunDrain, and what the command ends with.
std::string UnableToDrain(const std::string& node, const std::vector<std::string>& errors,
                          api::Compat compat) {
  return fmt::format(
      "error: unable to drain node \"{}\" due to error:{}{}, continuing command...\n"
      "There are pending nodes to be drained:\n {}\n{}",
      node, compat == api::Compat::k1_36 ? " " : "", Aggregate(errors), node,
      fmt::join(errors, "\n"));
}

}  // namespace

// What drain does with the pods of a node.
struct Kubectl::ToDrain {
  ToDrain() = default;
  std::vector<Object> evict;
  Messages errors, warnings;
};

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

// filters.go daemonSetFilter: whether the pod is left where it is, or refused, as a DaemonSet's.
sim::Task<bool> Kubectl::IsDaemons(Object pod, const Step& step, ToDrain* out) {
  const auto owner = pod.controller();
  const bool daemon = owner && owner->kind == "DaemonSet" && owner->api_version == "apps/v1";
  if (!daemon || Finished(pod)) co_return false;
  api::Request get;
  get.verb = api::Verb::kGet;
  get.resource = env_.kinds.ByName("daemonsets");
  get.ns = std::string(pod.ns());
  get.name = owner->name;
  const Response set = co_await Send(std::move(get));
  if (set.code != 200) {
    if (set.code == 404 && step.force) co_return false;
    Note(set.status.message.str(), pod, &out->errors);
  } else if (step.ignore_daemon_sets) {
    Note("ignoring DaemonSet-managed Pods", pod, &out->warnings);
  } else {
    Note("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", pod, &out->errors);
  }
  co_return true;
}

// drain.go GetPodsForDeletion; filters.go. False, and the answer's error, if there is no list.
sim::Task<bool> Kubectl::FindPodsToDrain(const Step& step, ToDrain* out, StepOutcome* outcome) {
  api::Request list;
  list.verb = api::Verb::kList;
  list.resource = env_.kinds.ByName("pods");
  list.list.field_selector = "spec.nodeName=" + step.name;
  list.list.limit = 500;
  const Response found = co_await Send(std::move(list));
  if (found.code != 200) {
    outcome->error = ErrorText(found);
    co_return false;
  }
  for (const Object& pod : found.items) {
    const bool daemons = co_await IsDaemons(pod, step, out);
    if (daemons || pod.annotations().Has("kubernetes.io/config.mirror")) continue;
    const bool orphan = !pod.controller() && !Finished(pod);
    if (orphan && !step.force) {
      Note(std::string(UnmanagedFatal(env_.compat)), pod, &out->errors);
      continue;
    }
    if (orphan) Note("deleting Pods that declare no controller", pod, &out->warnings);
    out->evict.push_back(pod);
  }
  co_return true;
}

sim::Task<StepOutcome> Kubectl::Drain(const Step& step) {
  Step cordon = step;
  cordon.kind = StepKind::kCordon;
  StepOutcome outcome = co_await Cordon(cordon);
  if (!outcome.ok()) co_return outcome;
  ToDrain found;
  const bool listed = co_await FindPodsToDrain(step, &found, &outcome);
  if (!listed) co_return outcome;
  if (!found.errors.empty()) {
    outcome.error = UnableToDrain(step.name, Texts("cannot delete ", found.errors), env_.compat);
    co_return outcome;
  }
  if (!found.warnings.empty())
    outcome.lines.push_back(fmt::format("Warning: {}", fmt::join(Texts("", found.warnings), "; ")));
  const std::vector<std::string> failed = co_await EvictAll(found.evict, step, &outcome);
  if (failed.empty()) {
    outcome.lines.push_back(fmt::format("node/{} drained", step.name));
    co_return outcome;
  }
  ToDrain pending;
  co_await FindPodsToDrain(step, &pending, &outcome);
  if (!pending.evict.empty())
    outcome.lines.push_back(
        fmt::format("There are pending pods in node \"{}\" when an error occurred: {}", step.name,
                    Aggregate(failed)));
  for (const Object& pod : pending.evict)
    outcome.lines.push_back(fmt::format("pod/{}", pod.name()));
  outcome.error = UnableToDrain(step.name, failed, env_.compat);
  co_return outcome;
}

// drain.go evictPods, of one pod until it is accepted: a refusal for now (429) is tried again.
sim::Task<std::string> Kubectl::EvictUntilTaken(Object pod, const Step& step, VirtualTime deadline,
                                                StepOutcome* outcome) {
  const std::string what =
      fmt::format("error when evicting pods/\"{}\" -n \"{}\"", pod.name(), pod.ns());
  for (;;) {
    outcome->lines.push_back("evicting pod " + pod.key());
    if (env_.sim.now() >= deadline)
      co_return fmt::format("{}: global timeout reached: {}", what, FormatDuration(step.timeout));
    const Response response = co_await EvictOne(std::string(pod.ns()), std::string(pod.name()),
                                                step.grace_period_seconds);
    if (response.code == 404 || (response.code > 0 && response.code < 400)) co_return "";
    if (response.code != 429) co_return fmt::format("{}: {}", what, response.status.message);
    outcome->lines.push_back(fmt::format("{} (will retry after {}): {}", what,
                                         FormatDuration(kEvictionRetry), response.status.message));
    co_await env_.sim.Sleep(kEvictionRetry, sim::TimerKind::kWork, "eviction retry");
  }
}

// All are asked to go first, then looked for every second. What went wrong with them.
sim::Task<std::vector<std::string>> Kubectl::EvictAll(std::vector<Object> pods, const Step& step,
                                                      StepOutcome* outcome) {
  const VirtualTime deadline =
      step.timeout == Duration() ? VirtualTime::Max() : env_.sim.now() + step.timeout;
  std::vector<std::string> failed;
  std::vector<Object> asked;
  for (const Object& pod : pods) {
    std::string error = co_await EvictUntilTaken(pod, step, deadline, outcome);
    if (error.empty())
      asked.push_back(pod);
    else
      failed.push_back(std::move(error));
  }
  while (!asked.empty() && env_.sim.now() < deadline) {
    std::vector<Object> still;
    for (const Object& pod : asked) {
      api::Request get;
      get.verb = api::Verb::kGet;
      get.resource = env_.kinds.ByName("pods");
      get.ns = std::string(pod.ns());
      get.name = std::string(pod.name());
      const Response there = co_await Send(std::move(get));
      const bool gone = there.code == 404 || (there.code == 200 && there.object.uid() != pod.uid());
      if (gone)
        outcome->lines.push_back(fmt::format("pod/{} evicted", pod.name()));
      else if (there.code == 200)
        still.push_back(pod);
      else
        failed.push_back(Waiting(pod, ErrorText(there)));
    }
    asked = std::move(still);
    if (asked.empty()) break;
    co_await env_.sim.Sleep(kLook, sim::TimerKind::kWork, "drain");
  }
  for (const Object& pod : asked) failed.push_back(Waiting(pod, "context deadline exceeded"));
  co_return failed;
}

}  // namespace ksim::scenario
