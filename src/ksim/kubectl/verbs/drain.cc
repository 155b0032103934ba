// kubectl drain, and the eviction of one pod.
//
// Source: kubectl pkg/cmd/drain/drain.go, pkg/drain/{drain,filters}.go.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

using api::Object;
using api::Response;
using value::Value;

constexpr Duration kEvictionRetry = Seconds(5);
constexpr Duration kPollInterval = Seconds(1);  // for a pod that was evicted

std::string JoinedTexts(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

bool IsFinished(const Object& pod) {
  const std::string_view phase = pod.ToTree().Get("status").Get("phase").AsString();
  return phase == "Succeeded" || phase == "Failed";
}

// Messages in the order in which they came up, each with the pods (ns/name) that it is about.
using Messages = std::vector<std::pair<std::string, std::vector<std::string>>>;

void AddMessage(std::string message, const Object& pod, Messages* out) {
  for (auto& [known, pods] : *out) {
    if (known != message) continue;
    pods.push_back(pod.key());
    return;
  }
  out->emplace_back(std::move(message), std::vector<std::string>{pod.key()});
}

std::vector<std::string> MessageTexts(std::string_view prefix, const Messages& messages) {
  std::vector<std::string> out;
  for (const auto& [message, pods] : messages)
    out.push_back(fmt::format("{}{}: {}", prefix, message, JoinedTexts(pods)));
  return out;
}

// utilerrors.Aggregate.
std::string AggregateText(const std::vector<std::string>& errors) {
  return errors.size() == 1 ? errors.front() : fmt::format("[{}]", JoinedTexts(errors));
}

std::string WaitingError(const Object& pod, std::string_view error) {
  return fmt::format("error when waiting for pod \"{}\" in namespace \"{}\" to terminate: {}",
                     pod.name(), pod.ns(), error);
}

// The error that the command ends with (drain.go RunDrain).
std::string UnableToDrainError(const std::string& node, const std::vector<std::string>& errors,
                               const Profile& profile) {
  return fmt::format(
      "error: unable to drain node \"{}\" due to error:{}{}, continuing command...\n"
      "There are pending nodes to be drained:\n {}\n{}",
      node, profile.drain_error_after_blank ? " " : "", AggregateText(errors), node,
      fmt::join(errors, "\n"));
}

// The pods of a node, by what drain does with them.
struct PodsToDrain {
  PodsToDrain() = default;
  std::vector<Object> evict;
  Messages errors, warnings;
};

sim::Task<Response> EvictOne(Session& session, std::string ns, std::string name,
                             std::optional<std::int64_t> grace) {
  api::Request request =
      RequestFor(api::Verb::kCreate, session.env().kinds.ByName("pods"), ns, name);
  request.subresource = "eviction";
  value::ObjectBuilder options;
  if (grace) options.Add("gracePeriodSeconds", Value::Of(*grace));
  request.body = value::Obj(
      {{"apiVersion", Value::Of("policy/v1")},
       {"kind", Value::Of("Eviction")},
       {"metadata", value::Obj({{"name", Value::Of(name)}, {"namespace", Value::Of(ns)}})},
       {"deleteOptions", options.Build()}});
  co_return co_await session.Send(std::move(request));
}

// True if the pod is left where it is, or refused, as a DaemonSet's (filters.go
// daemonSetFilter).
sim::Task<bool> IsOfDaemonSet(Session& session, Object pod, const DrainOptions& options,
                              PodsToDrain* out) {
  const auto owner = pod.controller();
  const bool daemon = owner && owner->kind == "DaemonSet" && owner->api_version == "apps/v1";
  if (!daemon || IsFinished(pod)) co_return false;
  api::Request get = RequestFor(api::Verb::kGet, session.env().kinds.ByName("daemonsets"),
                                std::string(pod.ns()), owner->name);
  const Response set = co_await session.Send(std::move(get));
  if (set.code != 200) {
    if (set.code == 404 && options.force) co_return false;
    AddMessage(set.status.message.str(), pod, &out->errors);
  } else if (options.ignore_daemon_sets) {
    AddMessage("ignoring DaemonSet-managed Pods", pod, &out->warnings);
  } else {
    AddMessage("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", pod, &out->errors);
  }
  co_return true;
}

// drain.go GetPodsForDeletion; filters.go. False, and the answer's error, if there is no list.
sim::Task<bool> FindPodsToDrain(Session& session, const DrainOptions& options, PodsToDrain* out,
                                CommandOutput* output) {
  api::Request list = RequestFor(api::Verb::kList, session.env().kinds.ByName("pods"), "", "");
  list.list.field_selector = "spec.nodeName=" + options.node;
  list.list.limit = 500;
  const Response found = co_await session.Send(std::move(list));
  if (found.code != 200) {
    output->error = ErrorText(found);
    co_return false;
  }
  for (const Object& pod : found.items) {
    const bool daemon_set = co_await IsOfDaemonSet(session, pod, options, out);
    if (daemon_set || pod.annotations().Has("kubernetes.io/config.mirror")) continue;
    const bool orphan = !pod.controller() && !IsFinished(pod);
    if (orphan && !options.force) {
      AddMessage(std::string(session.profile().unmanaged_pods), pod, &out->errors);
      continue;
    }
    if (orphan) AddMessage("deleting Pods that declare no controller", pod, &out->warnings);
    out->evict.push_back(pod);
  }
  co_return true;
}

// Evicts one pod until that is accepted: a refusal for now (429) is tried again (drain.go
// evictPods). Returns the error, "" for none.
sim::Task<std::string> EvictUntilAccepted(Session& session, Object pod, const DrainOptions& options,
                                          VirtualTime deadline, CommandOutput* output) {
  const std::string what =
      fmt::format("error when evicting pods/\"{}\" -n \"{}\"", pod.name(), pod.ns());
  for (;;) {
    output->lines.push_back("evicting pod " + pod.key());
    if (session.env().sim.SteadyNow() >= deadline)
      co_return fmt::format("{}: global timeout reached: {}", what,
                            FormatDuration(options.timeout));
    const Response response = co_await EvictOne(
        session, std::string(pod.ns()), std::string(pod.name()), options.grace_period_seconds);
    if (response.code == 404 || (response.code > 0 && response.code < 400)) co_return "";
    if (response.code != 429) co_return fmt::format("{}: {}", what, response.status.message);
    output->lines.push_back(fmt::format("{} (will retry after {}): {}", what,
                                        FormatDuration(kEvictionRetry), response.status.message));
    co_await session.env().sim.Sleep(kEvictionRetry, sim::TimerKind::kWork, "eviction retry");
  }
}

// Evicts all pods, and then looks for them every second. Returns the errors.
sim::Task<std::vector<std::string>> EvictAll(Session& session, std::vector<Object> pods,
                                             const DrainOptions& options, CommandOutput* output) {
  const VirtualTime deadline = options.timeout == Duration()
                                   ? VirtualTime::Max()
                                   : session.env().sim.SteadyNow() + options.timeout;
  std::vector<std::string> failed;
  std::vector<Object> asked;
  for (const Object& pod : pods) {
    std::string error = co_await EvictUntilAccepted(session, pod, options, deadline, output);
    if (error.empty())
      asked.push_back(pod);
    else
      failed.push_back(std::move(error));
  }
  while (!asked.empty() && session.env().sim.SteadyNow() < deadline) {
    std::vector<Object> still;
    for (const Object& pod : asked) {
      api::Request get = RequestFor(api::Verb::kGet, session.env().kinds.ByName("pods"),
                                    std::string(pod.ns()), std::string(pod.name()));
      const Response there = co_await session.Send(std::move(get));
      const bool gone = there.code == 404 || (there.code == 200 && there.object.uid() != pod.uid());
      if (gone)
        output->lines.push_back(fmt::format("pod/{} evicted", pod.name()));
      else if (there.code == 200)
        still.push_back(pod);
      else
        failed.push_back(WaitingError(pod, ErrorText(there)));
    }
    asked = std::move(still);
    if (asked.empty()) break;
    co_await session.env().sim.Sleep(kPollInterval, sim::TimerKind::kWork, "drain");
  }
  for (const Object& pod : asked) failed.push_back(WaitingError(pod, "context deadline exceeded"));
  co_return failed;
}

}  // namespace

