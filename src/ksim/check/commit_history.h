// CommitHistory: the commits of a run: the oracles' own account of the store, rebuilt from the
// write log alone. Trees are shared with the events, so it costs a few words a commit.
//
// It forgets on demand: of the commits up to a revision it then knows only the state at that
// revision, so that the memory of a long run does not grow. What is asked of older ones is answered
// as if nobody had made them: whoever judges that asks first whether they may be forgotten.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/object.h"
#include "ksim/base/hash.h"
#include "ksim/base/internal/free_lists.h"
#include "ksim/check/observation.h"
#include "ksim/value/value.h"

namespace ksim::check {

// One commit of one key.
struct CommittedChange {
  CommittedChange() = default;
  static void* operator new(std::size_t n) { return Places::Allocate(n); }
  static void operator delete(void* p, std::size_t n) noexcept { Places::Free(p, n); }

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

 private:
  using Places = FreeLists<16, 1024>;
};

// In the order of (revision, sub).
using Changes = std::vector<const CommittedChange*>;

// The commits of one resource. A position counts them from 0, and stays a commit's when others are
// forgotten.
struct ResourceChanges {
  ResourceChanges() = default;
  Changes list;           // those that are known
  std::size_t kept = 0;   // the first so many of them are the state before position `first`
  std::size_t first = 0;  // from this position on all are known
  std::int64_t floor =
      0;  // revision of the last one before `first`; of older states nothing is known

  std::size_t end() const { return first + list.size() - kept; }
  // `position` is from `first` on.
  const CommittedChange* at(std::size_t position) const { return list[kept + position - first]; }
  // The first position from `first` on whose revision is above `revision`.
  std::size_t After(std::int64_t revision) const;
};

class CommitHistory {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  CommitHistory() = default;
  ~CommitHistory();
  CommitHistory(const CommitHistory&) = delete;
  CommitHistory& operator=(const CommitHistory&) = delete;

  void Take(const Observation& commit);
  // Forgets the commits up to a revision but for the state at it, and those from a position on that
  // is held. `held`: such positions by the hash of their resource.
  void Forget(std::int64_t revision, const absl::flat_hash_map<std::uint64_t, std::size_t>& held);

  bool empty() const { return by_resource_.empty(); }
  std::int64_t revision() const { return revision_; }  // of the newest commit
  std::size_t known() const;                           // how many commits it has not forgotten
  const Changes& Of(std::string_view resource) const { return OfHash(Hash64(resource)).list; }
  const ResourceChanges& OfHash(std::uint64_t resource_hash) const;
  // The commit of this object at this revision; null: nobody made it.
  const CommittedChange* Commit(std::uint64_t object, std::int64_t revision) const;
  // The index of the first commit whose revision is above `revision`.
  static std::size_t After(const Changes& of_resource, std::int64_t revision);
  // The object's newest commit; null: never there, or deleted and forgotten.
  const CommittedChange* Newest(std::uint64_t object) const;
  // The object's commit that was its newest at `revision`; null: it was not there yet.
  const CommittedChange* At(std::uint64_t object, std::int64_t revision) const;
  // All commits of an object, oldest first.
  const Changes& OfObject(std::uint64_t object) const;
  // The commits of pods that were or became a node's.
  const Changes& OnNode(std::string_view node) const;
  // pods/default/p, nodes/n of an object that is known, else its hash.
  std::string NameOf(std::uint64_t object) const;

  // Whether a commit at this revision, or one after the event `seq`, may be forgotten.
  bool MayLack(std::int64_t revision) const { return revision <= forgotten_revision_; }
  bool MayLackSince(std::uint64_t seq) const { return seq < forgotten_seq_; }

 private:
  void FileUnderNode(const CommittedChange& pod);
  void ForgetBefore(std::size_t end, ResourceChanges* all);
  bool IsKnown(const CommittedChange& change, std::size_t end) const;

  // By the hashes of their names. The resources own the commits.
  absl::flat_hash_map<std::uint64_t, ResourceChanges> by_resource_;
  absl::flat_hash_map<std::uint64_t, Changes> by_object_;  // looked up only
  absl::flat_hash_map<std::uint64_t, Changes> by_node_;
  std::int64_t revision_ = 0;
  std::int64_t forgotten_revision_ = 0;  // the newest of what may be forgotten
  std::uint64_t forgotten_seq_ = 0;
};

}  // namespace ksim::check
