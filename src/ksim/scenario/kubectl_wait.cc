// kubectl delete and kubectl wait, and what they wait for.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "ksim/scenario/kubectl.h"

namespace ksim::scenario {

using api::Object;
using api::Request;
using api::Response;
using value::Value;

namespace {

std::string Propagation(const std::string& cascade) {
  if (cascade == "orphan") return "Orphan";
  return cascade == "foreground" ? "Foreground" : "Background";
}

bool SameLetters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(x) == absl::ascii_tolower(y);
  });
}

// Whether whoever reports the condition has not yet seen the object as it is now
// (getObservedGeneration).
bool IsStale(const Object& object, const Value& condition) {
  const Value generation = object.tree().Get("metadata").Get("generation");
  const Value& seen = condition.Has("observedGeneration")
                          ? condition.Get("observedGeneration")
                          : object.status().Get("observedGeneration");
  return generation.is_int() && seen.is_int() && seen.AsInt() < generation.AsInt();
}

// condition=Ready or condition=Ready=False on status.conditions (wait.go checkCondition).
bool HasCondition(const Object& object, std::string_view wanted) {
  wanted.remove_prefix(std::string_view("condition=").size());
  const std::size_t equals = wanted.find('=');
  const std::string_view type = wanted.substr(0, equals);
  const std::string_view status =
      equals == std::string_view::npos ? "true" : wanted.substr(equals + 1);
  for (const Value& condition : object.status().Get("conditions").items()) {
    if (!SameLetters(condition.Get("type").AsString(), type)) continue;
    return !IsStale(object, condition) && SameLetters(condition.Get("status").AsString(), status);
  }
  return false;
}

bool Satisfied(const Step& step, const Object& object) {
  if (!step.wait_for.empty() && step.wait_for != "delete")
    return HasCondition(object, step.wait_for);
  return step.wait_for.empty() && step.where.Matches(object.ToTree());
}

}  // namespace

sim::Task<Response> Kubectl::DeleteOne(Info info, std::string ns, std::string name,
                                       const Step& step) {
  Request request;
  request.verb = api::Verb::kDelete;
  request.resource = info;
  request.ns = info->namespaced ? std::move(ns) : std::string();
  request.name = std::move(name);
  request.del.propagation_policy = Propagation(step.cascade);
  request.del.grace_period_seconds = step.grace_period_seconds;
  co_return co_await Send(std::move(request));
}

sim::Task<bool> Kubectl::UntilGone(Info info, std::string ns, std::string name, std::string uid) {
  const std::string scope = info->namespaced ? ns : std::string();
  while (true) {
    api::ListOptions options;
    options.field_selector = "metadata.name=" + name;
    api::Result<client::ListResult> list = co_await client_.List(info, scope, options);
    if (!list.ok()) co_return false;
    const bool there = !list->items.empty() && list->items.front().uid() == uid;
    if (!there) co_return true;
    options.resource_version = std::to_string(list->resource_version);
    api::Result<std::unique_ptr<client::WatchStream>> watch =
        co_await client_.Watch(info, scope, options);
    if (!watch.ok()) co_return false;
    const std::unique_ptr<client::WatchStream> stream = std::move(watch).value();
    while (true) {
      std::optional<api::WatchEvent> event = co_await stream->Next();
      if (!event || event->type == api::WatchEventType::kError) break;
      if (event->type == api::WatchEventType::kDeleted) co_return true;
    }
  }
}

sim::Task<std::vector<Kubectl::Doomed>> Kubectl::FindDoomed(const Step& step,
                                                            StepOutcome* outcome) {
  std::vector<Doomed> doomed;
  for (const Manifest& manifest : step.objects) {
    Info info = Resolve(manifest.tree, outcome);
    if (info == nullptr) co_return doomed;
    const Object object = Prepared(info, manifest);
    doomed.emplace_back(info, object.ns(), object.name());
  }
  if (step.resource.empty()) co_return doomed;
  Info info = env_.kinds.ByName(step.resource);
  if (!step.name.empty()) {
    doomed.emplace_back(info, step.ns, step.name);
    co_return doomed;
  }
  const Response found = co_await Targets(info, step);
  if (found.code != 200) outcome->error = ErrorText(found);
  for (const Object& o : found.items) {
    if (step.limit && static_cast<std::int64_t>(doomed.size()) >= *step.limit) break;
    doomed.emplace_back(info, o.ns(), o.name());
  }
  if (doomed.empty() && outcome->ok()) outcome->lines.push_back("No resources found");
  co_return doomed;
}

