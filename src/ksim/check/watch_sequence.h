// WatchSequence: how far one sequence of watch events has come in the history, and what each next
// event is with regard to it. The sequence is one connection (watch.*), or all connections of one
// reflector between two lists (resume.*).
//
// A sequence may begin with the state instead of changes: ADDED for what is there, in any order. It
// ends at the bookmark that says so, or, without one, at the first event that cannot belong to it;
// then what was told must be the state.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/check/collection.h"
#include "ksim/check/commit_history.h"
#include "ksim/check/observation.h"

namespace ksim::check {

// The judgement of an event, given those before it.
struct SequenceStep {
  SequenceStep() = default;
  bool judged = false;                       // false: the rest says nothing
  const CommittedChange* change = nullptr;   // the commit that it tells of; null: there is none
  const CommittedChange* missing = nullptr;  // one before it that was not told
  const CommittedChange* lost = nullptr;     // one that a bookmark covered and that was not told
  std::uint64_t bookmark = 0;                // its seq
  bool data = false;                         // not a bookmark, not part of the state
  bool first = false;                        // the first data event, or a bookmark before it
  bool before_start = false;                 // of a revision at or below the start
  bool again = false;                        // told before
  bool back = false;                         // older than one told before, and not told then
  std::int64_t above = 0;       // a revision told before, in a data event, above its own
  bool after_bookmark = false;  // at or below a bookmark's revision
  bool bookmark_back = false;   // a bookmark below an event or bookmark before it
  bool wrong = false;           // not the type, or not the object, that the commit says
  SharedText state_problem;     // the state told is not the state: how; mostly none
};

class WatchSequence {
 public:
  WatchSequence() = default;
  // Changes after `start` come.
  static WatchSequence From(std::shared_ptr<const Collection> collection, std::int64_t start);
  // Changes after wherever the first event shows it to be.
  static WatchSequence FromSomewhere(std::shared_ptr<const Collection> collection);
  // The state comes first.
  static WatchSequence FromState(std::shared_ptr<const Collection> collection, bool until_bookmark);

  const Collection& collection() const { return *collection_; }
  bool in_state() const { return in_state_; }
  std::int64_t last() const { return last_revision_; }  // highest revision told, start included
  std::uint64_t last_seq() const { return last_seq_; }  // of the event that told it
  std::int64_t start() const { return start_; }

  SequenceStep Take(const CommitHistory& history, const Observation& event);
  // Leaves out of judgement the changes that the history has forgotten meanwhile: to be called
  // before an event of a stream that holds nothing there any more.
  void SkipForgotten(const CommitHistory& history);
  // The first position before `end` whose change may still come, or be asked for; else `end`.
  std::size_t Awaits(const CommitHistory& history, std::size_t end) const;
  // If it ends here: what a bookmark covered and nobody told (SequenceStep::lost), if anything.
  SequenceStep Unkept() const;

 private:
  SequenceStep TakeState(const CommitHistory& history, const Observation& event);
  SequenceStep TakeBookmark(const CommitHistory& history, const Observation& bookmark);
  SequenceStep TakeData(const CommitHistory& history, const Observation& event);
  void FindNext(const CommitHistory& history);
  // Compares what was told with the state at a revision, and goes on from there.
  std::string EndState(const CommitHistory& history, std::int64_t revision);
  void TakePending(SequenceStep* step, const CommittedChange* change);

  std::shared_ptr<const Collection> collection_;
  std::int64_t start_ = 0;
  bool in_state_ = false, until_bookmark_ = false;
  bool told_any_ = false;
  std::size_t next_ = 0;  // position from which changes have not been told
  std::int64_t unknown_ =
      0;  // up to this revision the history had forgotten what comes after start_
  std::int64_t last_revision_ = 0, last_bookmark_ = 0;
  std::int64_t highest_told_ = 0;  // by data events, also of no commit
  std::uint64_t last_seq_ = 0, last_bookmark_seq_ = 0;
  std::vector<std::size_t> skipped_;          // positions that should have been told and were not
  const CommittedChange* pending_ = nullptr;  // covered by a bookmark, not told so far
  std::uint64_t pending_bookmark_ = 0;
  bool pending_first_ = false;
  absl::flat_hash_map<std::uint64_t, std::int64_t> state_;  // object -> rv; looked up, counted
};

}  // namespace ksim::check
