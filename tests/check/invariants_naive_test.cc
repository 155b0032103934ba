// The judges of invariants beside one that keeps nothing: over drawn histories it looks at every
// object and at every earlier moment again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/check/invariant_judges.h"
#include "ksim/check/invariants/expression.h"
#include "ksim/sim/decisions.h"
#include "tests/check/recorded.h"

namespace ksim::check {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWithin = 5 * kSecond;

struct Write {
  std::uint64_t seq = 0;
  std::int64_t t = 0;
  std::string resource, key, by;
  std::map<std::string, Value> store;  // resource/key -> object, afterwards
};

// Drawn writes of ConfigMaps in two namespaces, some of them selected, and of Secrets.
class History {
 public:
  explicit History(std::uint64_t seed) : decisions_(seed, {}, nullptr) {}

  void Commit(Checker* checker) {
    Observation o;
    o.kind = sim::EventKind::kCommit;
    const std::string name = "c" + std::to_string(Draw(4)), ns = Draw(2) == 0 ? "x" : "y";
    o.resource = Draw(5) == 0 ? "secrets" : "configmaps";
    o.ns = ns;
    o.name = name;
    const std::string key = ns + "/" + name;
    Value& now = store_[std::string(o.resource) + "/" + key];
    const Value before = now;
    const bool deletes = !before.is_null() && Draw(5) == 0;
    o.op = deletes ? CommitOp::kDelete : before.is_null() ? CommitOp::kCreate : CommitOp::kUpdate;
    now = deletes ? Value() : Object(name);
    o.seq = ++seq_;
    o.rv = static_cast<std::int64_t>(seq_) + 1;
    o.t = t_ += static_cast<std::int64_t>(Draw(4)) * kSecond;
    o.object = api::ObjectHash(o.resource, ns, name);
    o.by = Draw(2) == 0 ? "web" : "user";
    o.before = &before;
    const Value after = now;
    o.after = &after;
    if (after.is_null()) store_.erase(std::string(o.resource) + "/" + key);
    writes.push_back({o.seq, o.t, std::string(o.resource), key, std::string(o.by), store_});
    checker->Take(o);
  }

  std::int64_t t() const { return t_; }
  std::vector<Write> writes;

 private:
  std::uint32_t Draw(std::uint32_t n) {
    return decisions_.Draw(decisions_.Site("test"), draws_++, n);
  }
  Value Object(const std::string& name) {
    value::ObjectBuilder data;
    data.AddIf(Draw(6) != 0, "n", Value::Of(static_cast<std::int64_t>(Draw(3))));
    return value::Obj(
        {{"metadata",
          value::Obj({{"name", Value::Of(name)},
                      {"uid", Value::Of(name)},
                      {"labels", value::Obj({{"app", Value::Of(Draw(3) == 0 ? "b" : "a")}})}})},
         {"data", data.Build()}});
  }

  sim::Decisions decisions_;
  std::uint64_t draws_ = 0, seq_ = 0;
  std::int64_t t_ = 0;
  std::map<std::string, Value> store_;
};

using Selected = std::map<std::string, Value>;  // by key

Selected SelectedIn(const Write& w) {
  Selected out;
  for (const auto& [key, tree] : w.store)
    if (key.starts_with("configmaps/") &&
        tree.Get("metadata").Get("labels").Get("app").AsString() == "a")
      out[key.substr(11)] = tree;
  return out;
}

std::int64_t NumberOf(const Value& object) {
  return object.Get("data").Has("n") ? object.Get("data").Get("n").AsInt() : -1;
}

// The violations that the invariants below must come to: "NAME SEQ OBJECT" of each violation.
class Naive {
 public:
  explicit Naive(const std::vector<Write>& writes) : writes_(writes) {}

  std::multiset<std::string> All(std::int64_t end) {
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      if (!Concerns(i)) continue;
      const std::string& key = writes_[i].key;
      if (AlwaysBroken(i, key) && !AlwaysBroken(Before(i, key), key)) Add("always", i, key);
      if (NeverBroken(i) && !NeverBroken(LastConcerning(i))) Add("never", i, "");
    }
    LeadsTo(end);
    AtEnd();
    return found_;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool Has(std::size_t i, const std::string& key) const {
    return i != kNone && SelectedIn(writes_[i]).contains(key);
  }
  // Whether the write is about something that is selected, or was.
  bool Concerns(std::size_t i) const {
    return writes_[i].resource == "configmaps" &&
           (Has(i, writes_[i].key) || Has(i == 0 ? kNone : i - 1, writes_[i].key));
  }
  std::size_t LastConcerning(std::size_t i) const {
    while (i-- > 0)
      if (Concerns(i)) return i;
    return kNone;
  }
  // The state of one object before a write; nothing if it was not selected then.
  std::size_t Before(std::size_t i, const std::string& key) const {
    return i == 0 || !Has(i - 1, key) ? kNone : i - 1;
  }
  // "object.data.n < 2", which has no answer without n.
  bool AlwaysBroken(std::size_t i, const std::string& key) const {
    if (!Has(i, key)) return false;
    const std::int64_t n = NumberOf(SelectedIn(writes_[i]).at(key));
    return n < 0 || n >= 2;
  }
  // "objects.filter(o, has(o.data.n) && o.data.n == 0).size() > 1"
  bool NeverBroken(std::size_t i) const {
    if (i == kNone) return false;
    int zeros = 0;
    for (const auto& [key, tree] : SelectedIn(writes_[i])) zeros += NumberOf(tree) == 0 ? 1 : 0;
    return zeros > 1;
  }
  std::int64_t NumberAt(std::size_t i, const std::string& key) const {
    return NumberOf(SelectedIn(writes_[i]).at(key));
  }

