#include "ksim/trace/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/trace/diff_values.h"
#include "ksim/trace/identity.h"
#include "ksim/trace/state.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using value::Value;

// The key by which events of two traces match, without the ordinal.
std::string MatchKey(const Record& r, const TraceIdentities& identities) {
  std::string_view what;
  for (std::string_view field : {"verb", "type", "op", "stage", "state", "action"})
    if (what.empty()) what = r.Text(field);
  std::string object = identities.Of(r);
  for (std::string_view field : {"informer", "listener", "controller", "subresource", "container"})
    if (const std::string_view v = r.Text(field); !v.empty()) object += fmt::format("|{}", v);
  return fmt::format("{}|{}|{}|{}", r.actor, static_cast<int>(r.kind), what, object);
}

struct Side {
  explicit Side(const Trace& t) : trace(t), identities(t.events) {}

  void MakeKeys() {
    std::map<std::string, std::uint64_t> ordinals;
    keys.reserve(trace.events.size());
    for (const Record& r : trace.events) {
      const std::string key = MatchKeyOf(r);
      keys.push_back(fmt::format("{}|{}", key, ++ordinals[key]));
    }
  }
  // A response, stage or commit without an object of its own is about its request's.
  std::string MatchKeyOf(const Record& r) {
    if (r.kind == sim::EventKind::kRequest) {
      const std::string key = MatchKey(r, identities);
      requests[r.Int("id")] = key;
      return key;
    }
    if (r.kind == sim::EventKind::kResponse) {
      const auto it = requests.find(r.Int("id"));
      if (it != requests.end()) return fmt::format("response|{}", it->second);
    }
    if (r.kind == sim::EventKind::kStage) {
      const auto it = requests.find(r.Int("request"));
      if (it != requests.end()) return fmt::format("{}|{}", MatchKey(r, identities), it->second);
    }
    return MatchKey(r, identities);
  }
  const Trace& trace;
  TraceIdentities identities;
  std::map<std::int64_t, std::string> requests;
  std::vector<std::string> keys;
};

class Comparison {
 public:
  Comparison(const Trace& left, const Trace& right, const DiffOptions& options)
      : left_(left), right_(right), equality_(left_.identities, right_.identities, options.strict) {
    const TraceIdentities of_left = left_.identities;
    left_.identities.ForgetWhatLacksCreation(right.events, right_.identities);
    right_.identities.ForgetWhatLacksCreation(left.events, of_left);
    left_.MakeKeys();
    right_.MakeKeys();
  }

  Diff Run() {
    Match();
    CompareMatched();
    AddUnmatched();
    Sort();
    MarkFollowers();
    CompareStates();
    NamePairs();
    diff_.equal = diff_.differences.empty() && diff_.objects.empty();
    return std::move(diff_);
  }

