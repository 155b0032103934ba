// kubectl rollout status, history, undo, pause, resume and restart.
//
// Source: kubectl pkg/cmd/rollout/rollout_*.go; pkg/polymorphichelpers/{history,rollback,
// objectpauser,objectresumer,objectrestarter}.go.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "ksim/api/schema/template_text.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/printing/tab_writer.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/rollout_status.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/selector.h"
#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubectl {
namespace {

using value::Path;
using value::Value;

constexpr const char* kHashLabel = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kChangeCauseAnnotation = "kubernetes.io/change-cause";

// annotationsToSkip of rollback.go.
bool StaysInRollback(std::string_view annotation) {
  constexpr std::string_view kStay[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                        kRevision,
                                        "deployment.kubernetes.io/revision-history",
                                        "deployment.kubernetes.io/desired-replicas",
                                        "deployment.kubernetes.io/max-replicas",
                                        "deprecated.deployment.rollback.to"};
  return std::find(std::begin(kStay), std::end(kStay), annotation) != std::end(kStay);
}

// nullopt: the annotation is no number.
std::optional<std::int64_t> RevisionOfSet(const api::Object& set) {
  const std::string_view text = set.Annotation(kRevision);
  if (text.empty()) return 0;
  return value::ParseGoInt(text);
}

Value TemplateWithoutHash(const api::Object& object) {
  static const Path kHash{"metadata", "labels", kHashLabel};
  return object.spec().Get("template").Erase(kHash);
}

// The ReplicaSets that the Deployment controls, by age; an answer that is no list as it is.
sim::Task<api::Response> ListSets(Session& session, api::Object deployment) {
  const api::ResourceInfo* const info = session.env().kinds.ByName("replicasets");
  api::Request list = RequestFor(api::Verb::kList, info, std::string(deployment.ns()), "");
  const auto selector = value::LabelSelector::FromObject(deployment.spec().Get("selector"));
  if (selector.ok()) list.list.label_selector = selector->ToString();
  api::Response response = co_await session.Send(std::move(list));
  std::erase_if(response.items, [&deployment](const api::Object& set) {
    const std::optional<api::OwnerReference> owner = set.controller();
    return !owner || owner->uid != deployment.uid();
  });
  std::sort(response.items.begin(), response.items.end(),
            [](const api::Object& a, const api::Object& b) {
              const auto made_a = a.creation_time(), made_b = b.creation_time();
              return made_a != made_b ? made_a < made_b : a.name() < b.name();
            });
  co_return response;
}

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
    const std::int64_t left = (*deadline - session.env().sim.now()).ns();
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
  if (options.timeout > Duration()) deadline = sim.now() + options.timeout;
  while (true) {
    const bool over = co_await FollowStatus(session, info, options, deadline, output);
    if (over) co_return;
    if (deadline && sim.now() >= *deadline) break;
    // As a reflector whose watch has ended.
    co_await sim.Sleep(Seconds(1), sim::TimerKind::kWork, "watch again");
  }
  output->error = "error: timed out waiting for the condition";
}

// --- history -----------------------------------------------------------------------------------

sim::Task<void> ShowHistory(Session& session, Session::Info info, const RolloutOptions& options,
                            CommandOutput* output) {
  const Target& target = options.target;
  const api::Response again = co_await session.GetNamed(info, target.ns, target.name);
  if (again.code != 200) {
    output->error = ErrorText(again);
    co_return;
  }
  const api::Response sets = co_await ListSets(session, again.object);
  if (sets.code != 200) {
    output->error = ErrorText(sets);
    co_return;
  }
  std::map<std::int64_t, std::string> causes;
  for (const api::Object& set : sets.items) {
    const std::optional<std::int64_t> revision = RevisionOfSet(set);
    const std::string_view cause = set.Annotation(kChangeCauseAnnotation);
    if (revision) causes[*revision] = cause.empty() ? "<none>" : std::string(cause);
  }
  output->lines.push_back(SlashedName(*info, target.name) + " ");
  if (causes.empty()) {
    output->lines.back() += "\nNo rollout history found.";
    co_return;
  }
  TabWriter table;
  table.Write(0, "REVISION\tCHANGE-CAUSE\n");
  for (const auto& [revision, cause] : causes) table.Write(0, "{}\t{}\n", revision, cause);
  output->lines.back() += "\n" + table.Take();
}

