// gc.safe: the garbage collector deletes nothing that an owner wants who lives. Bugs:
// kubernetes#54940, #65200, #88097.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/fields.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& GcSafeInfo() {
  static const OracleInfo info{
      "gc.safe",
      Guarantee::kSafety,
      "The garbage collector deletes no object that has an owner who lives and wants it.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit},
      {"the owner is being deleted in the foreground, and waits for the object to be gone",
       "the reference names another kind, name or namespace than the owner with its uid has",
       "the reference came after the garbage collector had read the object (up to 1.33 nothing "
       "tells it)",
       "an object that somebody else has deleted is deleted once more"},
      "no garbage collector deleted anything"};
  return info;
}

const Value& MetadataOf(const Value& tree) { return tree.Get(api::Fields().metadata); }

const Value& ReferencesOf(const Value& tree) {
  return MetadataOf(tree).Get(api::Fields().owner_references);
}

bool IsDeleting(const Value& tree) { return MetadataOf(tree).Has("deletionTimestamp"); }

bool WaitsForDependents(const Value& tree) {
  if (!IsDeleting(tree)) return false;
  for (const Value& f : MetadataOf(tree).Get(api::Fields().finalizers).items())
    if (f.AsString() == "foregroundDeletion") return true;
  return false;
}

// Whether an object in namespace `ns` refers to `owner`, and not only to its uid.
bool IsMeant(const Value& reference, std::string_view ns, const Value& owner) {
  const Value& metadata = MetadataOf(owner);
  const std::string_view owner_ns = metadata.Get(api::Fields().namespace_).AsString();
  return reference.Get("kind") == owner.Get("kind") &&
         reference.Get("name") == metadata.Get("name") &&
         api::GroupOf(reference.Get("apiVersion").AsString()) ==
             api::GroupOf(owner.Get("apiVersion").AsString()) &&
         (owner_ns.empty() || owner_ns == ns);
}

class GcSafe : public Oracle {
 public:
  GcSafe() : Oracle(GcSafeInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    switch (o.kind) {
      case sim::EventKind::kRequest:
        return NoteRequest(o);
      case sim::EventKind::kResponse:
        if (!o.lost) deletions_.erase(o.request);
        return;
      default:
        break;
    }
    if (const auto it = deletions_.find(o.request); it != deletions_.end())
      Judge(facts, o, it->second);
    if (o.after->is_null())
      objects_.erase(Hash64(o.uid));
    else if (o.op == CommitOp::kCreate)
      objects_[Hash64(o.uid)] = o.object;
  }

 private:
  void NoteRequest(const Observation& o) {
    if (!o.actor.ends_with("/garbagecollector")) return;
    if (o.verb == "get") read_[o.object] = o.seq;
    if (o.verb != "delete") return;
    const auto read = read_.find(o.object);
    deletions_[o.request] = read == read_.end() ? o.seq : read->second;
  }

  // `read`: seq of the request by which the garbage collector read the object.
  void Judge(const Facts& facts, const Observation& o, std::uint64_t read) {
    if (o.before->is_null() || IsDeleting(*o.before)) return;
    Judged();
    if (facts.history().MayLackSince(read)) return;
    for (const Value& reference : ReferencesOf(*o.before).items()) {
      const auto owner = objects_.find(Hash64(reference.Get("uid").AsString()));
      if (owner == objects_.end()) continue;
      const CommittedChange* there = facts.history().Newest(owner->second);
      if (there == nullptr || there->after.is_null()) continue;
      if (!IsMeant(reference, o.ns, there->after)) continue;
      if (!WasThere(facts, o, reference, read) || Waited(facts, owner->second, read)) continue;
      return Violate(o.seq, std::string(o.by),
                     fmt::format("{} deleted {}, and its owner {} lives (uid {})", o.by,
                                 ObjectOf(o), there->Name(), reference.Get("uid").AsString()),
                     {ObjectOf(o), there->Name()});
    }
  }

  // Whether the object has had the reference in all versions since it was read.
  static bool WasThere(const Facts& facts, const Observation& o, const Value& reference,
                       std::uint64_t read) {
    const Changes& changes = facts.history().OfObject(o.object);
    for (std::size_t i = changes.size(); i-- > 0;) {
      const CommittedChange& change = *changes[i];
      if (change.seq == o.seq) continue;
      bool has = false;
      for (const Value& other : ReferencesOf(change.after).items())
        has = has || other.Get("uid") == reference.Get("uid");
      if (!has) return false;
      if (change.seq < read) return true;
    }
    return false;
  }

  static bool Waited(const Facts& facts, std::uint64_t owner, std::uint64_t read) {
    const Changes& changes = facts.history().OfObject(owner);
    for (std::size_t i = changes.size(); i-- > 0;) {
      if (WaitsForDependents(changes[i]->after)) return true;
      if (changes[i]->seq < read) return false;
    }
    return true;  // the owner is younger than the look at the object
  }

  absl::flat_hash_map<std::uint64_t, std::uint64_t> objects_;  // what there is, by uid: hashes
  absl::flat_hash_map<std::uint64_t, std::uint64_t> read_;  // object -> seq of the last GET of it
  absl::flat_hash_map<std::uint64_t, std::uint64_t> deletions_;  // request -> that GET's seq
};

}  // namespace

OracleEntry GcSafeOracle() {
  return {&GcSafeInfo(), [] { return std::unique_ptr<Oracle>(new GcSafe); }, ""};
}

}  // namespace ksim::check
