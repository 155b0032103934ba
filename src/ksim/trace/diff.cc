#include "ksim/trace/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "ksim/api/core/verbs.h"
#include "ksim/base/status.h"
#include "ksim/trace/diff_values.h"
#include "ksim/trace/event_matching.h"
#include "ksim/trace/identity.h"
#include "ksim/trace/revision_meanings.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace_claims.h"

namespace ksim::trace {
namespace {

constexpr std::size_t kNone = EventMatching::kNone;

// The two give the same line.
bool SameRecord(const Record& a, const Record& b) {
  return a.seq == b.seq && a.t == b.t && a.cause == b.cause && a.kind == b.kind &&
         a.actor == b.actor &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const value::Value::Member& x, const value::Value::Member& y) {
                      return x.name == y.name && x.value == y.value;
                    });
}

// One of the two traces.
class Side {
 public:
  // `other`: the other trace.
  Side(const Trace& trace, const Trace& other)
      : trace_(trace), identities_(Known(trace, other)), revisions_(trace.events, identities_) {
    for (const Record& r : trace.events)
      if (r.kind == sim::EventKind::kRequest) requests_[r.Int("id")] = &r;
    const auto begins = [](const Record& r) {
      return (r.kind == sim::EventKind::kPhase && r.Text("name") == "workload") ||
             r.kind == sim::EventKind::kStep;
    };
    const auto it = std::find_if(trace.events.begin(), trace.events.end(), begins);
    workload_ = it == trace.events.end() ? 0 : static_cast<std::size_t>(it - trace.events.begin());
  }

  const Trace& trace() const { return trace_; }
  const Record& at(std::size_t event) const { return trace_.events[event]; }
  const TraceIdentities& identities() const { return identities_; }
  Meanings meanings() const { return {identities_, revisions_}; }
  // A fault or violation there is no part of it.
  bool InStartUp(std::size_t event) const {
    const sim::EventKind kind = at(event).kind;
    return event < workload_ && kind != sim::EventKind::kFault &&
           kind != sim::EventKind::kViolation;
  }

  // Whether an event is only about what somebody reads or hears; what is written of Events and
  // Leases counts as that.
  bool IsTold(std::size_t event) const {
    const Record& r = at(event);
    switch (r.kind) {
      case sim::EventKind::kRequest:
        return IsRead(r) || IsMinor(r);
      case sim::EventKind::kResponse: {
        const auto it = requests_.find(r.Int("id"));
        return it != requests_.end() && (IsRead(*it->second) || IsMinor(*it->second));
      }
      case sim::EventKind::kCommit:
        return IsMinor(r);
      case sim::EventKind::kRuntime:
      case sim::EventKind::kFault:
      case sim::EventKind::kPhase:
      case sim::EventKind::kActor:
      case sim::EventKind::kStep:
      case sim::EventKind::kViolation:
      case sim::EventKind::kInput:
      case sim::EventKind::kWebhook:
      case sim::EventKind::kLog:
        return false;
      default:
        return true;
    }
  }

 private:
  static TraceIdentities Known(const Trace& trace, const Trace& other) {
    const std::string_view version = trace.header.compat, others = other.header.compat;
    const HashNames hashes =
        version == others ? HashNames::kStandForThemselves : HashNames::kAreGenerated;
    TraceIdentities known(trace.events, hashes);
    known.ForgetWhatLacksCreation(other.events, TraceIdentities(other.events, hashes));
    return known;
  }
  static bool IsRead(const Record& request) { return api::IsRead(request.Text("verb")); }
  static bool IsMinor(const Record& r) {
    const std::string_view resource = r.Text("resource");
    return resource.starts_with("events") || resource == "leases";
  }

  const Trace& trace_;
  TraceIdentities identities_;
  RevisionMeanings revisions_;
  std::unordered_map<std::int64_t, const Record*> requests_;  // by id
  std::size_t workload_ = 0;                                  // its first event
};

class Comparison {
 public:
  Comparison(const Trace& left, const Trace& right, bool exact)
      : left_(left, right),
        right_(right, left),
        equality_(left_.meanings(), right_.meanings(), exact),
        matching_(left, left_.identities(), right, right_.identities(), exact) {
    diff_.exact = exact;
  }

  Diff Run() {
    CompareMatched();
    AddUnmatched();
    Classify();
    MarkFollowers();
    Sort();
    FindLastCommon();
    CompareStates();
    NamePairs();
    CompareLines();
    diff_.equal = diff_.differences.empty() && diff_.objects.empty() && diff_.claims.empty();
    return std::move(diff_);
  }

