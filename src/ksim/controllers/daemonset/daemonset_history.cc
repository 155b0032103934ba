#include "ksim/controllers/daemonset/daemonset_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/template_hash.h"
#include "ksim/controllers/history/controller_revision.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

const Path& RevisionLabels() {
  static const Path path{"metadata", "labels"};
  return path;
}

std::optional<std::int64_t> CollisionCount(const api::Object& daemon_set) {
  const Value& count = daemon_set.status().Get("collisionCount");
  return count.is_int() ? std::optional<std::int64_t>(count.AsInt()) : std::nullopt;
}

// Go prints a pointer; here the number or <nil>.
std::string CountText(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "<nil>";
}

std::int64_t MaxRevision(const std::vector<api::Object>& revisions) {
  std::int64_t max = 0;
  for (const api::Object& revision : revisions) max = std::max(max, RevisionNumber(revision));
  return max;
}

api::Object WithNumber(const api::Object& revision, std::int64_t number) {
  return api::Object::FromTree(revision.tree().Set("revision", Value::Int(number)),
                               revision.resource_version());
}

// snapshot's object: it has the labels of the template and the annotations of the DaemonSet.
api::Object DaemonRevision(const api::Object& daemon_set, const Value& data, std::int64_t revision,
                           const std::string& hash) {
  static const Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  const Value& given = daemon_set.Get(kTemplateLabels);
  const Value labels =
      (given.is_null() ? Value::EmptyObject() : given).Set(kDaemonHashLabel, Value::String(hash));
  const Value owner = value::Obj({{"apiVersion", Value::String(daemon_set.api_version())},
                                  {"kind", Value::String(daemon_set.kind())},
                                  {"name", Value::String(daemon_set.name())},
                                  {"uid", Value::String(daemon_set.uid())},
                                  {"controller", Value::Bool(true)},
                                  {"blockOwnerDeletion", Value::Bool(true)}});
  value::ObjectBuilder metadata;
  metadata.Add("name", Value::String(fmt::format("{}-{}", daemon_set.name(), hash)));
  metadata.Add("namespace", Value::String(daemon_set.ns()));
  metadata.Add("labels", labels);
  metadata.AddIf(!daemon_set.annotations().empty(), "annotations", daemon_set.annotations());
  metadata.Add("ownerReferences", value::Arr({owner}));
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("apps/v1")},
                                           {"kind", Value::Of("ControllerRevision")},
                                           {"metadata", metadata.Build()},
                                           {"data", data},
                                           {"revision", Value::Int(revision)}}));
}

}  // namespace

DaemonSetHistory::DaemonSetHistory(client::Client& client, client::SharedInformer& revisions,
                                   const api::ResourceInfo* daemon_sets,
                                   const api::ResourceInfo* pods, const Profile& profile,
                                   ClaimPods claim_pods)
    : client_(client),
      revisions_(revisions),
      daemon_sets_(daemon_sets),
      pods_(pods),
      profile_(profile),
      claim_pods_(std::move(claim_pods)) {}

sim::Task<api::Result<DaemonSetHistory::Found>> DaemonSetHistory::Construct(
    api::Object daemon_set) {
  // 1. Its revisions, those of its template apart.
  api::Result<std::vector<api::Object>> controlled = co_await Controlled(daemon_set);
  if (!controlled.ok()) co_return controlled.status();
  const Value data = TemplatePatch(*daemon_sets_, daemon_set, profile_.compat);
  Found found;
  std::vector<api::Object> current;
  for (const api::Object& revision : *controlled) {
    Result labeled = co_await Labeled(revision);
    if (!labeled.ok()) co_return labeled.status();
    std::vector<api::Object>& place = RevisionData(*labeled) == data ? current : found.old;
    place.push_back(*labeled);
  }

  // 2. One of its template, which has the highest number.
  const std::int64_t number = MaxRevision(found.old) + 1;
  if (current.empty()) {
    Result made = co_await Snapshot(daemon_set, data, number);
    if (!made.ok()) co_return made.status();
    found.hash = made->Label(kDaemonHashLabel);
    co_return found;
  }
  Result kept = co_await Dedup(daemon_set, current);
  if (!kept.ok()) co_return kept.status();
  found.hash = kept->Label(kDaemonHashLabel);
  if (RevisionNumber(*kept) < number) {
    const api::Object renumbered = WithNumber(*kept, number);
    Result updated = co_await client_.Update(revisions_.resource(), renumbered);
    if (!updated.ok()) co_return updated.status();
  }
  co_return found;
}

sim::Task<api::Result<std::vector<api::Object>>> DaemonSetHistory::Controlled(
    api::Object daemon_set) {
  const auto selector = value::LabelSelector::FromObject(daemon_set.spec().Get("selector"));
  if (!selector.ok()) co_return api::Unmapped(500, Message(selector.status()));
  ObjectClaimer claimer(client_, revisions_.resource(), daemon_sets_, daemon_set, *selector);
  ObjectClaimer::Claimed claimed =
      co_await claimer.Claim(revisions_.lister().List(daemon_set.ns()));
  if (claimed.error) co_return *claimed.error;
  co_return std::move(claimed.objects);
}

sim::Task<client::Client::ObjectResult> DaemonSetHistory::Labeled(api::Object revision) {
  if (revision.labels().Has(kDaemonHashLabel)) co_return revision;
  const Value labels =
      revision.labels().Set(kDaemonHashLabel, Value::String(std::string(revision.name())));
  const api::Object update = api::Object::FromTree(revision.tree().Set(RevisionLabels(), labels),
                                                   revision.resource_version());
  co_return co_await client_.Update(revisions_.resource(), update);
}

