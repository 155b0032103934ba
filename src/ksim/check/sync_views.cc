#include "ksim/check/sync_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/kinds.h"
#include "ksim/check/facts.h"

namespace ksim::check {

using value::Value;

SyncViews::SyncViews()
    : subjects_(
          {{"/deployment", "Deployment", "deployments", {"replicasets"}, ""},
           {"/statefulset", "StatefulSet", "statefulsets", {"controllerrevisions", "pods"}, ""},
           {"/daemonset", "DaemonSet", "daemonsets", {"controllerrevisions", "pods"}, "nodes"},
           {"/cronjob", "CronJob", "cronjobs", {"jobs"}, ""}}) {}

const SyncViews::Subject* SyncViews::SubjectOf(std::string_view actor) const {
  for (const Subject& subject : subjects_)
    if (actor.ends_with(subject.part)) return &subject;
  return nullptr;
}

const Value& SyncViews::ControllerOf(const Value& object) const {
  static const Value none;
  if (object.is_null()) return none;
  for (const Value& owner :
       object.Get(api::Fields().metadata).Get(api::Fields().owner_references).items()) {
    if (!owner.Get("controller").AsBool()) continue;
    const std::string_view kind = owner.Get("kind").AsString();
    for (const Subject& subject : subjects_)
      if (subject.kind == kind) return owner;
  }
  return none;
}

bool SyncViews::IsChildren(std::string_view resource) const {
  return std::any_of(subjects_.begin(), subjects_.end(), [resource](const Subject& subject) {
    return std::find(subject.children.begin(), subject.children.end(), resource) !=
           subject.children.end();
  });
}

void SyncViews::On(const Facts& facts, const Observation& o) {
  switch (o.kind) {
    case sim::EventKind::kCommit:
      return OnCommit(o);
    case sim::EventKind::kRequest:
      if (o.verb != "get" && o.verb != "list" && o.verb != "watch" && SubjectOf(o.actor) != nullptr)
        sent_[o.request] = {o.seq, std::string(o.actor.substr(0, o.actor.find('/')))};
      return;
    case sim::EventKind::kResponse:
      sent_.erase(o.request);
      return;
    case sim::EventKind::kReconcile:
      return OnReconcile(facts, o);
    case sim::EventKind::kActor:
      std::erase_if(sent_, [&o](const auto& sent) { return sent.second.process == o.target; });
      std::erase_if(syncs_, [&o](const auto& sync) { return sync.second.process == o.target; });
      return;
    case sim::EventKind::kCompact:
      return OnCompact(o.rv);
    default:
      return;
  }
}

// No cache is as old as that for long.
void SyncViews::OnCompact(std::int64_t revision) {
  for (auto& [uid, owned] : children_) {
    for (auto& [resource, children] : owned)
      std::erase_if(children, [revision](const auto& child) {
        return child.second.gone != 0 && child.second.gone <= revision;
      });
    std::erase_if(owned, [](const auto& of) { return of.second.empty(); });
  }
  std::erase_if(children_, [](const auto& owner) { return owner.second.empty(); });
}

void SyncViews::OnCommit(const Observation& o) {
  for (const Subject& subject : subjects_) {
    if (o.resource != subject.resource) continue;
    const std::string key = fmt::format("{} {}/{}", o.resource, o.ns, o.name);
    if (o.after->is_null())
      owners_.erase(key);
    else
      owners_[key] = std::string(o.uid);
  }
  if (!IsChildren(o.resource)) return;
  const std::string_view before = ControllerOf(*o.before).Get("uid").AsString();
  const std::string_view after = ControllerOf(*o.after).Get("uid").AsString();
  const auto of = [&](std::string_view owner) -> Children& {
    return children_[std::string(owner)][std::string(o.resource)];
  };
  if (!before.empty() && before != after) of(before)[o.object].gone = o.rv;
  if (!after.empty() && before != after) of(after)[o.object].gone = 0;
}

void SyncViews::OnReconcile(const Facts& facts, const Observation& o) {
  const Subject* subject = SubjectOf(o.actor);
  if (subject == nullptr) return;
  const std::string name = fmt::format("{} {}", o.actor, o.target);
  if (o.state != "begin") {
    const auto it = syncs_.find(name);
    if (it == syncs_.end()) return;
    it->second.end = o.seq;
    if (!owners_.contains(fmt::format("{} {}", subject->resource, o.target))) syncs_.erase(it);
    return;
  }
  Sync sync;
  sync.subject = subject;
  sync.process = std::string(o.actor.substr(0, o.actor.find('/')));
  sync.begin = o.seq;
  sync.begun = o.t;
  const std::size_t slash = o.target.find('/');
  if (slash == o.target.npos) return;
  sync.owner =
      api::ObjectHash(subject->resource, o.target.substr(0, slash), o.target.substr(slash + 1));
  const auto owner = owners_.find(fmt::format("{} {}", subject->resource, o.target));
  if (owner != owners_.end()) sync.owner_uid = owner->second;
  // Listeners of one process share its caches: what one of them was told of, the cache has.
  for (const Informer* informer : facts.informers()) {
    if (informer->process != sync.process) continue;
    const bool children = std::find(subject->children.begin(), subject->children.end(),
                                    informer->resource) != subject->children.end();
    const bool also = informer->resource == subject->also;
    if (!children && !also && informer->resource != subject->resource) continue;
    for (const auto& listener : informer->listeners) {
      const auto note = [&](std::uint64_t object, const Told& seen) {
        std::int64_t& rv = sync.told[object];
        rv = std::max(rv, seen.rv);
      };
      const auto look_up = [&](std::uint64_t object) {
        const auto seen = listener->view.find(object);
        if (seen != listener->view.end()) note(object, seen->second);
      };
      if (listener->view.empty()) continue;
      if (also)
        for (const auto& [object, seen] : listener->view) note(object, seen);
      if (children)
        for (const auto& [child, state] : ChildrenOf(sync.owner_uid, informer->resource))
          look_up(child);
      if (informer->resource == subject->resource) look_up(sync.owner);
    }
  }
  syncs_[name] = std::move(sync);
}

const SyncViews::Sync* SyncViews::Of(const Observation& commit) const {
  const Subject* subject = SubjectOf(commit.by);
  const auto sent = sent_.find(commit.request);
  if (subject == nullptr || sent == sent_.end()) return nullptr;
  std::string key = fmt::format("{} {}/", commit.by, commit.ns);
  if (commit.resource == subject->resource) {
    key += commit.name;
  } else {
    const Value& owner = ControllerOf(commit.after->is_null() ? *commit.before : *commit.after);
    if (owner.Get("kind").AsString() != subject->kind) return nullptr;
    key += owner.Get("name").AsString();
  }
  const auto it = syncs_.find(key);
  if (it == syncs_.end()) return nullptr;
  const Sync& sync = it->second;
  const std::uint64_t at = sent->second.seq;
  return sync.begin <= at && (sync.end == 0 || at <= sync.end) ? &sync : nullptr;
}

const SyncViews::Children& SyncViews::ChildrenOf(std::string_view owner_uid,
                                                 std::string_view resource) const {
  static const Children none;
  const auto owner = children_.find(owner_uid);
  if (owner == children_.end()) return none;
  const auto it = owner->second.find(resource);
  return it == owner->second.end() ? none : it->second;
}

SyncViews::Versions SyncViews::VersionsOf(const Facts& facts, const Sync& sync,
                                          std::uint64_t object, std::int64_t before) {
  static const Value nothing;
  Versions versions;
  const Changes& all = facts.history().OfObject(object);
  const auto told = sync.told.find(object);
  for (std::size_t i = all.size(); i-- > 0;) {
    const CommittedChange& change = *all[i];
    if (change.revision >= before) continue;
    versions.push_back(&change.after);
    if (told != sync.told.end() && change.revision <= told->second) return versions;
  }
  if (told != sync.told.end()) return {};  // what it was told of is forgotten
  versions.push_back(&nothing);
  return versions;
}

}  // namespace ksim::check
