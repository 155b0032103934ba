// CommitHistory: every commit of a run so far: the oracles' own account of the store, rebuilt from
// the write log alone. Trees are shared with the events, so it costs a few words a commit.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/object.h"
#include "ksim/base/hash.h"
#include "ksim/check/observation.h"
#include "ksim/value/value.h"

namespace ksim::check {

// One commit of one key.
struct CommittedChange {
  CommittedChange() = default;
  std::uint64_t seq = 0;
  std::int64_t t = 0;
  std::int64_t revision = 0;
  std::int64_t prev_revision = 0;  // of the key; 0 = there was nothing
  std::uint64_t object = 0;
  std::uint64_t request = 0;
  std::size_t position = 0;  // among those of its resource
  CommitOp op = CommitOp::kCreate;
  std::string resource, ns, name, by;
  value::Value before, after;  // null where there is nothing

  std::string Name() const;            // pods/default/p; nodes/n
  std::string_view uid() const;        // of what is there, or was
  const value::Value& state() const {  // the newest tree there is
    return after.is_null() ? before : after;
  }
};

// The commits of one resource in the order of (revision, sub). A position is an index into it.
using Changes = std::vector<const CommittedChange*>;
using Positions = std::vector<std::size_t>;

class CommitHistory {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void Take(const Observation& commit);

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  std::int64_t revision() const { return revision_; }  // of the newest commit
  const Changes& Of(std::string_view resource) const { return OfHash(Hash64(resource)); }
  const Changes& OfHash(std::uint64_t resource_hash) const;
  // The commit of this object at this revision; null: nobody made it.
  const CommittedChange* Commit(std::uint64_t object, std::int64_t revision) const;
  // The first position whose revision is above `revision`.
  std::size_t After(std::string_view resource, std::int64_t revision) const {
    return After(Of(resource), revision);
  }
  static std::size_t After(const Changes& of_resource, std::int64_t revision);
  // The object's newest commit; null: never there.
  const CommittedChange* Newest(std::uint64_t object) const;
  // The object's commit that was its newest at `revision`; null: it was not there yet.
  const CommittedChange* At(std::uint64_t object, std::int64_t revision) const;
  // All commits of an object, oldest first.
  const Changes& OfObject(std::uint64_t object) const;
  // Their positions in the resource's list.
  const Positions& PositionsOf(std::uint64_t object) const;
  // Positions in Of("pods") of the commits of pods that were or became a node's.
  const Positions& OnNode(std::string_view node) const;
  // pods/default/p, nodes/n of an object that was ever committed, else its hash.
  std::string NameOf(std::uint64_t object) const;

 private:
  struct ObjectChanges {
    Changes changes;
    Positions positions;  // of each in its resource's list
  };
  void FileUnderNode(const CommittedChange& pod, std::size_t position);

  // By the hashes of their names. Chunks, so that pointers stay good.
  std::vector<std::vector<CommittedChange>> chunks_;
  absl::flat_hash_map<std::uint64_t, Changes> by_resource_;      // looked up only
  absl::flat_hash_map<std::uint64_t, ObjectChanges> by_object_;  // looked up only
  absl::flat_hash_map<std::uint64_t, Positions> by_node_;        // looked up only
  std::size_t count_ = 0;
  std::int64_t revision_ = 0;
};

}  // namespace ksim::check