  // n == 1 leads to n == 2 within 5 s: of each write that is a 1 when nobody waits, the first write
  // of the object after it that is a 2, or at which it is gone.
  void LeadsTo(std::int64_t end) {
    std::set<std::string> keys;
    for (const Write& w : writes_) keys.insert(w.key);
    for (const std::string& key : keys) {
      for (std::size_t i = 0; i < writes_.size(); ++i) {
        if (writes_[i].key != key || !Concerns(i) || !Has(i, key) || NumberAt(i, key) != 1)
          continue;
        std::size_t met = i + 1;
        while (met < writes_.size() && Has(met, key) && NumberAt(met, key) != 2) ++met;
        const std::int64_t then = met < writes_.size() ? writes_[met].t : end + 1;
        const bool quiet_end = met == writes_.size();
        if (then > writes_[i].t + kWithin || quiet_end) Add("leads", i, key);
        i = met;
      }
    }
  }

  void AtEnd() {
    const Selected left = SelectedIn(writes_.back());
    for (const auto& [key, tree] : left) {
      std::size_t last = kNone, born = writes_.size();
      while (born > 0 && Has(born - 1, key)) --born;
      bool came = false;
      for (std::size_t i = born; i < writes_.size(); ++i) {
        if (writes_[i].resource == "configmaps" && writes_[i].key == key) last = i;
        came = came || NumberAt(i, key) == 0;
      }
      if (NumberOf(tree) != 0) Add("finally", last, key);
      if (!came) Add("eventually", last, key);
    }
    Stable();
  }

  void Stable() {
    std::size_t n = 0, third = kNone;
    for (std::size_t i = 0; i < writes_.size(); ++i)
      if (Concerns(i) && writes_[i].by == "web" && writes_[i].t >= 60 * kSecond && ++n == 3)
        third = i;
    if (third != kNone) Add("stable", third, "*");
  }

  void Add(const std::string& name, std::size_t i, const std::string& key) {
    found_.insert(name + " " + std::to_string(writes_[i].seq) + " " + key);
  }

  const std::vector<Write>& writes_;
  std::multiset<std::string> found_;
};

Invariant Make(std::string name, InvariantKind kind, std::string expression) {
  Invariant i;
  i.name = std::move(name);
  i.resource = "configmaps";
  i.selector = "app=a";
  i.kind = kind;
  i.expression = std::move(expression);
  return i;
}

InvariantSet TheInvariants() {
  InvariantSet set;
  set.list = {Make("always", InvariantKind::kAlways, "object.data.n < 2"),
              Make("never", InvariantKind::kNever,
                   "objects.filter(o, has(o.data.n) && o.data.n == 0).size() > 1"),
              Make("leads", InvariantKind::kLeadsTo, "has(object.data.n) && object.data.n == 1"),
              Make("finally", InvariantKind::kFinally, "object.data.n == 0"),
              Make("eventually", InvariantKind::kEventually, "object.data.n == 0"),
              Make("stable", InvariantKind::kStable, "")};
  set.list[2].then = "has(object.data.n) && object.data.n == 2";
  set.list[2].within = Duration(kWithin);
  set.list[5].writes = 2;
  set.list[5].after = Seconds(60);
  set.list[5].by = "web";
  return set;
}

// G-IN9.
TEST(InvariantsNaive, TheIncrementalJudgesSayWhatANaiveOneSays) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Checker checker({}, kNewestCompat, TheInvariants());
    History history(seed);
    for (int i = 0; i < 60; ++i) history.Commit(&checker);
    RunEnd end;
    end.t = history.t() + 100 * kSecond;
    end.quiet = true;
    checker.Finish(end);
    std::multiset<std::string> found;
    std::map<std::string, int> count;
    for (const Finding& f : checker.findings()) {
      const std::string name = f.violation.oracle.substr(kInvariantPrefix.size());
      std::string key = f.violation.objects.empty() ? "" : f.violation.objects[0].substr(11);
      if (name == "stable") key = "*";
      found.insert(fmt::format("{} {} {}", name, f.violation.first, key));
      kinds.insert(name);
      EXPECT_LE(++count[name], 20) << "more are not kept";
    }
    EXPECT_EQ(found, Naive(history.writes).All(end.t)) << "seed " << seed;
  }
  EXPECT_EQ(kinds,
            (std::set<std::string>{"always", "eventually", "finally", "leads", "never", "stable"}));
}

}  // namespace
}  // namespace ksim::check
