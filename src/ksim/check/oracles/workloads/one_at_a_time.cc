// oneAtATime: the StatefulSet controller takes no pod of an OrderedReady set away while it knows
// that another one is still going.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/value/selector.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& OneAtATimeInfo() {
  static const OracleInfo info{
      "oneAtATime",
      Guarantee::kSafety,
      "Of an OrderedReady StatefulSet its controller deletes no pod that runs while it knows that "
      "another one of the set is being deleted.",
      {sim::EventKind::kRequest, sim::EventKind::kCommit, sim::EventKind::kHandler,
       sim::EventKind::kActor},
      {"a Parallel set: its pods wait for nothing",
       "a pod that has failed or succeeded: it goes whatever the others do",
       "a pod whose deletion the controller was not told of before it decided: its cache is as old "
       "as what it heard",
       "a pod that is being deleted and that the set does not own, or does not select any more",
       "users, evictions and others who delete: these wait for nobody"},
      "the StatefulSet controller deleted no pod of an OrderedReady set"};
  return info;
}

// The part that upstream's StatefulSet controller acts as.
constexpr std::string_view kSetPart = "/statefulset";

std::string_view SetUidOf(const Value& pod) {
  for (const Value& owner :
       pod.Get(api::Fields().metadata).Get(api::Fields().owner_references).items())
    if (owner.Get("controller").AsBool() && owner.Get("kind").AsString() == "StatefulSet")
      return owner.Get("uid").AsString();
  return {};
}

bool IsGoing(const Value& pod) {
  return pod.Get(api::Fields().metadata).Find(api::Fields().deletion_timestamp) != nullptr;
}

bool HasEnded(const Value& pod) {
  const std::string_view phase = pod.Get(api::Fields().status).Get(api::Fields().phase).AsString();
  return phase == "Succeeded" || phase == "Failed";
}

// "web" of "web-3"; "" of a name that ends in no number.
std::string_view ParentOf(std::string_view pod) {
  const std::size_t dash = pod.rfind('-');
  if (dash == pod.npos || dash + 1 == pod.size()) return {};
  return pod.find_first_not_of("0123456789", dash + 1) == pod.npos ? pod.substr(0, dash)
                                                                   : std::string_view();
}

class OneAtATime : public Oracle {
 public:
  OneAtATime() : Oracle(OneAtATimeInfo()) {}

  void On(const Facts&, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.verb == "delete" && o.resource == "pods" && o.actor.ends_with(kSetPart))
        decided_[o.request] = o.cause != 0 ? o.cause : o.seq;
    } else if (o.kind == sim::EventKind::kHandler) {
      if (o.resource == "pods" && o.listener.ends_with(kSetPart)) OnTold(o);
    } else if (o.kind == sim::EventKind::kActor) {
      OnProcess(o.target);
    } else if (o.resource == "statefulsets") {
      OnSet(o);
    } else if (o.resource == "pods") {
      OnPod(o);
    }
  }

 private:
  struct Going {
    std::string name, ns, set_uid;
    Value labels;
    std::int64_t rv = 0;  // of the mark
    // The controllers that were told of the mark in this life -> seq of when.
    std::map<std::string, std::uint64_t, std::less<>> told;
  };
  struct Set {
    std::string name, ns;
    bool ordered = false;
    value::LabelSelector selector;
  };

  void OnSet(const Observation& o) {
    const std::uint64_t key = Hash64(o.uid);
    if (o.after->is_null()) {
      sets_.erase(key);
      return;
    }
    const Value& spec = o.after->Get(api::Fields().spec);
    Set& set = sets_[key];
    set.name = std::string(o.name);
    set.ns = std::string(o.ns);
    set.ordered = spec.Get("podManagementPolicy").AsString() != "Parallel";
    auto selector = value::LabelSelector::FromObject(spec.Get("selector"));
    set.selector = selector.ok() ? *std::move(selector) : value::LabelSelector::Nothing();
  }

  void OnPod(const Observation& o) {
    const auto request = decided_.find(o.request);
    const bool taken = request != decided_.end() && !IsGoing(*o.before) &&
                       (o.after->is_null() || IsGoing(*o.after));
    if (taken) OnTaken(o, request->second);
    if (request != decided_.end()) decided_.erase(request);
    if (o.after->is_null()) {
      going_.erase(o.object);
    } else if (IsGoing(*o.after)) {
      Going& going = going_[o.object];
      if (going.rv == 0) going.rv = o.rv;
      going.name = std::string(o.name);
      going.ns = std::string(o.ns);
      going.set_uid = std::string(SetUidOf(*o.after));
      going.labels = o.after->Get(api::Fields().metadata).Get(api::Fields().labels);
    }
  }

  // The controller takes a pod away; it had decided to at `decided`.
  void OnTaken(const Observation& o, std::uint64_t decided) {
    const std::string_view uid = SetUidOf(*o.before);
    const auto set = sets_.find(Hash64(uid));
    if (uid.empty() || set == sets_.end() || !set->second.ordered || HasEnded(*o.before)) return;
    Judged();
    for (const auto& [object, going] : going_) {
      if (object == o.object || going.set_uid != uid || ParentOf(going.name) != set->second.name ||
          !set->second.selector.Matches(going.labels) || !Knew(going, o.by, decided))
        continue;
      const std::string other = fmt::format("pods/{}/{}", going.ns, going.name);
      Violate(o.seq, std::string(o.by),
              fmt::format("{} deletes {}, and knows that {} of the same StatefulSet is still being "
                          "deleted",
                          o.by, ObjectOf(o), other),
              {ObjectOf(o), other});
      return;
    }
  }

  static bool Knew(const Going& going, std::string_view controller, std::uint64_t decided) {
    const auto told = going.told.find(controller);
    return told != going.told.end() && told->second <= decided;
  }

  void OnTold(const Observation& o) {
    const auto going = going_.find(o.object);
    if (going != going_.end() && o.rv >= going->second.rv)
      going->second.told.try_emplace(std::string(o.listener), o.seq);
  }

  // A process that starts, or leads, knows nothing of what an earlier life was told.
  void OnProcess(std::string_view process) {
    for (auto& [object, going] : going_)
      std::erase_if(going.told, [process](const auto& told) {
        return told.first.substr(0, told.first.find('/')) == process;
      });
  }

  absl::flat_hash_map<std::uint64_t, std::uint64_t> decided_;  // by request; looked up only
  absl::flat_hash_map<std::uint64_t, Set> sets_;               // by hash of the uid; likewise
  std::map<std::uint64_t, Going> going_;                       // pods that are being deleted
};

}  // namespace

OracleEntry OneAtATimeOracle() {
  return {&OneAtATimeInfo(), [] { return std::unique_ptr<Oracle>(new OneAtATime); }, ""};
}

}  // namespace ksim::check
