#include "ksim/controllers/nodelifecycle/taint_queue.h"

#include <algorithm>

namespace ksim::controllers {

Duration IntervalOf(EvictionRate rate) {
  switch (rate) {
    case EvictionRate::kNormal:
      return Nanoseconds(9'999'999'850);
    case EvictionRate::kSecondary:
      return Nanoseconds(100'000'002'235);
    case EvictionRate::kNone:
      break;
  }
  return {};
}

bool TaintQueue::Add(const std::string& name, VirtualTime now) {
  if (!known_.insert(name).second) return false;
  waiting_.insert(Item{now, next_number_++, name});
  return true;
}

bool TaintQueue::Remove(const std::string& name) {
  if (known_.erase(name) == 0) return false;
  TakeOut(name);
  return true;
}

std::optional<std::string> TaintQueue::Take(VirtualTime now) {
  if (waiting_.empty() || !TryAccept(now)) return std::nullopt;
  const Item& head = *waiting_.begin();
  if (now < head.process_at) return std::nullopt;
  return head.name;
}

void TaintQueue::Finish(const std::string& name) { TakeOut(name); }

void TaintQueue::Retry(const std::string& name, VirtualTime taken, Duration wait) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(),
                               [&name](const Item& item) { return item.name == name; });
  if (it == waiting_.end()) return;
  waiting_.erase(it);
  waiting_.insert(Item{taken + wait + Nanoseconds(1), next_number_++, name});
}

void TaintQueue::SwapLimiter(EvictionRate rate, VirtualTime now) {
  if (rate == rate_ && rate != EvictionRate::kNone) return;
  const bool drained = rate != EvictionRate::kNone && !TryAccept(now);
  rate_ = rate;
  token_at_ = drained ? now + IntervalOf(rate) : now;
}

std::optional<VirtualTime> TaintQueue::NextLook(VirtualTime now) const {
  if (waiting_.empty() || rate_ == EvictionRate::kNone) return std::nullopt;
  return std::max(now, token_at_);
}

bool TaintQueue::TryAccept(VirtualTime now) {
  if (rate_ == EvictionRate::kNone || now < token_at_) return false;
  token_at_ = now + IntervalOf(rate_);
  return true;
}

void TaintQueue::TakeOut(const std::string& name) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(),
                               [&name](const Item& item) { return item.name == name; });
  if (it != waiting_.end()) waiting_.erase(it);
}

}  // namespace ksim::controllers
