#include "ksim/check/watch_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ksim::check {
namespace {

using Type = api::WatchEventType;

Type TypeOf(Meaning meaning) {
  if (meaning == Meaning::kDeleted) return Type::kDeleted;
  return meaning == Meaning::kAdded ? Type::kAdded : Type::kModified;
}

}  // namespace

WatchSequence WatchSequence::From(std::shared_ptr<const Collection> collection,
                                  std::int64_t start) {
  WatchSequence t;
  t.collection_ = std::move(collection);
  t.start_ = t.last_revision_ = start;
  t.next_ = CommitHistory::kNone;  // looked up at the first event
  return t;
}

WatchSequence WatchSequence::FromSomewhere(std::shared_ptr<const Collection> collection) {
  return From(std::move(collection), -1);
}

WatchSequence WatchSequence::FromState(std::shared_ptr<const Collection> collection,
                                       bool until_bookmark) {
  WatchSequence t;
  t.collection_ = std::move(collection);
  t.in_state_ = true;
  t.until_bookmark_ = until_bookmark;
  return t;
}

SequenceStep WatchSequence::Take(const CommitHistory& history, const Observation& e) {
  if (!collection_->judgeable() || e.type == Type::kError) return SequenceStep();
  if (history.empty()) {
    // Nothing can be judged, but the state of a store without any write is told all the same.
    if (in_state_ && e.type == Type::kBookmark && (e.initial_end || !until_bookmark_)) {
      *this = From(collection_, e.rv);
      last_bookmark_ = e.rv;
      last_bookmark_seq_ = e.seq;
    }
    return SequenceStep();
  }
  if (in_state_) return TakeState(history, e);
  if (start_ < 0) start_ = last_revision_ = e.type == Type::kBookmark ? e.rv : e.rv - 1;
  if (next_ == CommitHistory::kNone) FindNext(history);
  return e.type == Type::kBookmark ? TakeBookmark(history, e) : TakeData(history, e);
}

void WatchSequence::FindNext(const CommitHistory& history) {
  const ResourceChanges& all = collection_->ChangesIn(history);
  next_ = all.After(start_);
  unknown_ = start_ < all.floor ? all.floor : 0;
}

void WatchSequence::SkipForgotten(const CommitHistory& history) {
  if (in_state_ || next_ == CommitHistory::kNone) return;
  const ResourceChanges& all = collection_->ChangesIn(history);
  if (next_ >= all.first) return;
  next_ = all.first;
  unknown_ = std::max(unknown_, all.floor);
}

std::size_t WatchSequence::Awaits(const CommitHistory& history, std::size_t end) const {
  if (!collection_->judgeable()) return end;
  if (in_state_) return 0;  // of whichever revision it turns out to be
  std::size_t from = next_;
  if (from == CommitHistory::kNone)
    from = start_ < 0 ? end : collection_->ChangesIn(history).After(start_);
  if (pending_ != nullptr) from = std::min(from, pending_->position);
  return std::min(end, collection_->FirstIn(history, from, end));
}

SequenceStep WatchSequence::TakeState(const CommitHistory& history, const Observation& e) {
  SequenceStep step;
  step.judged = true;
  if (e.type == Type::kBookmark) {
    if (until_bookmark_ && !e.initial_end) return step;
    step.state_problem = EndState(history, e.rv);
    last_bookmark_ = e.rv;
    last_bookmark_seq_ = e.seq;
    return step;
  }
  const auto known = state_.find(e.object);
  if (until_bookmark_) {
    // Changes may come between; the whole is compared at the bookmark.
    step.again = known != state_.end() && known->second == e.rv && e.type == Type::kAdded;
    if (e.type == Type::kDeleted)
      state_.erase(e.object);
    else
      state_[e.object] = e.rv;
    return step;
  }
  if (e.type == Type::kAdded && known == state_.end()) {
    state_[e.object] = e.rv;
    return step;
  }
  if (e.type == Type::kAdded && known->second == e.rv) {
    step.again = true;
    return step;
  }
  std::string problem = EndState(history, e.rv - 1);
  step = TakeData(history, e);
  step.state_problem = std::move(problem);
  return step;
}

