#include "ksim/kubectl/verbs/rollout_history.h"

// Source: kubectl pkg/cmd/rollout/rollout_{history,undo}.go; pkg/polymorphichelpers/{history,
// rollback}.go; pkg/util/deployment/deployment.go.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/schema/template_text.h"
#include "ksim/kubectl/describe/describe.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/printing/tab_writer.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/value/selector.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::Path;
using value::Value;

constexpr const char* kHashLabel = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kChangeCauseAnnotation = "kubernetes.io/change-cause";

// A ReplicaSet or a ControllerRevision, which stands for one revision of what it belongs to.
struct Revision {
  Revision(std::int64_t n, Value t, const api::Object& o)
      : number(n), pod_template(std::move(t)), object(o) {}
  std::int64_t number;
  Value pod_template;
  api::Object object;
};

// The target as it is, and its revisions; `error` says why there are none.
struct History {
  History() = default;
  api::Object target;
  std::vector<Revision> revisions;
  std::string error;
};

bool IsDeployment(const api::Object& object) { return object.kind() == "Deployment"; }

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

Value WithoutTemplateHash(const Value& pod_template) {
  static const Path kHash{"metadata", "labels", kHashLabel};
  return pod_template.Erase(kHash);
}

// An error that one of kubectl's helpers wraps into a text of its own: a lost connection has no
// status, and a status no longer its reason.
std::string Wrapped(std::string_view what, const api::Response& answer) {
  return fmt::format("error: {}: {}", what,
                     answer.status.message.empty() ? ErrorText(answer) : answer.status.message);
}

// nullopt: the annotation is no number.
std::optional<Revision> RevisionOfSet(const api::Object& set) {
  const std::string_view text = set.Annotation(kRevision);
  const std::optional<std::int64_t> number = text.empty() ? 0 : value::ParseGoInt(text);
  if (!number) return std::nullopt;
  return Revision(*number, set.spec().Get("template"), set);
}

// The data of a ControllerRevision is a strategic merge patch that replaces the template.
Revision RevisionOfData(const api::Object& revision) {
  static const Path kTemplate{"data", "spec", "template"};
  return Revision(revision.tree().Get("revision").AsInt(),
                  revision.tree().Get(kTemplate).Erase("$patch"), revision);
}

std::string RetrievalError(const api::Object& target) {
  const std::string kind = IsDeployment(target) ? "replica sets from deployment " : "";
  if (!kind.empty()) return fmt::format("failed to retrieve {}{}", kind, target.name());
  return fmt::format("unable to find history controlled by {} {}", target.kind(), target.name());
}

// ReplicaSets by age, ControllerRevisions in the order of the list.
sim::Task<History> ReadHistory(Session& session, Session::Info info, Target target) {
  History out;
  const api::Response again = co_await session.GetNamed(info, target.ns, target.name);
  if (again.code != 200) {
    // Each helper spells its kind in its own way.
    const std::string kind = info->kind == "StatefulSet" ? "Statefulset" : info->kind;
    out.error = Wrapped(fmt::format("failed to retrieve {} {}", kind, target.name), again);
    co_return out;
  }
  out.target = again.object;
  const bool by_sets = IsDeployment(out.target);
  const api::ResourceInfo* const kind =
      session.env().kinds.ByName(by_sets ? "replicasets" : "controllerrevisions");
  api::Request list = RequestFor(api::Verb::kList, kind, out.target.ns(), "");
  const auto selector = value::LabelSelector::FromObject(out.target.spec().Get("selector"));
  if (selector.ok()) list.list.label_selector = selector->ToString();
  api::Response response = co_await session.Send(std::move(list));
  if (response.code != 200) {
    out.error = Wrapped(RetrievalError(out.target), response);
    co_return out;
  }
  for (const api::Object& object : response.items) {
    const std::optional<api::OwnerReference> owner = object.controller();
    if (!owner || owner->uid != out.target.uid()) continue;
    std::optional<Revision> revision = by_sets ? RevisionOfSet(object) : RevisionOfData(object);
    if (revision) out.revisions.push_back(*std::move(revision));
  }
  if (by_sets) {
    std::sort(out.revisions.begin(), out.revisions.end(), [](const Revision& a, const Revision& b) {
      const auto made_a = a.object.creation_time(), made_b = b.object.creation_time();
      return made_a != made_b ? made_a < made_b : a.object.name() < b.object.name();
    });
  }
  co_return out;
}

// --- history -----------------------------------------------------------------------------------

// The template of a Deployment's revision is shown with the cause of the change.
Value ShownTemplate(const Revision& revision) {
  const std::string_view cause = revision.object.Annotation(kChangeCauseAnnotation);
  if (cause.empty() || revision.object.kind() != "ReplicaSet") return revision.pod_template;
  static const Path kCause{"metadata", "annotations", value::PathStep(kChangeCauseAnnotation)};
  return revision.pod_template.Set(kCause, Value::String(cause));
}

std::string HistoryTable(const std::map<std::int64_t, const Revision*>& revisions) {
  TabWriter table;
  table.Write(0, "REVISION\tCHANGE-CAUSE\n");
  for (const auto& [number, revision] : revisions) {
    const std::string_view cause = revision->object.Annotation(kChangeCauseAnnotation);
    table.Write(0, "{}\t{}\n", number, cause.empty() ? "<none>" : cause);
  }
  return table.Take();
}

// --- undo --------------------------------------------------------------------------------------