 private:
  void CompareMatched() {
    for (std::size_t i = 0; i < left_.trace().events.size(); ++i) {
      const std::size_t other = matching_.RightOf(i);
      if (other == kNone) continue;
      std::vector<std::string> fields = equality_.DifferentFields(left_.at(i), right_.at(other));
      if (fields.empty()) continue;
      Difference& d = Add(i, other);
      d.fields = std::move(fields);
      if (left_.at(i).kind == sim::EventKind::kCommit)
        d.changes = equality_.DifferentChanges(left_.at(i), right_.at(other));
    }
  }

  void AddUnmatched() {
    for (std::size_t i = 0; i < left_.trace().events.size(); ++i)
      if (matching_.RightOf(i) == kNone) Add(i, std::nullopt);
    for (std::size_t i = 0; i < right_.trace().events.size(); ++i)
      if (matching_.LeftOf(i) == kNone) Add(std::nullopt, i);
  }

  Difference& Add(std::optional<std::size_t> left, std::optional<std::size_t> right) {
    Difference d;
    d.left = left;
    d.right = right;
    d.object =
        left ? left_.identities().Of(left_.at(*left)) : right_.identities().Of(right_.at(*right));
    diff_.differences.push_back(std::move(d));
    return diff_.differences.back();
  }

  // Whether only the numbers of versions differ: how often others had written until then.
  static bool OnlyRevisionsDiffer(const Difference& d) {
    static constexpr std::string_view kRevisions[] = {"rv", "oldRv", "prevRv", "revision"};
    return !d.fields.empty() &&
           std::all_of(d.fields.begin(), d.fields.end(), [](const std::string& field) {
             return std::find(std::begin(kRevisions), std::end(kRevisions), field) !=
                    std::end(kRevisions);
           });
  }

  void Classify() {
    const auto all = [](const Difference& d, auto of_left, auto of_right) {
      return (!d.left || of_left(*d.left)) && (!d.right || of_right(*d.right));
    };
    for (Difference& d : diff_.differences) {
      d.told = OnlyRevisionsDiffer(d) || all(
                                             d, [&](std::size_t i) { return left_.IsTold(i); },
                                             [&](std::size_t i) { return right_.IsTold(i); });
      d.start_up = all(
          d, [&](std::size_t i) { return left_.InStartUp(i); },
          [&](std::size_t i) { return right_.InStartUp(i); });
    }
  }

  // An act follows only acts: that somebody heard of something in another way is no cause of one.
  void MarkFollowers() {
    std::set<std::size_t> left[2], right[2];  // [1]: only what was done
    for (const Difference& d : diff_.differences)
      for (const bool done : {false, true}) {
        if (done && d.told && !diff_.exact) continue;
        if (d.left) left[done].insert(*d.left);
        if (d.right) right[done].insert(*d.right);
      }
    for (Difference& d : diff_.differences)
      d.follows = (d.left && HasCauseIn(left_.trace(), *d.left, left[!d.told])) ||
                  (d.right && HasCauseIn(right_.trace(), *d.right, right[!d.told]));
  }

  static bool HasCauseIn(const Trace& trace, std::size_t event,
                         const std::set<std::size_t>& different) {
    const std::vector<std::size_t> chain = CauseChain(trace, event);
    return std::any_of(chain.begin() + 1, chain.end(),
                       [&](std::size_t i) { return different.count(i) != 0; });
  }

  std::int64_t TimeOf(const Difference& d) const {
    std::int64_t t = INT64_MAX;
    if (d.left) t = left_.at(*d.left).t;
    if (d.right) t = std::min(t, right_.at(*d.right).t);
    return t;
  }

  // Where in its trace; of a pair, where it stands earlier.
  static std::size_t PlaceOf(const Difference& d) {
    return std::min(d.left.value_or(kNone), d.right.value_or(kNone));
  }

  // How late a difference is listed.
  int RankOf(const Difference& d) const {
    if (diff_.exact) return 0;
    return (d.start_up ? 4 : 0) + (d.told ? 2 : 0) + (d.follows ? 1 : 0);
  }

  // An event that only one trace has goes before those that it moves.
  void Sort() {
    const auto place = [this](const Difference& d) {
      return std::tuple(RankOf(d), TimeOf(d), PlaceOf(d), d.left && d.right);
    };
    const auto before = [&](const Difference& a, const Difference& b) {
      return place(a) < place(b);
    };
    std::stable_sort(diff_.differences.begin(), diff_.differences.end(), before);
  }

