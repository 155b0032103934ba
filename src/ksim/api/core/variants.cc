#include "ksim/api/variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/check.h"
#include "ksim/base/diagnostic.h"

namespace ksim::api {
namespace {

template <auto kField>
void Set(Variants& variants, int value) {
  auto& field = variants.*kField;
  field = static_cast<std::remove_reference_t<decltype(field)>>(value);
}

template <auto kField>
int Get(const Variants& variants) {
  return static_cast<int>(variants.*kField);
}

template <auto kField>
VariantInfo VariantEntry(VariantInfo info) {
  info.set = &Set<kField>;
  info.get = &Get<kField>;
  return info;
}

std::vector<VariantInfo> Table() {
  using V = Variants;
  return {
      VariantEntry<&V::cacher_reinit>(
          {"cacher.reinit",
           {"endWatchers", "keepWatchers"},
           "the watches of a watch cache that begins anew stay open, and miss what the gap held",
           "B4",
           "k/k#116122, #116172",
           {"endWatchers", "endWatchers", "endWatchers"},
           true}),
      VariantEntry<&V::deltafifo_replace>(
          {"deltafifo.replace",
           {"queueToo", "indexerOnly"},
           "a relist looks for deletions in the cache only: what is still queued lives on for ever",
           "B3",
           "k/k#115658, #115620",
           {"indexerOnly", "queueToo", ""},
           true}),
      VariantEntry<&V::deltafifo_replace_delta>({"deltafifo.replaceDelta",
                                                 {"replaced", "sync"},
                                                 "what a relist has of an object whose deletion is "
                                                 "still queued is taken for a resync, and "
                                                 "left out",
                                                 "B18",
                                                 "k/k#83810, #83911, #86015",
                                                 {"replaced", "replaced", ""},
                                                 true}),
      VariantEntry<&V::deployment_hash_collision>(
          {"deployment.hashCollision",
           {"count", "fail"},
           "a ReplicaSet of another template has the name that a template hashes to: its creation "
           "fails for ever",
           "B17",
           "k/k#29735",
           {"count", "count", "count"},
           true}),
      VariantEntry<&V::endpoint_noop_write>(
          {"endpoint.noopWrite",
           {"drop", "keep"},
           "Endpoints that a write has left as they were count as out of date from then on",
           "B21",
           "k/k#125675, #127417, #127429",
           {"", "drop", "drop"},
           true}),
      VariantEntry<&V::event_delete_rv>(
          {"event.deleteRV",
           {"deletionRV", "objectRV"},
           "a DELETED event carries the version of the object's last write: "
           "a resume repeats events",
           "B5",
           "k/k#58545, #58547, #63356",
           {"deletionRV", "deletionRV", "deletionRV"},
           true}),
      VariantEntry<&V::gc_absent_owners>(
          {"gc.absentOwners",
           {"coordinates", "uid"},
           "an owner that is absent where one reference says is absent for all references to its "
           "uid",
           "B22",
           "k/k#65200, #92743",
           {"coordinates", "coordinates", "coordinates"},
           true}),
      VariantEntry<&V::gc_scope>(
          {"gc.scope",
           {"restMapping", "childNamespace"},
           "an owner of cluster scope is looked for in its dependent's namespace, where it is not",
           "B8",
           "k/k#54940, #57211",
           {"restMapping", "restMapping", "restMapping"},
           true}),
      VariantEntry<&V::job_finalizer_uids>(
          {"job.finalizerUIDs",
           {"on", "off"},
           "a pod whose finalizer a Job has removed is counted once more while the cache does not "
           "show that",
           "B7",
           "k/k#105200",
           {"on", "on", "on"},
           true}),
      VariantEntry<&V::kubelet_delete_precondition>(
          {"kubelet.deletePrecondition",
           {"uid", "none"},
           "a kubelet deletes a pod that has stopped by its name, whichever pod has that name now",
           "B16",
           "k/k#29522, #25224",
           {"uid", "uid", "uid"},
           true}),
      VariantEntry<&V::kubelet_initial_list>(
          {"kubelet.initialList",
           {"consistent", "cache0"},
           "a restarted kubelet takes its first list from whatever its API server has cached",
           "B1",
           "k/k#59848, #67998, #83520",
           {"cache0", "cache0", "consistent"},
           true}),
      VariantEntry<&V::nodelifecycle_full_disruption>(
          {"nodelifecycle.fullDisruption",
           {"on", "off"},
           "when no node reports any more, all are taken for dead, and every pod is evicted",
           "B9",
           "k/k#24200, #24597",
           {"on", "on", "on"},
           true}),
      VariantEntry<&V::nodelifecycle_probe_clock>(
          {"nodelifecycle.probeClock",
           {"firstSeen", "heartbeat"},
           "how long a node has been silent is told from its own last sign of life, also by a "
           "controller that has just started",
           "B9",
           "k/k#32510",
           {"firstSeen", "firstSeen", "firstSeen"},
           true}),
      VariantEntry<&V::realfifo_replace>(
          {"realfifo.replace",
           {"atomic", "oneByOne"},
           "a relist reaches the cache object by object: it is seen half done, and the cache knows "
           "no version",
           "B6",
           "KEP-5647",
           {"", "", "atomic"},
           true}),
      VariantEntry<&V::reflector_initial_events_rv>(
          {"reflector.initialEventsRV",
           {"bookmark", "lastEvent"},
           "a watch that ends amid its initial events goes on from the last of them, though they "
           "come in no order of versions",
           "B24",
           "k/k#74022, #136583",
           {"", "", "bookmark"},
           true}),
      VariantEntry<&V::reflector_too_large_rv>(
          {"reflector.tooLargeRV",
           {"relistConsistent", "retrySame"},
           "a list answered \"too large resource version\" is asked again for the same, for ever",
           "B2",
           "k/k#91073, #92537, #107133",
           {"relistConsistent", "relistConsistent", "relistConsistent"},
           true}),
      VariantEntry<&V::rs_create_timeout>(
          {"rs.createTimeout",
           {"requeue", "swallow"},
           "a creation that is answered \"timeout\" is taken to have happened",
           "B19",
           "k/k#67662, #86140",
           {"requeue", "requeue", "requeue"},
           true}),
      VariantEntry<&V::rs_expectations>({"rs.expectations",
                                         {"ownWriteRV", "expire", "never"},
                                         "expectations run out after 5 minutes, whatever was seen "
                                         "(expire), or not at all (never)",
                                         "B6",
                                         "k/k#129795, KEP-5647",
                                         {"expire", "expire", "ownWriteRV"},
                                         true}),
      VariantEntry<&V::scheduler_ghost_node>(
          {"scheduler.ghostNode",
           {"drop", "keep"},
           "a node whose deletion came only with a relist stays in the scheduler's cache",
           "B10",
           "k/k#56261, #94437",
           {"drop", "drop", "drop"},
           true}),
      VariantEntry<&V::scheduler_move_request>({"scheduler.moveRequest",
                                                {"cycle", "ignore"},
                                                "an event that makes room while a pod is being "
                                                "tried is forgotten, and nobody looks at the "
                                                "pod again",
                                                "B20",
                                                "k/k#72122, #72558",
                                                {"cycle", "cycle", "cycle"},
                                                true}),
      VariantEntry<&V::scheduler_pod_uid>(
          {"scheduler.podUID",
           {"check", "ignore"},
           "a pod deleted and created again unseen is taken for an update of the old one",
           "B10",
           "k/k#55587, #106102",
           {"check", "check", "check"},
           true}),
      VariantEntry<&V::storage_lost_previous>(
          {"storage.lostPrevious",
           {"error", "drop"},
           "the event of a deletion whose previous value is compacted by now is dropped: what was "
           "deleted lives on in the watch cache",
           "B23",
           "k/k#76624, #76675",
           {"error", "error", "error"},
           true}),
      VariantEntry<&V::store_compact_on_delete>(
          {"store.compactOnDelete",
           {"keep", "drop"},
           "compacting at the revision of a delete loses that delete for watches from there",
           "B12",
           "etcd#18089, etcd#19179",
           {"keep", "keep", "keep"},
           true}),
      VariantEntry<&V::sts_broken_rollback>(
          {"sts.brokenRollback",
           {"replace", "wait"},
           "a StatefulSet waits for a broken pod of a revision that it has left",
           "B11",
           "k/k#67250, #100289",
           {"wait", "wait", "wait"},
           true}),
      VariantEntry<&V::sts_revision_sync>({"sts.revisionSync",
                                           {"wait", "skip"},
                                           "a StatefulSet controller that has just started makes a "
                                           "second revision of a template, and "
                                           "restarts its pods",
                                           "B11",
                                           "k/k#56355, #58347",
                                           {"wait", "wait", "wait"},
                                           true}),
      VariantEntry<&V::watchcache_oldest>(
          {"watchcache.oldest",
           {"listRV+1", "listRV"},
           "a new watch cache serves watches from one version too early, and leaves out one event",
           "B4",
           "k/k#49956, #49992",
           {"listRV+1", "listRV+1", "listRV+1"},
           true}),
  };
}

int IndexOf(const VariantInfo& info, std::string_view value) {
  if (value == "fixed") return 0;
  const auto it = std::find(info.values.begin(), info.values.end(), value);
  return it == info.values.end() ? -1 : static_cast<int>(it - info.values.begin());
}

std::string Hint(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = Nearest(word, known);
  return near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean \"{}\"?", near);
}

}  // namespace

