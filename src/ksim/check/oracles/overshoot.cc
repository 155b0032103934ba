// noOvershoot: creating pods never brings a ReplicaSet above the replicas it was asked for. bugs
// 21, 24, 54.
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& OvershootInfo() {
  static const OracleInfo info{
      "noOvershoot",
      Guarantee::kSafety,
      "Creating pods never brings a ReplicaSet above the replicas it was asked for.",
      {sim::EventKind::kRequest, sim::EventKind::kCommit, sim::EventKind::kResponse,
       sim::EventKind::kActor},
      {"pods that are being deleted, or have ended, do not count",
       "after scaling down there are too many until they are deleted, and a controller that has "
       "not seen it yet goes on creating: the largest number ever asked for is the bound",
       "one more for each creation whose answer was lost, or whose sender died or gave up first, "
       "also if it comes true only then",
       "a controller that has started anew, or leads since a standby's turn came, knows only what "
       "its API server's cache does: pods made before do not count until it was told of them, nor "
       "against what it had decided by then: it goes on with a sync's creations, and sends one "
       "again that was answered 429",
       "nor do pods that another replica of the controller makes, which leads beside it as long as "
       "one of the two was paused or heard of its renewal late, until it was told of them",
       "pods that are adopted, or come back to life: only creations are judged"},
      "no pod of a ReplicaSet was created"};
  return info;
}

using value::Value;

// The uid of the ReplicaSet that controls it; "" if none does.
std::string_view OwnerOf(const Value& pod) {
  for (const Value& owner :
       pod.Get(api::Fields().metadata).Get(api::Fields().owner_references).items())
    if (owner.Get("controller").AsBool() && owner.Get("kind").AsString() == "ReplicaSet")
      return owner.Get("uid").AsString();
  return {};
}

std::string_view MakerOf(std::string_view actor) { return actor.substr(0, actor.find('/')); }

bool Active(const Value& pod) {
  if (pod.is_null() ||
      pod.Get(api::Fields().metadata).Find(api::Fields().deletion_timestamp) != nullptr)
    return false;
  const std::string_view p = pod.Get(api::Fields().status).Get(api::Fields().phase).AsString();
  return p != "Succeeded" && p != "Failed";
}