sim::Task<StepOutcome> Kubectl::Delete(const Step& step, EarlierTries& tries) {
  StepOutcome outcome;
  if (step.grace_period_seconds == 0)  // as with --force
    outcome.lines.emplace_back(
        "Warning: Immediate deletion does not wait for confirmation that the running resource has "
        "been terminated. The resource may continue to run on the cluster indefinitely.");
  std::vector<Doomed> doomed = co_await FindDoomed(step, &outcome);
  if (!outcome.ok()) co_return outcome;
  for (Doomed& target : doomed) {
    const Response response = co_await DeleteOne(target.info, target.ns, target.name, step);
    if (!tries.Settled(ObjectPath(*target.info, target.ns, target.name), response)) {
      outcome.error = ErrorText(response, step.resource.empty() ? "deleting" : "");
      co_return outcome;
    }
    target.gone = response.code == 404;
    target.uid = response.status.details->uid;
    if (!response.object.empty()) target.uid = std::string(response.object.uid());
    std::string kind = target.info->singular;
    if (!target.info->group.empty()) kind += "." + target.info->group;
    // delete.go PrintObj; the namespace is new after 1.30.
    const bool where = env_.compat == api::Compat::k1_36 && target.info->namespaced;
    outcome.lines.push_back(fmt::format("{} \"{}\" {}deleted{}", kind, target.name,
                                        step.grace_period_seconds == 0 ? "force " : "",
                                        where ? fmt::format(" from {} namespace", target.ns) : ""));
  }
  for (const Doomed& target : doomed) {
    if (!step.wait) break;
    if (target.gone) continue;
    const bool gone = co_await UntilGone(target.info, target.ns, target.name, target.uid);
    if (!gone) outcome.error = fmt::format("error: cannot watch {}", target.name);
  }
  co_return outcome;
}

sim::Task<StepOutcome> Kubectl::Wait(const Step& step) {
  StepOutcome outcome;
  Info info = env_.kinds.ByName(step.resource);
  const VirtualTime deadline = env_.sim.now() + step.timeout;
  const Response found = co_await Targets(info, step);
  if (found.code == 404 && step.wait_for == "delete") co_return outcome;
  if (found.code != 200) outcome.error = ErrorText(found);
  if (found.code == 200 && found.items.empty() && step.wait_for != "delete")
    outcome.error = "error: no matching resources found";
  for (const Object& target : found.items) {
    if (!outcome.ok()) break;
    co_await WaitForOne(info, target, step, deadline, &outcome);
  }
  co_return outcome;
}

sim::Task<void> Kubectl::WaitForOne(Info info, Object target, const Step& step,
                                    VirtualTime deadline, StepOutcome* outcome) {
  const std::string slashed = Slashed(*info, target.name());
  while (env_.sim.now() < deadline) {
    api::ListOptions options;
    options.field_selector = "metadata.name=" + std::string(target.name());
    api::Result<client::ListResult> list =
        co_await client_.List(info, std::string(target.ns()), options);
    if (!list.ok()) {
      outcome->error = "Error from server: " + list.status().message;
      co_return;
    }
    const bool gone = list->items.empty() || list->items.front().uid() != target.uid();
    bool met = gone && step.wait_for == "delete";
    if (gone && !met) {
      outcome->error = "error: " + slashed + " is gone";
      co_return;
    }
    if (!gone) met = Satisfied(step, list->items.front());
    if (!met && env_.sim.now() < deadline) {
      met = co_await WatchUntil(info, target, step, list->resource_version,
                                deadline - env_.sim.now(), outcome);
    }
    if (met) outcome->lines.push_back(slashed + " condition met");
    if (met || !outcome->ok()) co_return;
  }
  // pkg/cmd/wait/wait.go extendErrWaitTimeout, over apimachinery's words for any time-out.
  outcome->error = fmt::format("error: timed out waiting for the condition on {}/{}",
                               info->resource, target.name());
}

sim::Task<bool> Kubectl::WatchUntil(Info info, Object target, const Step& step, std::int64_t rv,
                                    Duration left, StepOutcome* outcome) {
  api::ListOptions options;
  options.field_selector = "metadata.name=" + std::string(target.name());
  options.resource_version = std::to_string(rv);
  options.timeout_seconds = (left.ns() + 999'999'999) / 1'000'000'000;
  api::Result<std::unique_ptr<client::WatchStream>> watch =
      co_await client_.Watch(info, std::string(target.ns()), options);
  if (!watch.ok()) {
    outcome->error = "Error from server: " + watch.status().message;
    co_return false;
  }
  const std::unique_ptr<client::WatchStream> stream = std::move(watch).value();
  while (true) {
    std::optional<api::WatchEvent> event = co_await stream->Next();
    if (!event || event->type == api::WatchEventType::kError) co_return false;
    if (event->type == api::WatchEventType::kDeleted) co_return step.wait_for == "delete";
    const bool met = Satisfied(step, event->object);
    if (met) co_return true;
  }
}

}  // namespace ksim::scenario