sim::Task<client::Client::ObjectResult> DaemonSetHistory::Dedup(api::Object daemon_set,
                                                                std::vector<api::Object> current) {
  if (current.size() == 1) co_return current.front();
  api::Object keep;
  for (const api::Object& revision : current)
    if (keep.empty() || RevisionNumber(revision) >= RevisionNumber(keep)) keep = revision;
  const std::string hash(keep.Label(kDaemonHashLabel));
  bool relabeled = false;
  for (const api::Object& revision : current) {
    if (revision.name() == keep.name()) continue;
    if (!relabeled || !profile_.daemon_relabels_once) {
      const api::Result<bool> done = co_await Relabel(daemon_set, hash);
      if (!done.ok()) co_return done.status();
      relabeled = true;
    }
    Result deleted = co_await Delete(revision);
    if (!deleted.ok()) co_return deleted.status();
  }
  co_return keep;
}

sim::Task<api::Result<bool>> DaemonSetHistory::Relabel(api::Object daemon_set, std::string hash) {
  api::Result<std::vector<api::Object>> pods = co_await claim_pods_(daemon_set);
  if (!pods.ok()) co_return pods.status();
  const Value labels = value::Obj({{kDaemonHashLabel, Value::String(hash)}});
  const Value patch = value::Obj({{"metadata", value::Obj({{"labels", labels}})}});
  const client::PatchOptions options(api::PatchType::kMerge);
  for (const api::Object& pod : *pods) {
    if (pod.Label(kDaemonHashLabel) == hash) continue;
    Result patched = co_await client_.Patch(pods_, std::string(pod.ns()), std::string(pod.name()),
                                            patch, options);
    if (!patched.ok()) co_return patched.status();
  }
  co_return true;
}

sim::Task<client::Client::ObjectResult> DaemonSetHistory::Snapshot(api::Object daemon_set,
                                                                   Value data,
                                                                   std::int64_t revision) {
  const std::string hash =
      ComputeHash(daemon_set.spec().Get("template"), CollisionCount(daemon_set), profile_);
  const std::string ns(daemon_set.ns());
  const std::string name = fmt::format("{}-{}", daemon_set.name(), hash);
  const api::Object snapshot = DaemonRevision(daemon_set, data, revision, hash);
  Result created = co_await client_.Create(revisions_.resource(), snapshot);
  if (created.ok() || !api::IsAlreadyExists(created.status())) co_return created;

  // Made before, by a sync whose cache did not show it, or a collision.
  Result existing = co_await client_.Get(revisions_.resource(), ns, name);
  if (!existing.ok() || RevisionData(*existing) == data) co_return existing;
  co_return co_await Collide(daemon_set, created.status());
}

sim::Task<api::Status> DaemonSetHistory::Collide(api::Object daemon_set, api::Status taken) {
  static const Path kCollisionCount{"status", "collisionCount"};
  Result fresh = co_await client_.Get(daemon_sets_, std::string(daemon_set.ns()),
                                      std::string(daemon_set.name()));
  if (!fresh.ok()) co_return fresh.status();
  const std::optional<std::int64_t> counted = CollisionCount(*fresh);
  if (counted != CollisionCount(daemon_set)) {
    co_return api::Unmapped(
        500,
        fmt::format("found a stale collision count ({}, expected {}) of DaemonSet \"{}\" "
                    "while processing; will retry until it is updated",
                    CountText(CollisionCount(daemon_set)), CountText(counted), daemon_set.name()));
  }
  const api::Object bumped =
      api::Object::FromTree(fresh->tree().Set(kCollisionCount, Value::Int(counted.value_or(0) + 1)),
                            fresh->resource_version());
  Result updated = co_await client_.UpdateStatus(daemon_sets_, bumped);
  if (!updated.ok()) co_return updated.status();
  co_return taken;
}

sim::Task<std::string> DaemonSetHistory::CleanUp(api::Object daemon_set,
                                                 std::vector<api::Object> old, PodsByNode pods) {
  const std::int64_t limit = daemon_set.spec().Get("revisionHistoryLimit").AsInt();
  std::int64_t to_delete = std::ssize(old) - limit;
  if (to_delete <= 0) co_return "";
  std::set<std::string, std::less<>> live;
  for (const auto& [node, on_node] : pods)
    for (const api::Object& pod : on_node) live.emplace(pod.Label(kDaemonHashLabel));
  std::stable_sort(old.begin(), old.end(), [](const api::Object& a, const api::Object& b) {
    return RevisionNumber(a) < RevisionNumber(b);
  });
  for (const api::Object& revision : old) {
    if (to_delete <= 0) break;
    const std::string_view hash = revision.Label(kDaemonHashLabel);
    if (!hash.empty() && live.contains(hash)) continue;
    Result deleted = co_await Delete(revision);
    if (!deleted.ok()) co_return deleted.status().message.str();
    --to_delete;
  }
  co_return "";
}

sim::Task<client::Client::ObjectResult> DaemonSetHistory::Delete(api::Object revision) {
  const api::DeleteOptions options;
  co_return co_await client_.Delete(revisions_.resource(), std::string(revision.ns()),
                                    std::string(revision.name()), options);
}

}  // namespace ksim::controllers