// deploymentRevision: the revision that is asked for, the one before the latest if it is 0.
const Revision* RevisionOfDeployment(const History& history, std::int64_t wanted,
                                     std::string* error) {
  const Revision *latest = nullptr, *previous = nullptr;
  for (const Revision& revision : history.revisions) {
    if (wanted != 0 && revision.number == wanted) return &revision;
    if (latest == nullptr || revision.number > latest->number) {
      previous = std::exchange(latest, &revision);
    } else if (previous == nullptr || revision.number > previous->number) {
      previous = &revision;
    }
  }
  if (wanted == 0 && previous != nullptr) return previous;
  *error = wanted != 0
               ? fmt::format("error: unable to find specified revision {} in history", wanted)
               : fmt::format("error: no rollout history found for deployment \"{}\"",
                             history.target.name());
  return nullptr;
}

// findHistory.
const Revision* RevisionOfSetKind(const History& history, std::int64_t wanted, std::string* error) {
  if (wanted == 0 && history.revisions.size() <= 1) {
    *error = "error: no last revision to roll back to";
    return nullptr;
  }
  std::vector<const Revision*> sorted;
  for (const Revision& revision : history.revisions) sorted.push_back(&revision);
  if (wanted == 0) {
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Revision* a, const Revision* b) { return a->number < b->number; });
    return sorted[sorted.size() - 2];
  }
  const auto found = std::find_if(sorted.begin(), sorted.end(), [wanted](const Revision* revision) {
    return revision->number == wanted;
  });
  if (found != sorted.end()) return *found;
  *error = fmt::format("error: unable to find specified revision {} in history", wanted);
  return nullptr;
}

// getDeploymentPatch.
Value UndoPatch(const api::Object& deployment, const Revision& revision) {
  value::ObjectBuilder annotations;
  for (const Value::Member& own : deployment.annotations().members())
    if (StaysInRollback(own.name.text())) annotations.Add(own.name, own.value);
  for (const Value::Member& its : revision.object.annotations().members())
    if (!StaysInRollback(its.name.text())) annotations.Add(its.name, its.value);
  const auto replace = [](const char* path, Value v) {
    return value::Obj(
        {{"op", Value::Of("replace")}, {"path", Value::Of(path)}, {"value", std::move(v)}});
  };
  return value::Arr({replace("/spec/template", WithoutTemplateHash(revision.pod_template)),
                     replace("/metadata/annotations", annotations.Build())});
}

bool IsAtRevision(const api::Object& target, const Revision& revision, api::Compat compat) {
  return api::SameTemplates(WithoutTemplateHash(revision.pod_template),
                            WithoutTemplateHash(target.spec().Get("template")), compat);
}

std::string UndoKey(const Revision& revision) {
  return fmt::format("undo to {}", revision.object.uid());
}

}  // namespace

sim::Task<void> ShowHistory(Session& session, Session::Info info, const RolloutOptions& options,
                            CommandOutput* output) {
  const History history = co_await ReadHistory(session, info, options.target);
  if (!history.error.empty()) {
    output->error = history.error;
    co_return;
  }
  std::map<std::int64_t, const Revision*> revisions;
  for (const Revision& revision : history.revisions) revisions[revision.number] = &revision;
  std::string shown = "No rollout history found.";
  if (!revisions.empty() && options.revision == 0) shown = HistoryTable(revisions);
  if (!revisions.empty() && options.revision != 0) {
    const auto found = revisions.find(options.revision);
    if (found == revisions.end()) {
      output->error = "error: unable to find the specified revision";
      co_return;
    }
    shown = DescribePodTemplate(ShownTemplate(*found->second));
  }
  const std::string which =
      options.revision == 0 ? "" : fmt::format("with revision #{}", options.revision);
  output->lines.push_back(
      fmt::format("{} {}\n{}", SlashedName(*info, options.target.name), which, shown));
}

sim::Task<void> UndoRollout(Session& session, Session::Info info, const RolloutOptions& options,
                            EarlierTries& tries, CommandOutput* output) {
  const Target& target = options.target;
  const History history = co_await ReadHistory(session, info, target);
  if (!history.error.empty()) {
    output->error = history.error;
    co_return;
  }
  const api::Compat compat = session.env().compat;
  const std::string told = SlashedName(*info, target.name) + " rolled back";
  for (const Revision& tried : history.revisions) {
    if (!tries.Had(UndoKey(tried)) || !IsAtRevision(history.target, tried, compat)) continue;
    output->lines.push_back(told);
    co_return;
  }
  const bool deployment = IsDeployment(history.target);
  const Revision* const revision =
      deployment ? RevisionOfDeployment(history, options.revision, &output->error)
                 : RevisionOfSetKind(history, options.revision, &output->error);
  if (revision == nullptr) co_return;
  if (history.target.spec().Get("paused").AsBool()) {
    output->error =
        "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout "
        "resume' and try again";
    co_return;
  }
  if (IsAtRevision(history.target, *revision, compat)) {
    output->lines.push_back(
        fmt::format("{} skipped rollback (current template already matches revision {})",
                    SlashedName(*info, target.name), options.revision));
    co_return;
  }
  const Value patch =
      deployment ? UndoPatch(history.target, *revision) : revision->object.tree().Get("data");
  const api::PatchType type = deployment ? api::PatchType::kJson : api::PatchType::kStrategic;
  const api::Response after =
      co_await session.Patch(info, target.ns, target.name, patch, type, "", "");
  if (after.code == 0 || after.code >= 500) tries.Note(UndoKey(*revision));
  AddWarnings(after, output);
  if (HasFailed(after)) {
    output->error = Wrapped(fmt::format("failed restoring revision {}", options.revision), after);
    co_return;
  }
  output->lines.push_back(told);
}

}  // namespace ksim::kubectl