  void FindLastCommon() {
    if (diff_.differences.empty()) return;
    const Difference& parting = diff_.differences.front();
    std::set<std::size_t> different;
    for (const Difference& d : diff_.differences)
      if (d.left) different.insert(*d.left);
    if (!diff_.exact && parting.left && parting.right) {
      const std::vector<std::size_t> of_left = CauseChain(left_.trace(), *parting.left);
      const std::vector<std::size_t> of_right = CauseChain(right_.trace(), *parting.right);
      for (const std::size_t i : of_left) {
        const std::size_t other = matching_.RightOf(i);
        if (other == kNone || different.count(i) != 0) continue;
        if (std::find(of_right.begin(), of_right.end(), other) == of_right.end()) continue;
        diff_.last_common = {i, other};
        return;
      }
    }
    const std::int64_t first = TimeOf(parting);
    const std::size_t left_end = parting.left.value_or(kNone);
    const std::size_t right_end = parting.right.value_or(kNone);
    for (std::size_t i = 0; i < std::min(left_.trace().events.size(), left_end); ++i) {
      if (left_.at(i).t > first) break;
      const std::size_t other = matching_.RightOf(i);
      const bool common = other != kNone && different.count(i) == 0;
      if (common && other < right_end) diff_.last_common = {i, other};
    }
  }

  // The objects at the end; nothing, with a claim, if the commits of an edited trace do not fit.
  std::optional<std::map<std::string, api::Object>> FinalObjects(const Side& side,
                                                                 const char* name) {
    const auto state = StateAt(side.trace(), Moment());
    if (!state.ok()) {
      diff_.claims.push_back(fmt::format("the commits of {} do not fit one another: {}", name,
                                         Message(state.status())));
      return std::nullopt;
    }
    std::map<std::string, api::Object> out;
    for (const auto& [key, object] : state->objects())
      out[side.identities().Of(key.resource, key.ns, key.name)] = object;
    return out;
  }

  void CompareStates() {
    const auto left = FinalObjects(left_, "A"), right = FinalObjects(right_, "B");
    if (!left || !right) return;
    for (const auto& [identity, object] : *left) {
      const auto other = right->find(identity);
      ObjectDifference d;
      d.object = identity;
      if (other == right->end())
        d.kind = ObjectDifference::Kind::kOnlyLeft;
      else
        d.changes = equality_.DifferentPlaces(object.tree(), other->second.tree());
      if (other == right->end() || !d.changes.empty()) diff_.objects.push_back(std::move(d));
    }
    for (const auto& [identity, object] : *right) {
      if (left->count(identity) != 0) continue;
      ObjectDifference d;
      d.object = identity;
      d.kind = ObjectDifference::Kind::kOnlyRight;
      diff_.objects.push_back(std::move(d));
    }
  }

  void NamePairs() {
    for (const auto& [name, identity] : left_.identities().generated())
      diff_.paired[identity].first = name;
    for (const auto& [name, identity] : right_.identities().generated())
      diff_.paired[identity].second = name;
    for (auto it = diff_.paired.begin(); it != diff_.paired.end();) {
      const auto& [a, b] = it->second;
      it = a.empty() || b.empty() || a == b ? diff_.paired.erase(it) : std::next(it);
    }
  }

  void CompareLines() {
    const std::vector<Record>& a = left_.trace().events;
    const std::vector<Record>& b = right_.trace().events;
    const auto same = [](const Record& x, const Record& y) {
      return FieldsThatDiffer(x, y).empty();
    };
    const bool same_events = diff_.exact ? diff_.differences.empty()
                                         : std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
    diff_.headers = HeaderDifferences(left_.trace(), right_.trace());
    for (std::string& claim :
         ClaimDifferences(left_.trace(), right_.trace(), diff_.exact, same_events))
      diff_.claims.push_back(std::move(claim));
  }

  Side left_, right_;
  RecordEquality equality_;
  EventMatching matching_;
  Diff diff_;
};

}  // namespace

Diff Compare(const Trace& left, const Trace& right, const DiffOptions& options) {
  const bool exact = options.strict || ClaimToBeOneRun(left, right);
  return Comparison(left, right, exact).Run();
}

std::vector<std::size_t> CauseChain(const Trace& trace, std::size_t event) {
  std::vector<std::size_t> chain{event};
  while (true) {
    const std::uint64_t cause = trace.events[chain.back()].cause;
    if (cause == 0 || cause > trace.events.size() || cause - 1 >= chain.back()) return chain;
    chain.push_back(cause - 1);
  }
}

std::optional<Divergence> FirstDivergence(std::span<const Record> left,
                                          std::span<const Record> right) {
  const std::size_t n = std::max(left.size(), right.size());
  for (std::size_t i = 0; i < n; ++i) {
    // Writing two lines costs ten times what comparing two records does.
    if (i < left.size() && i < right.size() && SameRecord(left[i], right[i])) continue;
    Divergence d;
    d.index = i;
    if (i < left.size()) d.left = ToJsonLine(left[i]);
    if (i < right.size()) d.right = ToJsonLine(right[i]);
    if (d.left != d.right) return d;
  }
  return std::nullopt;
}

}  // namespace ksim::trace
