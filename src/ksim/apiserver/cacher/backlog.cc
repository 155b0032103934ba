#include "ksim/apiserver/cacher/backlog.h"

#include <utility>

namespace ksim::apiserver {

Backlog::Backlog(std::size_t size, WatchInterval initial, Convert convert)
    : size_(size), convert_(std::move(convert)), initial_(std::move(initial)) {
  Advance();
}

bool Backlog::Add(const CacheEvent& event) {
  if (stopped_) return true;
  if (input_.size() >= size_) return false;
  input_.push_back(event);
  Advance();
  return true;
}

std::optional<Outgoing> Backlog::Take() {
  if (result_.empty()) return std::nullopt;
  Outgoing next = std::move(result_.front());
  result_.pop_front();
  Advance();
  return next;
}

void Backlog::Stop(std::string_view why, bool drain) {
  stopped_ = true;
  if (!drain) {
    initial_ = WatchInterval();
    input_.clear();
    in_hand_.reset();
  }
  if (!initial_.overwritten()) stop_reason_ = why;
}

// Moves events from station to station as far as there is room, as upstream's goroutine of the
// watcher does until it blocks.
void Backlog::Advance() {
  while (true) {
    if (in_hand_) {
      if (result_.size() >= size_) return;
      result_.push_back(*std::exchange(in_hand_, std::nullopt));
    }
    bool initial = false;
    const std::optional<CacheEvent> next = NextIn(&initial);
    if (!next) return;
    in_hand_ = convert_(*next, initial);
  }
}

std::optional<CacheEvent> Backlog::NextIn(bool* initial) {
  std::optional<CacheEvent> next = initial_.Next();
  *initial = next.has_value();
  if (next) return next;
  initial_sent_ = true;
  if (initial_.overwritten()) {
    stopped_ = true;
    stop_reason_ = "overwritten";
    input_.clear();
  }
  if (input_.empty()) return std::nullopt;
  next = std::move(input_.front());
  input_.pop_front();
  return next;
}

}  // namespace ksim::apiserver