// --- undo --------------------------------------------------------------------------------------

// The ReplicaSet of the revision, of the one before if it is 0; an error else (deploymentRevision).
const api::Object* FindRevision(const std::vector<api::Object>& sets, std::int64_t revision,
                                std::string_view deployment, std::string* error) {
  const api::Object *latest = nullptr, *previous = nullptr;
  std::int64_t latest_revision = -1, previous_revision = -1;
  for (const api::Object& set : sets) {
    const std::optional<std::int64_t> its = RevisionOfSet(set);
    if (!its) continue;
    if (revision != 0 && *its == revision) return &set;
    if (*its > latest_revision) {
      previous = latest;
      previous_revision = latest_revision;
      latest = &set;
      latest_revision = *its;
    } else if (*its > previous_revision) {
      previous = &set;
      previous_revision = *its;
    }
  }
  if (revision == 0 && previous != nullptr) return previous;
  *error = revision != 0
               ? fmt::format("error: unable to find specified revision {} in history", revision)
               : fmt::format("error: no rollout history found for deployment \"{}\"", deployment);
  return nullptr;
}

Value UndoPatch(const api::Object& deployment, const api::Object& set) {
  value::ObjectBuilder annotations;
  for (const Value::Member& own : deployment.annotations().members())
    if (StaysInRollback(own.name.text())) annotations.Add(own.name, own.value);
  for (const Value::Member& its : set.annotations().members())
    if (!StaysInRollback(its.name.text())) annotations.Add(its.name, its.value);
  const auto replace = [](const char* path, Value v) {
    return value::Obj(
        {{"op", Value::Of("replace")}, {"path", Value::Of(path)}, {"value", std::move(v)}});
  };
  return value::Arr({replace("/spec/template", TemplateWithoutHash(set)),
                     replace("/metadata/annotations", annotations.Build())});
}

// The answer to a change may have been lost; the change may be there all the same.
void NoteUnlessRefused(const api::Response& answer, const std::string& change,
                       EarlierTries& tries) {
  if (answer.code == 0 || answer.code >= 500) tries.Note(change);
}

sim::Task<void> Undo(Session& session, Session::Info info, const RolloutOptions& options,
                     EarlierTries& tries, CommandOutput* output) {
  const Target& target = options.target;
  const api::Response again = co_await session.GetNamed(info, target.ns, target.name);
  if (again.code != 200) {
    output->error = ErrorText(again);
    co_return;
  }
  const api::Object& deployment = again.object;
  const api::Response sets = co_await ListSets(session, deployment);
  if (sets.code != 200) {
    output->error = ErrorText(sets);
    co_return;
  }
  const std::string name = SlashedName(*info, target.name);
  const api::Compat compat = session.env().compat;
  for (const api::Object& tried : sets.items) {
    if (!tries.Had(fmt::format("undo to {}", tried.uid()))) continue;
    if (!api::SameTemplates(TemplateWithoutHash(tried), TemplateWithoutHash(deployment), compat))
      continue;
    output->lines.push_back(name + " rolled back");
    co_return;
  }
  const api::Object* const set =
      FindRevision(sets.items, options.revision, target.name, &output->error);
  if (set == nullptr) co_return;
  if (deployment.spec().Get("paused").AsBool()) {
    output->error =
        "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout "
        "resume' and try again";
    co_return;
  }
  if (api::SameTemplates(TemplateWithoutHash(*set), TemplateWithoutHash(deployment), compat)) {
    output->lines.push_back(
        fmt::format("{} skipped rollback (current template already matches revision {})", name,
                    options.revision));
    co_return;
  }
  const Value patch = UndoPatch(deployment, *set);
  const api::Response after =
      co_await session.Patch(info, target.ns, target.name, patch, api::PatchType::kJson, "", "");
  AddWarnings(after, output);
  if (HasFailed(after)) {
    output->error = ErrorText(after);
    co_return;
  }
  output->lines.push_back(name + " rolled back");
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
    co_await Undo(session, info, options, tries, &output);
  } else {
    co_await MarkRollout(session, info, options, found.object, tries, &output);
  }
  co_return output;
}

}  // namespace ksim::kubectl
