// noLeak: after an owner is gone nothing that it owned is left. Bugs:
// kubernetes#109485, #56121; rabbitmq/cluster-operator#758.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/kinds.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& LeakInfo() {
  static const OracleInfo info{
      "noLeak",
      Guarantee::kLiveness,
      "After an owner is deleted nothing that it owned is left.",
      {sim::EventKind::kCommit, sim::EventKind::kHandler, sim::EventKind::kActor},
      {"dependents that were orphaned on purpose have no owner any more",
       "a dependent with another owner that lives",
       "a dependent that is being deleted, and keeps a finalizer",
       "an Event, which the garbage collector does not look at",
       "an object of cluster scope whose owner is of a namespaced kind",
       "an owner of a kind, or of a version of it, that nobody serves",
       "an owner that was deleted and made anew in a gap of the garbage "
       "collector's watch: nobody tells it of that deletion"},
      "no garbage collector ran to the end of the run"};
  return info;
}

class Leak : public Oracle {
 public:
  Leak() : Oracle(LeakInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kHandler) return OnHandler(o);
    if (o.kind == sim::EventKind::kActor) return OnActor(o);
    if (o.after->is_null()) {
      objects_.erase(o.object);
      uids_.erase(Hash64(o.uid));
      return;
    }
    if (o.op == CommitOp::kCreate) {  // an update leaves it as it is
      uids_.insert(Hash64(o.uid));
      scopes_[KindOf(*o.after)] = !o.ns.empty();
    }
    if (OwnersOf(*o.after).empty() || o.resource == "events")
      objects_.erase(o.object);
    else
      objects_[o.object] = facts.history().Newest(o.object);
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !end.quiet || !facts.faults().empty()) return;
    if (!listened_ && !facts.SawActor("garbagecollector")) return;
    Judged();
    for (const auto& [object, change] : objects_) {
      const value::Value& metadata = change->after.Get(api::Fields().metadata);
      if (metadata.Has("deletionTimestamp")) continue;
      bool stays = false;
      for (const value::Value& owner : OwnersOf(change->after).items())
        stays = stays || MayStay(owner, change->ns);
      if (!stays)
        Violate(change->seq, "",
                fmt::format("{} is left, and all its owners are gone", change->Name()),
                {change->Name()});
    }
  }

 private:
  static bool IsCollector(std::string_view listener) {
    return listener.ends_with("/garbagecollector");
  }

  // controller/garbagecollector/graph_builder.go processGraphChanges: it files the new object under
  // its uid, and the old one stays where it was.
  void OnHandler(const Observation& o) {
    if (!IsCollector(o.listener)) return;
    listened_ = true;
    if (o.call == HandlerCall::kUpdate && o.old_uid != o.uid) replaced_.insert(Hash64(o.old_uid));
  }

  // A process that starts builds its graph anew.
  void OnActor(const Observation& o) {
    if (o.target == "kube-controller-manager") replaced_.clear();
  }

  static const value::Value& OwnersOf(const value::Value& tree) {
    return tree.Get(api::Fields().metadata).Get(api::Fields().owner_references);
  }

  // Whether the garbage collector leaves an object in namespace `ns` for the sake of this owner.
  bool MayStay(const value::Value& owner, std::string_view ns) const {
    const std::uint64_t uid = Hash64(owner.Get("uid").AsString());
    if (uids_.contains(uid) || replaced_.contains(uid)) return true;
    const std::optional<bool> namespaced = IsNamespaced(owner);
    return !namespaced || (*namespaced && ns.empty());
  }

  // nullopt: nobody has seen an object of that kind, and it is not built in.
  std::optional<bool> IsNamespaced(const value::Value& owner) const {
    if (const auto seen = scopes_.find(KindOf(owner)); seen != scopes_.end()) return seen->second;
    const api::ResourceInfo* kind =
        kinds_.ByKind(owner.Get("apiVersion").AsString(), owner.Get("kind").AsString());
    if (kind == nullptr) return std::nullopt;
    return kind->namespaced;
  }

  // "v1 Pod", of an object or of a reference to one.
  static std::string KindOf(const value::Value& tree) {
    return fmt::format("{} {}", tree.Get("apiVersion").AsString(), tree.Get("kind").AsString());
  }

  bool listened_ = false;                                    // a garbage collector
  const api::Kinds kinds_;                                   // the built-in ones
  std::map<std::string, bool> scopes_;                       // kinds seen: namespaced or not
  std::map<std::uint64_t, const CommittedChange*> objects_;  // with owners
  // Hashes; looked up only: of what there is; of what was replaced before the collector's eyes.
  absl::flat_hash_set<std::uint64_t> uids_, replaced_;
};

}  // namespace

OracleEntry NoLeakOracle() {
  return {&LeakInfo(), [] { return std::unique_ptr<Oracle>(new Leak); }, ""};
}

}  // namespace ksim::check
