#include "ksim/trace/event_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ksim/trace/diff_values.h"

namespace ksim::trace {
namespace {

// The keys by which events of two traces match.
class MatchKeys {
 public:
  MatchKeys(const Trace& trace, const TraceIdentities& identities, std::size_t begin,
            std::size_t end)
      : identities_(identities) {
    std::unordered_map<std::string, std::uint64_t> ordinals;
    for (std::size_t i = 0; i < end; ++i) {
      const std::string key = KeyOf(trace.events[i]);
      if (i >= begin) keys_.push_back(fmt::format("{}|{}", key, ++ordinals[key]));
    }
  }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::string PlainKey(const Record& r) const {
    std::string_view what;
    for (std::string_view field : {"verb", "type", "op", "stage", "state", "action"})
      if (what.empty()) what = r.Text(field);
    std::string object = identities_.Of(r);
    for (std::string_view field :
         {"informer", "listener", "controller", "subresource", "container"})
      if (const std::string_view v = r.Text(field); !v.empty()) object += fmt::format("|{}", v);
    return fmt::format("{}|{}|{}|{}", r.actor, static_cast<int>(r.kind), what, object);
  }

  // A response or stage without an object of its own is about its request's.
  std::string KeyOf(const Record& r) {
    if (r.kind == sim::EventKind::kRequest) {
      const std::string key = PlainKey(r);
      requests_[r.Int("id")] = key;
      return key;
    }
    if (r.kind == sim::EventKind::kResponse) {
      const auto it = requests_.find(r.Int("id"));
      if (it != requests_.end()) return fmt::format("response|{}", it->second);
    }
    if (r.kind == sim::EventKind::kWebhook) {
      const auto it = requests_.find(r.Int("request"));
      return fmt::format("{}|{}|{}|{}", PlainKey(r), r.Text("webhook"), r.Text("state"),
                         it != requests_.end() ? it->second : "");
    }
    if (r.kind == sim::EventKind::kStage) {
      const auto it = requests_.find(r.Int("request"));
      if (it != requests_.end()) return fmt::format("{}|{}", PlainKey(r), it->second);
    }
    return PlainKey(r);
  }

  const TraceIdentities& identities_;
  std::unordered_map<std::int64_t, std::string> requests_;
  std::vector<std::string> keys_;
};

// Whether two stretches of one length differ in a few events and not in their course.
bool MostlyEqual(const Trace& left, const Trace& right, std::size_t begin, std::size_t end) {
  constexpr std::size_t kFew = 4;
  std::size_t different = 0;
  for (std::size_t i = begin; i < end; ++i)
    different += FieldsThatDiffer(left.events[i], right.events[i]).empty() ? 0 : 1;
  return different == 1 || different * kFew <= end - begin;
}

}  // namespace

EventMatching::EventMatching(const Trace& left, const TraceIdentities& left_identities,
                             const Trace& right, const TraceIdentities& right_identities,
                             bool exact)
    : to_right_(left.events.size(), kNone), to_left_(right.events.size(), kNone) {
  const auto same = [&](std::size_t a, std::size_t b) {
    return FieldsThatDiffer(left.events[a], right.events[b]).empty();
  };
  std::size_t begin = 0, left_end = to_right_.size(), right_end = to_left_.size();
  if (exact) {
    for (; begin < std::min(left_end, right_end) && same(begin, begin); ++begin) Pair(begin, begin);
    for (; left_end > begin && right_end > begin && same(left_end - 1, right_end - 1);) {
      --left_end;
      --right_end;
      Pair(left_end, right_end);
    }
    if (left_end == right_end && MostlyEqual(left, right, begin, left_end)) {
      for (; begin < left_end; ++begin) Pair(begin, begin);
      return;
    }
  }
  const MatchKeys of_left(left, left_identities, begin, left_end);
  const MatchKeys of_right(right, right_identities, begin, right_end);
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < of_right.keys().size(); ++i) index[of_right.keys()[i]] = begin + i;
  for (std::size_t i = 0; i < of_left.keys().size(); ++i) {
    const auto it = index.find(of_left.keys()[i]);
    if (it != index.end()) Pair(begin + i, it->second);
  }
}

}  // namespace ksim::trace
