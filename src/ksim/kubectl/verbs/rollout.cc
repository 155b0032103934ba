// kubectl rollout status, pause, resume and restart; history and undo are in rollout_history.cc.
//
// Source: kubectl pkg/cmd/rollout/rollout_*.go; pkg/polymorphichelpers/{objectpauser,objectresumer,
// objectrestarter}.go.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/rollout_history.h"
#include "ksim/kubectl/verbs/rollout_status.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubectl {
namespace {

using value::Path;
using value::Value;

// --- status ------------------------------------------------------------------------------------

// Adds the object's state. True: there is nothing more to wait for.
bool AddState(const api::Object& object, std::int64_t revision, CommandOutput* output) {
  const RolloutState state = RolloutStateOf(object, revision);
  if (!state.error.empty()) output->error = "error: " + state.error;
  if (state.error.empty()) output->lines.push_back(state.text);
  return state.done || !state.error.empty();
}

// One list and one watch of the object. True: the command is over.
sim::Task<bool> FollowStatus(Session& session, Session::Info info, const RolloutOptions& options,
                             std::optional<VirtualTime> deadline, CommandOutput* output) {
  const std::string by_name = "metadata.name=" + options.target.name;
  api::ListOptions list;
  list.field_selector = by_name;
  api::Result<client::ListResult> listed =
      co_await session.client().List(info, options.target.ns, list);
  if (!listed.ok()) co_return false;
  for (const api::Object& object : listed->items) {
    if (AddState(object, options.revision, output)) co_return true;
  }
  api::ListOptions watch;
  watch.field_selector = by_name;
  watch.resource_version = std::to_string(listed->resource_version);
  watch.allow_watch_bookmarks = true;
  if (deadline) {
    const std::int64_t left = (*deadline - session.env().sim.SteadyNow()).ns();
    watch.timeout_seconds = std::max<std::int64_t>(1, (left + 999'999'999) / 1'000'000'000);
  }
  api::Result<std::unique_ptr<client::WatchStream>> opened =
      co_await session.client().Watch(info, options.target.ns, watch);
  if (!opened.ok()) co_return false;
  const std::unique_ptr<client::WatchStream> stream = std::move(opened).value();
  while (true) {
    std::optional<api::WatchEvent> event = co_await stream->Next();
    if (!event || event->type == api::WatchEventType::kError) co_return false;
    if (event->type == api::WatchEventType::kBookmark) continue;
    if (event->type == api::WatchEventType::kDeleted) {
      output->error = "error: object has been deleted";
      co_return true;
    }
    if (AddState(event->object, options.revision, output)) co_return true;
  }
}

sim::Task<void> ShowStatus(Session& session, Session::Info info, const RolloutOptions& options,
                           CommandOutput* output) {
  sim::Simulation& sim = session.env().sim;
  std::optional<VirtualTime> deadline;
  if (options.timeout > Duration()) deadline = sim.SteadyNow() + options.timeout;
  while (true) {
    const bool over = co_await FollowStatus(session, info, options, deadline, output);
    if (over) co_return;
    if (deadline && sim.SteadyNow() >= *deadline) break;
    // As a reflector whose watch has ended.
    co_await sim.Sleep(Seconds(1), sim::TimerKind::kWork, "watch again");
  }
  output->error = "error: timed out waiting for the condition";
}

// The answer to a change may have been lost; the change may be there all the same.
void NoteUnlessRefused(const api::Response& answer, const std::string& change,
                       EarlierTries& tries) {
  if (answer.code == 0 || answer.code >= 500) tries.Note(change);
}

// --- pause, resume, restart --------------------------------------------------------------------

// The patch of the command, or why there is none.
Value MarkingPatch(Session& session, const std::string& command, const api::Object& object,
                   std::string* refusal) {
  const bool paused = object.spec().Get("paused").AsBool();
  if (command == "restart") {
    if (paused) *refusal = "can't restart paused deployment (run rollout resume first)";
    const VirtualTime now = session.client().connection().process().Now();
    static const Path kRestartedAt{"spec", "template", "metadata", "annotations",
                                   "kubectl.kubernetes.io/restartedAt"};
    return Value::EmptyObject().Set(kRestartedAt, value::TimestampValue(now));
  }
  const bool pause = command == "pause";
  if (paused == pause) *refusal = pause ? "is already paused" : "is not paused";
  return value::Obj({{"spec", value::Obj({{"paused", pause ? Value::Of(true) : Value()}})}});
}

sim::Task<void> MarkRollout(Session& session, Session::Info info, const RolloutOptions& options,
                            api::Object object, EarlierTries& tries, CommandOutput* output) {
  const Target& target = options.target;
  std::string refusal;
  const Value patch = MarkingPatch(session, options.command, object, &refusal);
  const char* const done = options.command == "restart" ? "restarted"
                           : options.command == "pause" ? "paused"
                                                        : "resumed";
  const std::string told = fmt::format("{} {}", SlashedName(*info, target.name), done);
  if (!refusal.empty() && tries.Had(options.command)) {
    output->lines.push_back(told);
    co_return;
  }
  if (!refusal.empty()) {
    output->error =
        fmt::format("error: {} \"{}\" {}", info->group_resource(), target.name, refusal);
    co_return;
  }
  const api::Response after = co_await session.Patch(
      info, target.ns, target.name, patch, api::PatchType::kStrategic, "", "kubectl-rollout");
  NoteUnlessRefused(after, options.command, tries);
  AddWarnings(after, output);
  if (HasFailed(after)) {
    output->error = ErrorText(after);
    co_return;
  }
  output->lines.push_back(told);
}

}  // namespace

sim::Task<CommandOutput> Rollout(Session& session, const RolloutOptions& options,
                                 EarlierTries& tries) {
  CommandOutput output;
  Session::Info info = session.ResourceOf(options.target);
  const api::Response found =
      co_await session.GetNamed(info, options.target.ns, options.target.name);
  if (found.code != 200) {
    output.error = ErrorText(found);
    co_return output;
  }
  if (options.command == "status") {
    co_await ShowStatus(session, info, options, &output);
  } else if (options.command == "history") {
    co_await ShowHistory(session, info, options, &output);
  } else if (options.command == "undo") {
    co_await UndoRollout(session, info, options, tries, &output);
  } else {
    co_await MarkRollout(session, info, options, found.object, tries, &output);
  }
  co_return output;
}

}  // namespace ksim::kubectl