 private:
  void Match() {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < right_.keys.size(); ++i) index[right_.keys[i]] = i;
    to_right_.assign(left_.keys.size(), kNone);
    to_left_.assign(right_.keys.size(), kNone);
    for (std::size_t i = 0; i < left_.keys.size(); ++i) {
      const auto it = index.find(left_.keys[i]);
      if (it == index.end()) continue;
      to_right_[i] = it->second;
      to_left_[it->second] = i;
    }
  }

  void CompareMatched() {
    for (std::size_t i = 0; i < to_right_.size(); ++i) {
      if (to_right_[i] == kNone) continue;
      const Record& a = left_.trace.events[i];
      const Record& b = right_.trace.events[to_right_[i]];
      std::vector<std::string> fields = equality_.DifferentFields(a, b);
      if (fields.empty()) continue;
      Difference d;
      d.left = i;
      d.right = to_right_[i];
      d.object = left_.identities.Of(a);
      d.fields = std::move(fields);
      diff_.differences.push_back(std::move(d));
    }
  }

  void AddUnmatched() {
    for (std::size_t i = 0; i < to_right_.size(); ++i) {
      if (to_right_[i] != kNone) continue;
      Difference d;
      d.left = i;
      d.object = left_.identities.Of(left_.trace.events[i]);
      diff_.differences.push_back(std::move(d));
    }
    for (std::size_t i = 0; i < to_left_.size(); ++i) {
      if (to_left_[i] != kNone) continue;
      Difference d;
      d.right = i;
      d.object = right_.identities.Of(right_.trace.events[i]);
      diff_.differences.push_back(std::move(d));
    }
  }

  std::int64_t TimeOf(const Difference& d) const {
    std::int64_t t = INT64_MAX;
    if (d.left) t = left_.trace.events[*d.left].t;
    if (d.right) t = std::min(t, right_.trace.events[*d.right].t);
    return t;
  }

  // Where in its trace; of a pair, where it stands earlier.
  static std::size_t PlaceOf(const Difference& d) {
    return std::min(d.left.value_or(kNone), d.right.value_or(kNone));
  }

  // By time; of one instant, by place.
  void Sort() {
    const auto before = [this](const Difference& a, const Difference& b) {
      return std::pair(TimeOf(a), PlaceOf(a)) < std::pair(TimeOf(b), PlaceOf(b));
    };
    std::stable_sort(diff_.differences.begin(), diff_.differences.end(), before);
    if (!diff_.differences.empty()) FindLastCommon(diff_.differences.front());
  }

  void FindLastCommon(const Difference& parting) {
    std::set<std::size_t> different;
    for (const Difference& d : diff_.differences)
      if (d.left) different.insert(*d.left);
    const std::int64_t first = TimeOf(parting);
    const std::size_t left_end = parting.left.value_or(kNone);
    const std::size_t right_end = parting.right.value_or(kNone);
    for (std::size_t i = 0; i < std::min(to_right_.size(), left_end); ++i) {
      if (left_.trace.events[i].t > first) break;
      const bool common = to_right_[i] != kNone && different.count(i) == 0;
      if (common && to_right_[i] < right_end) diff_.last_common = {i, to_right_[i]};
    }
  }

  void MarkFollowers() {
    std::set<std::size_t> left, right;
    for (const Difference& d : diff_.differences) {
      if (d.left) left.insert(*d.left);
      if (d.right) right.insert(*d.right);
    }
    for (Difference& d : diff_.differences)
      d.follows = (d.left && HasCauseIn(left_.trace, *d.left, left)) ||
                  (d.right && HasCauseIn(right_.trace, *d.right, right));
  }

  static bool HasCauseIn(const Trace& trace, std::size_t event,
                         const std::set<std::size_t>& different) {
    const std::vector<std::size_t> chain = CauseChain(trace, event);
    return std::any_of(chain.begin() + 1, chain.end(),
                       [&](std::size_t i) { return different.count(i) != 0; });
  }

  std::map<std::string, api::Object> FinalObjects(const Side& side) const {
    std::map<std::string, api::Object> out;
    const auto state = StateAt(side.trace, Moment());
    if (!state.ok()) return out;
    for (const auto& [key, object] : state->objects())
      out[side.identities.Of(key.resource, key.ns, key.name)] = object;
    return out;
  }

  void CompareStates() {
    const std::map<std::string, api::Object> left = FinalObjects(left_);
    const std::map<std::string, api::Object> right = FinalObjects(right_);
    for (const auto& [identity, object] : left) {
      const auto other = right.find(identity);
      ObjectDifference d;
      d.object = identity;
      if (other == right.end())
        d.kind = ObjectDifference::Kind::kOnlyLeft;
      else
        d.changes = equality_.DifferentPlaces(object.tree(), other->second.tree());
      if (other == right.end() || !d.changes.empty()) diff_.objects.push_back(std::move(d));
    }
    for (const auto& [identity, object] : right) {
      if (left.count(identity) != 0) continue;
      ObjectDifference d;
      d.object = identity;
      d.kind = ObjectDifference::Kind::kOnlyRight;
      diff_.objects.push_back(std::move(d));
    }
  }

  void NamePairs() {
    for (const auto& [name, identity] : left_.identities.generated())
      diff_.paired[identity].first = name;
    for (const auto& [name, identity] : right_.identities.generated())
      diff_.paired[identity].second = name;
    for (auto it = diff_.paired.begin(); it != diff_.paired.end();) {
      const auto& [a, b] = it->second;
      it = a.empty() || b.empty() || a == b ? diff_.paired.erase(it) : std::next(it);
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  Side left_, right_;
  RecordEquality equality_;
  std::vector<std::size_t> to_right_, to_left_;
  Diff diff_;
};

}  // namespace

Diff Compare(const Trace& left, const Trace& right, const DiffOptions& options) {
  if (left.end && right.end && !left.end->digest.empty() && left.end->digest == right.end->digest) {
    Diff same;
    same.equal = same.by_digest = true;
    return same;
  }
  return Comparison(left, right, options).Run();
}

std::vector<std::size_t> CauseChain(const Trace& trace, std::size_t event) {
  std::vector<std::size_t> chain{event};
  while (true) {
    const std::uint64_t cause = trace.events[chain.back()].cause;
    if (cause == 0 || cause > trace.events.size() || cause - 1 >= chain.back()) return chain;
    chain.push_back(cause - 1);
  }
}

std::optional<Divergence> FirstDivergence(const std::vector<Record>& left,
                                          const std::vector<Record>& right) {
  const std::size_t n = std::max(left.size(), right.size());
  for (std::size_t i = 0; i < n; ++i) {
    Divergence d;
    d.index = i;
    if (i < left.size()) d.left = ToJsonLine(left[i]);
    if (i < right.size()) d.right = ToJsonLine(right[i]);
    if (d.left != d.right) return d;
  }
  return std::nullopt;
}

}  // namespace ksim::trace
