// kubectl wait.
//
// Source: kubectl pkg/cmd/wait/{wait,condition,delete}.go.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

using value::Value;

bool IsSameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(x) == absl::ascii_tolower(y);
  });
}

// True if the reporter of the condition has not yet seen the object as it is now
// (getObservedGeneration).
bool IsStaleCondition(const api::Object& object, const Value& condition) {
  const Value generation = object.tree().Get("metadata").Get("generation");
  const Value& seen = condition.Has("observedGeneration")
                          ? condition.Get("observedGeneration")
                          : object.status().Get("observedGeneration");
  return generation.is_int() && seen.is_int() && seen.AsInt() < generation.AsInt();
}

// condition=Ready or condition=Ready=False on status.conditions (checkCondition).
bool HasCondition(const api::Object& object, std::string_view wanted) {
  wanted.remove_prefix(std::string_view("condition=").size());
  const std::size_t equals = wanted.find('=');
  const std::string_view type = wanted.substr(0, equals);
  const std::string_view status =
      equals == std::string_view::npos ? "true" : wanted.substr(equals + 1);
  for (const Value& condition : object.status().Get("conditions").items()) {
    if (!IsSameIgnoringCase(condition.Get("type").AsString(), type)) continue;
    return !IsStaleCondition(object, condition) &&
           IsSameIgnoringCase(condition.Get("status").AsString(), status);
  }
  return false;
}

bool IsMet(const WaitOptions& options, const api::Object& object) {
  if (!options.wait_for.empty() && options.wait_for != "delete")
    return HasCondition(object, options.wait_for);
  return options.wait_for.empty() && options.where.Matches(object.ToTree());
}

// Watches one object from a version on until it is as wanted. False: the watch ended before.
sim::Task<bool> WatchUntilMet(Session& session, Session::Info info, api::Object target,
                              const WaitOptions& wait, std::int64_t rv, Duration left,
                              CommandOutput* output) {
  api::ListOptions options;
  options.field_selector = "metadata.name=" + std::string(target.name());
  options.resource_version = std::to_string(rv);
  options.timeout_seconds = (left.ns() + 999'999'999) / 1'000'000'000;
  api::Result<std::unique_ptr<client::WatchStream>> watch =
      co_await session.client().Watch(info, std::string(target.ns()), options);
  if (!watch.ok()) {
    output->error = "Error from server: " + watch.status().message;
    co_return false;
  }
  const std::unique_ptr<client::WatchStream> stream = std::move(watch).value();
  while (true) {
    std::optional<api::WatchEvent> event = co_await stream->Next();
    if (!event || event->type == api::WatchEventType::kError) co_return false;
    if (event->type == api::WatchEventType::kDeleted) co_return wait.wait_for == "delete";
    const bool met = IsMet(wait, event->object);
    if (met) co_return true;
  }
}

// Waits until one object is as wanted, or the deadline; the output says so.
sim::Task<void> WaitForOne(Session& session, Session::Info info, api::Object target,
                           const WaitOptions& wait, VirtualTime deadline, CommandOutput* output) {
  sim::Simulation& sim = session.env().sim;
  const std::string slashed = SlashedName(*info, target.name());
  while (sim.now() < deadline) {
    api::ListOptions options;
    options.field_selector = "metadata.name=" + std::string(target.name());
    api::Result<client::ListResult> list =
        co_await session.client().List(info, std::string(target.ns()), options);
    if (!list.ok()) {
      output->error = "Error from server: " + list.status().message;
      co_return;
    }
    const bool gone = list->items.empty() || list->items.front().uid() != target.uid();
    bool met = gone && wait.wait_for == "delete";
    if (gone && !met) {
      output->error = "error: " + slashed + " is gone";
      co_return;
    }
    if (!gone) met = IsMet(wait, list->items.front());
    if (!met && sim.now() < deadline) {
      met = co_await WatchUntilMet(session, info, target, wait, list->resource_version,
                                   deadline - sim.now(), output);
    }
    if (met) output->lines.push_back(slashed + " condition met");
    if (met || !output->ok()) co_return;
  }
  // wait.go extendErrWaitTimeout, over apimachinery's words for any time-out.
  output->error = fmt::format("error: timed out waiting for the condition on {}/{}", info->resource,
                              target.name());
}

}  // namespace

sim::Task<CommandOutput> Wait(Session& session, const WaitOptions& options) {
  CommandOutput output;
  const bool for_delete = options.wait_for == "delete";
  Session::Info info = session.ResourceOf(options.target);
  const VirtualTime deadline = session.env().sim.now() + options.timeout;
  const api::Response found = co_await session.FindTargets(info, options.target);
  if (found.code == 404 && for_delete) co_return output;
  if (found.code != 200) output.error = ErrorText(found);
  if (found.code == 200 && found.items.empty() && !for_delete)
    output.error = "error: no matching resources found";
  for (const api::Object& target : found.items) {
    if (!output.ok()) break;
    co_await WaitForOne(session, info, target, options, deadline, &output);
  }
  co_return output;
}

}  // namespace ksim::kubectl