class Overshoot : public Oracle {
 public:
  Overshoot() : Oracle(OvershootInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kCommit) {
      if (o.resource == "replicasets") OnReplicaSet(o);
      if (o.resource == "pods") OnPod(facts, o);
    } else if (o.kind == sim::EventKind::kRequest) {
      if (o.verb == "create" && o.resource == "pods") OnRequest(o);
    } else if (o.kind == sim::EventKind::kResponse) {
      OnResponse(o);
    } else if (o.state == "start" || o.state == "lead") {
      started_[std::string(o.target)] = o.seq;  // a standby's informers begin when it leads
    } else if (o.state != "lose") {
      OnDeath(o.target);
    }
  }

 private:
  struct Made {
    std::uint64_t seq = 0;  // of its first commit
    std::string process;    // whose commit that was
  };
  struct ReplicaSet {
    std::string name;
    std::int64_t most = 0;                 // replicas ever asked for
    std::int64_t unknown = 0;              // creations whose sender does not know of them
    std::map<std::uint64_t, Made> active;  // by pod
    bool reported = false;

    bool Beyond(std::int64_t pods) const { return pods > most + unknown; }
  };
  // A creation without an answer.
  struct Pending {
    std::uint64_t set = 0;      // 0: it has not come true yet
    std::uint64_t decided = 0;  // seq of what led to it: a sync's begin, also of a second try
    std::string by;
    bool given_up = false;  // its sender does not wait for it any more
  };

  void OnReplicaSet(const Observation& o) {
    ReplicaSet& set = sets_[Hash64(o.uid)];
    if (set.name.empty()) set.name = ObjectOf(o);
    if (o.after->is_null()) return;
    const Value& replicas = o.after->Get("spec").Get("replicas");
    set.most = std::max(set.most, replicas.is_int() ? replicas.AsInt() : 1);
  }

  void OnRequest(const Observation& o) {
    Pending& pending = pending_[o.request];
    pending.by = o.actor;
    pending.decided = o.cause != 0 ? o.cause : o.seq;
  }

  void OnPod(const Facts& facts, const Observation& o) {
    const std::string_view before = Active(*o.before) ? OwnerOf(*o.before) : std::string_view();
    const std::string_view after = Active(*o.after) ? OwnerOf(*o.after) : std::string_view();
    if (!before.empty() && before != after) sets_[Hash64(before)].active.erase(o.object);
    if (after.empty()) return;
    const std::uint64_t key = Hash64(after);
    ReplicaSet& set = sets_[key];
    set.active.try_emplace(o.object, Made{o.seq, std::string(MakerOf(o.by))});
    if (o.op != CommitOp::kCreate) return;
    Judged();
    const std::uint64_t decided = o.request != 0 ? ComesTrue(o, key, &set) : o.seq;
    // A set that is gone, or never was, asked for none that could be counted.
    if (set.name.empty() || set.reported || !set.Beyond(std::ssize(set.active))) return;
    const std::int64_t have = Countable(facts, set, o, decided);  // no more than all of them
    if (!set.Beyond(have)) return;
    set.reported = true;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} creates {} and makes it {} pods of {}, which was never asked for more "
                        "than {}{}",
                        o.by, ObjectOf(o), have, set.name, set.most, Views(facts, set, o)),
            {ObjectOf(o), set.name});
  }

  // All but those that an earlier life of the creator's process made, or another process that leads
  // beside it, and that this one was not told of when it decided.
  std::int64_t Countable(const Facts& facts, const ReplicaSet& set, const Observation& o,
                         std::uint64_t decided) const {
    auto have = static_cast<std::int64_t>(set.active.size());
    const auto start = started_.find(MakerOf(o.by));
    if (start == started_.end()) return have;
    const Listener* told = nullptr;  // null: of nothing
    for (const Informer* i : facts.informers())
      if (i->process == start->first && i->resource == "pods" && !i->listeners.empty())
        told = i->listeners.front().get();
    for (const auto& [pod, made] : set.active) {
      const bool others = made.seq < start->second || made.process != start->first;
      have -= others && !Knew(told, pod, decided);
    }
    return have;
  }

  static bool Knew(const Listener* told, std::uint64_t pod, std::uint64_t decided) {
    if (told == nullptr) return false;
    const auto it = told->view.find(pod);
    return it != told->view.end() && it->second.since <= decided;
  }

  // How many of them the informers of the creator's process were told of.
  static std::string Views(const Facts& facts, const ReplicaSet& set, const Observation& o) {
    const std::string_view process = MakerOf(o.by);
    for (const Informer* i : facts.informers()) {
      if (i->process != process || i->resource != "pods" || i->listeners.empty()) continue;
      std::int64_t known = 0;
      for (const auto& [pod, made] : set.active) known += i->listeners.front()->view.contains(pod);
      return fmt::format(" ({} was told of {} of them, up to revision {})", i->name, known,
                         i->served);
    }
    return "";
  }

  // When its sender decided on it.
  std::uint64_t ComesTrue(const Observation& o, std::uint64_t key, ReplicaSet* set) {
    Pending& pending = pending_[o.request];
    pending.set = key;
    pending.by = o.by;
    const std::uint64_t decided = pending.decided != 0 ? pending.decided : o.seq;
    if (!pending.given_up) return decided;
    ++set->unknown;
    pending_.erase(o.request);
    return decided;
  }

  void OnResponse(const Observation& o) {
    const auto it = pending_.find(o.request);
    if (it == pending_.end()) return;
    if (o.lost || o.code < 200 || o.code >= 300)
      GiveUp(it);
    else
      pending_.erase(it);
  }

  std::map<std::uint64_t, Pending>::iterator GiveUp(std::map<std::uint64_t, Pending>::iterator it) {
    if (it->second.set == 0) {
      it->second.given_up = true;
      return ++it;
    }
    ++sets_[it->second.set].unknown;
    return pending_.erase(it);
  }

  void OnDeath(std::string_view process) {
    for (auto it = pending_.begin(); it != pending_.end();) {
      if (MakerOf(it->second.by) != process) {
        ++it;
        continue;
      }
      it = GiveUp(it);
    }
  }

  absl::flat_hash_map<std::uint64_t, ReplicaSet> sets_;  // by hash of the uid; looked up only
  std::map<std::uint64_t, Pending> pending_;             // creations without an answer, by request
  std::map<std::string, std::uint64_t, std::less<>>
      started_;  // process -> seq of its last start, or lead
};

}  // namespace

OracleEntry NoOvershootOracle() {
  return {&OvershootInfo(), [] { return std::unique_ptr<Oracle>(new Overshoot); }, ""};
}

}  // namespace ksim::check
