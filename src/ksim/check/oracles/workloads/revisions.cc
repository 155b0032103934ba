// revisions: the numbers of a workload's revisions only rise, no revision is made twice, and its
// history keeps the newest. bugs 32, 33.
//
// A revision is a ReplicaSet of a Deployment, whose number is an annotation, or a
// ControllerRevision of a StatefulSet or a DaemonSet.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ksim/api/core/fields.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/sync_views.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& RevisionsInfo() {
  static const OracleInfo info{
      "revisions",
      Guarantee::kSafety,
      "The newest revision of a Deployment, StatefulSet or DaemonSet has a number above all "
      "others; "
      "none is made twice, none goes back, and the history keeps the newest.",
      {sim::EventKind::kCommit},
      {"a revision of which the controller was not told when its sync began: it numbers without it "
       "(the StatefulSet controller is told of none itself: others of its process are)",
       "a user who deletes a revision, or writes its number: what is left counts",
       "with a collision count, a second revision of the same template, made while the first was "
       "not seen",
       "a revision that a user made has the same template",
       "a paused Deployment has no ReplicaSet of its newest template, and cleans up its old ones"},
      "no controller numbered or deleted a revision"};
  return info;
}

constexpr std::string_view kAnnotation = "deployment.kubernetes.io/revision";

const Value& MetaOf(const Value& tree) { return tree.Get(api::Fields().metadata); }

std::string_view ControllerUidOf(const Value& tree) {
  for (const Value& owner : MetaOf(tree).Get(api::Fields().owner_references).items())
    if (owner.Get("controller").AsBool()) return owner.Get("uid").AsString();
  return {};
}

// The number of a Deployment, a ReplicaSet or a ControllerRevision; nullopt if it has none.
std::optional<std::int64_t> NumberOf(const Value& tree) {
  const Value& own = tree.Get("revision");
  if (own.is_int()) return own.AsInt();
  const std::string_view text = MetaOf(tree).Get("annotations").Get(kAnnotation).AsString();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The resource of an owner's revisions.
std::string_view ResourceOf(const SyncViews::Sync& sync) { return sync.subject->children.front(); }

class Revisions : public Oracle {
 public:
  Revisions() : Oracle(RevisionsInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    const bool is_revision = o.resource == "replicasets" || o.resource == "controllerrevisions";
    if (!is_revision && o.resource != "deployments") return;
    const SyncViews::Sync* sync = facts.sync_views().Of(o);
    if (is_revision && o.after->is_null()) made_.erase(std::string(o.uid));
    if (sync == nullptr) return;
    if (o.after->is_null()) {
      if (is_revision) OnDeleted(facts, o, *sync);
      return;
    }
    const std::optional<std::int64_t> before = NumberOf(*o.before), after = NumberOf(*o.after);
    if (after && before != after) OnNumbered(facts, o, *sync, before, *after);
    if (o.op == CommitOp::kCreate && o.resource == "controllerrevisions") OnMade(facts, o, *sync);
  }

 private:
  // The range of the numbers that a revision had in what the sync can have known; nullopt unless it
  // was one of the owner's, with a number, all the time.
  struct Numbers {
    std::int64_t least = 0, most = 0;
    const Value* tree = nullptr;  // its newest version
  };
  static std::optional<Numbers> KnownNumbers(const Facts& facts, const SyncViews::Sync& sync,
                                             std::uint64_t object, std::int64_t before) {
    std::optional<Numbers> out;
    for (const Value* version : SyncViews::VersionsOf(facts, sync, object, before)) {
      const std::optional<std::int64_t> number = NumberOf(*version);
      if (!number || ControllerUidOf(*version) != sync.owner_uid) return std::nullopt;
      if (!out) out = Numbers{*number, *number, version};
      out->least = std::min(out->least, *number);
      out->most = std::max(out->most, *number);
    }
    return out;
  }

  void OnNumbered(const Facts& facts, const Observation& o, const SyncViews::Sync& sync,
                  std::optional<std::int64_t> before, std::int64_t after) {
    Judged();
    const bool is_owner = o.object == sync.owner;
    if (!is_owner && before && after < *before) {
      Violate(o.seq, std::string(o.by),
              fmt::format("{} takes the revision of {} back from {} to {}", o.by, ObjectOf(o),
                          *before, after),
              {ObjectOf(o)});
      return;
    }
    for (const auto& [child, state] :
         facts.sync_views().ChildrenOf(sync.owner_uid, ResourceOf(sync))) {
      if (child == o.object) continue;
      const std::optional<Numbers> known = KnownNumbers(facts, sync, child, o.rv);
      // An owner has the number of its newest revision.
      if (!known || (is_owner ? known->least <= after : known->least < after)) continue;
      if (known->tree->Has("data") && known->tree->Get("data") == o.after->Get("data")) continue;
      const std::string other = facts.history().NameOf(child);
      Violate(o.seq, std::string(o.by),
              fmt::format("{} gives {} revision {}, and knows that {} is at {}", o.by, ObjectOf(o),
                          after, other, known->least),
              {ObjectOf(o), other});
      return;
    }
  }

  void OnMade(const Facts& facts, const Observation& o, const SyncViews::Sync& sync) {
    made_.emplace(o.uid);
    const CommittedChange* owner = facts.history().Newest(sync.owner);
    if (owner == nullptr || owner->after.Get("status").Get("collisionCount").AsInt() > 0) return;
    for (const auto& [child, state] :
         facts.sync_views().ChildrenOf(sync.owner_uid, ResourceOf(sync))) {
      const CommittedChange* other = facts.history().Newest(child);
      if (child == o.object || other == nullptr || other->after.is_null() ||
          !made_.contains(other->uid()) || other->after.Get("data") != o.after->Get("data"))
        continue;
      Violate(o.seq, std::string(o.by),
              fmt::format("{} makes {}, which is {} once more", o.by, ObjectOf(o), other->Name()),
              {ObjectOf(o), other->Name()});
      return;
    }
  }

  void OnDeleted(const Facts& facts, const Observation& o, const SyncViews::Sync& sync) {
    for (const Value* version : SyncViews::VersionsOf(facts, sync, sync.owner, o.rv))
      if (version->Get(api::Fields().spec).Get("paused").AsBool()) return;
    const std::optional<Numbers> own = KnownNumbers(facts, sync, o.object, o.rv);
    if (!own) return;
    Judged();
    for (const auto& [child, state] :
         facts.sync_views().ChildrenOf(sync.owner_uid, ResourceOf(sync))) {
      if (child == o.object) continue;
      for (const Value* version : SyncViews::VersionsOf(facts, sync, child, o.rv))
        if (NumberOf(*version).value_or(0) >= own->least) return;
    }
    Violate(o.seq, std::string(o.by),
            fmt::format("{} deletes {}, the newest revision of its owner", o.by, ObjectOf(o)),
            {ObjectOf(o)});
  }

  std::set<std::string, std::less<>>
      made_;  // uids of revisions that are there, made by controllers
};

}  // namespace

OracleEntry RevisionsOracle() {
  return {&RevisionsInfo(), [] { return std::unique_ptr<Oracle>(new Revisions); }, ""};
}

}  // namespace ksim::check