const std::vector<VariantInfo>& AllVariants() {
  static const std::vector<VariantInfo> table = Table();
  return table;
}

const VariantInfo* FindVariant(std::string_view name) {
  for (const VariantInfo& info : AllVariants()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::vector<std::string_view> VariantsIn(Compat c) {
  std::vector<std::string_view> names;
  for (const VariantInfo& info : AllVariants()) {
    if (info.ExistsIn(c)) names.push_back(info.name);
  }
  return names;
}

std::vector<std::string_view> CompatsOf(const VariantInfo& v) {
  std::vector<std::string_view> out;
  for (const Compat c : kCompats) {
    if (v.ExistsIn(c)) out.push_back(ToString(c));
  }
  return out;
}

Variants DefaultVariants(Compat c) {
  Variants variants;
  for (const VariantInfo& info : AllVariants()) {
    if (info.ExistsIn(c)) info.set(variants, IndexOf(info, info.AsCompat(c)));
  }
  return variants;
}

Variants ResolveVariants(Compat c, const VariantChoice& choice) {
  Variants variants = DefaultVariants(c);
  for (const auto& [name, value] : choice) {
    const std::optional<VariantProblem> problem = CheckVariant(c, name, value);
    KSIM_CHECK(!problem) << problem->message;
    if (name != "all" || value != "fixed") continue;
    for (const VariantInfo& info : AllVariants()) {
      if (info.ExistsIn(c) && info.available) info.set(variants, 0);
    }
  }
  for (const auto& [name, value] : choice) {
    if (name == "all") continue;
    const VariantInfo* info = FindVariant(name);
    info->set(variants, IndexOf(*info, value == "asCompat" ? info->AsCompat(c) : value));
  }
  return variants;
}

std::optional<VariantProblem> CheckVariant(Compat c, std::string_view name,
                                           std::string_view value) {
  VariantProblem problem;
  if (name == "all") {
    if (value == "asCompat" || value == "fixed") return std::nullopt;
    problem.in_value = true;
    problem.message = fmt::format("unknown value \"{}\" of all", value);
    problem.hint = Hint(value, {"asCompat", "fixed"});
    return problem;
  }
  const VariantInfo* info = FindVariant(name);
  if (info == nullptr) {
    problem.message = fmt::format("unknown variant \"{}\"", name);
    problem.hint = Hint(name, VariantsIn(c));
    return problem;
  }
  if (!info->ExistsIn(c)) {
    problem.message = fmt::format("variant {} does not exist in {}", name, ToString(c));
    problem.hint = fmt::format("it exists in {}", fmt::join(CompatsOf(*info), ", "));
    return problem;
  }
  if (value != "asCompat" && IndexOf(*info, value) < 0) {
    std::vector<std::string_view> known = info->values;
    known.insert(known.end(), {"asCompat", "fixed"});
    problem.in_value = true;
    problem.message = fmt::format("unknown value \"{}\" of {}", value, name);
    problem.hint = Hint(value, known);
    return problem;
  }
  if (!info->available && value != "asCompat" && value != info->AsCompat(c)) {
    problem.message = fmt::format("variant {}: {} is not in this version of ksim", name, value);
    problem.hint = fmt::format("{} is {} here", name, info->AsCompat(c));
    return problem;
  }
  return std::nullopt;
}

}  // namespace ksim::api