std::string WatchSequence::EndState(const CommitHistory& history, std::int64_t revision) {
  in_state_ = false;
  start_ = last_revision_ = revision;
  FindNext(history);
  std::string problem;
  std::size_t same = 0;
  if (unknown_ != 0) state_.clear();
  if (unknown_ != 0) return problem;
  for (const CommittedChange* c : collection_->ContentAt(history, revision)) {
    const auto told = state_.find(c->object);
    if (told != state_.end() && told->second == c->revision) {
      ++same;
    } else if (problem.empty()) {
      problem = told == state_.end() ? fmt::format("{} is not in it", c->Name())
                                     : fmt::format("{} is in it at revision {}, and was at {}",
                                                   c->Name(), told->second, c->revision);
    }
  }
  if (problem.empty() && same < state_.size())
    problem = fmt::format("{} objects are in it that were not there", state_.size() - same);
  state_.clear();
  if (problem.empty()) return problem;
  return fmt::format("the state at revision {} was told wrong: {}", revision, problem);
}

SequenceStep WatchSequence::TakeBookmark(const CommitHistory& history, const Observation& e) {
  SequenceStep step;
  step.judged = true;
  step.first = !told_any_;
  step.bookmark_back = e.rv < last_revision_ || e.rv < last_bookmark_;
  const std::size_t end = collection_->ChangesIn(history).After(e.rv);
  const std::size_t missing = collection_->FirstIn(history, next_, end);
  if (missing != CommitHistory::kNone && pending_ == nullptr) {
    pending_ = collection_->ChangesIn(history).at(missing);
    pending_bookmark_ = e.seq;
    pending_first_ = step.first;
  }
  // `next_` stays before what is missing: it may still come, too late.
  next_ = std::max(next_, missing == CommitHistory::kNone ? end : missing);
  if (e.rv > last_bookmark_) {
    last_bookmark_ = e.rv;
    last_bookmark_seq_ = e.seq;
  }
  last_revision_ = std::max(last_revision_, e.rv);
  return step;
}

// A change that a bookmark covered either comes now (the bookmark was ahead) or never.
void WatchSequence::TakePending(SequenceStep* step, const CommittedChange* change) {
  if (pending_ == nullptr) return;
  const CommittedChange* pending = std::exchange(pending_, nullptr);
  if (change == pending) return;
  step->lost = pending;
  step->bookmark = pending_bookmark_;
}

SequenceStep WatchSequence::TakeData(const CommitHistory& history, const Observation& e) {
  if (e.rv <= unknown_) return SequenceStep();
  SequenceStep step;
  step.judged = step.data = true;
  step.first = !told_any_;
  told_any_ = true;
  if (e.rv < highest_told_) step.above = highest_told_;
  highest_told_ = std::max(highest_told_, e.rv);
  step.change = history.Commit(e.object, e.rv);
  if (step.change == nullptr)
    return e.rv <= collection_->ChangesIn(history).floor ? SequenceStep() : step;
  const CommittedChange& change = *step.change;
  const std::size_t position = change.position;
  const Meaning meaning = collection_->Of(change);
  step.wrong = meaning == Meaning::kNothing || TypeOf(meaning) != e.type ||
               (!e.uid.empty() && e.uid != change.uid());
  step.before_start = change.revision <= start_;
  if (last_bookmark_ != 0 && change.revision <= last_bookmark_ && !step.before_start) {
    step.after_bookmark = true;
    step.bookmark = last_bookmark_seq_;
  }
  if (position < next_) {
    const auto late = std::find(skipped_.begin(), skipped_.end(), position);
    step.back = late != skipped_.end();
    if (step.back) skipped_.erase(late);
    step.again = !step.back && !step.before_start;
    return step;
  }
  TakePending(&step, &change);
  for (std::size_t from = next_;;) {
    const std::size_t missing = collection_->FirstIn(history, from, position);
    if (missing == CommitHistory::kNone) break;
    if (step.missing == nullptr) step.missing = collection_->ChangesIn(history).at(missing);
    skipped_.push_back(missing);
    from = missing + 1;
  }
  if (step.missing == step.lost) step.missing = nullptr;
  next_ = position + 1;
  last_revision_ = std::max(last_revision_, change.revision);
  last_seq_ = e.seq;
  return step;
}

SequenceStep WatchSequence::Unkept() const {
  SequenceStep step;
  if (pending_ == nullptr) return step;
  step.judged = true;
  step.first = pending_first_;
  step.lost = pending_;
  step.bookmark = pending_bookmark_;
  return step;
}

}  // namespace ksim::check