sim::Task<CommandOutput> Evict(Session& session, const EvictOptions& options, EarlierTries& tries) {
  CommandOutput output;
  const Response response =
      co_await EvictOne(session, options.ns, options.name, options.grace_period_seconds);
  if (tries.IsSettled(fmt::format("{}/{}", options.ns, options.name), response))
    output.lines.push_back(fmt::format("pod/{} evicted", options.name));
  else
    output.error = ErrorText(response);
  co_return output;
}

sim::Task<CommandOutput> Drain(Session& session, const DrainOptions& options) {
  // No new pods come.
  CordonOptions cordon;
  cordon.node = options.node;
  CommandOutput output = co_await Cordon(session, cordon);
  if (!output.ok()) co_return output;

  // All pods of the node can go, or none does.
  PodsToDrain found;
  const bool listed = co_await FindPodsToDrain(session, options, &found, &output);
  if (!listed) co_return output;
  if (!found.errors.empty()) {
    output.error = UnableToDrainError(options.node, MessageTexts("cannot delete ", found.errors),
                                      session.profile());
    co_return output;
  }
  if (!found.warnings.empty())
    output.lines.push_back(
        fmt::format("Warning: {}", fmt::join(MessageTexts("", found.warnings), "; ")));
  const std::vector<std::string> failed = co_await EvictAll(session, found.evict, options, &output);
  if (failed.empty()) {
    output.lines.push_back(fmt::format("node/{} drained", options.node));
    co_return output;
  }

  // Some did not go.
  PodsToDrain pending;
  co_await FindPodsToDrain(session, options, &pending, &output);
  if (!pending.evict.empty())
    output.lines.push_back(
        fmt::format("There are pending pods in node \"{}\" when an error occurred: {}",
                    options.node, AggregateText(failed)));
  for (const Object& pod : pending.evict) output.lines.push_back(fmt::format("pod/{}", pod.name()));
  output.error = UnableToDrainError(options.node, failed, session.profile());
  co_return output;
}

}  // namespace ksim::kubectl
