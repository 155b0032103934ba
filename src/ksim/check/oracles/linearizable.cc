// store.linearizable: for each key, what clients are answered fits one order of the commits: every
// commit follows the one before it, and what a write or a consistent read was answered was so at
// some moment between request and answer.
//
// Every write has a revision of its own and the order of the commits is known, so that no search
// is needed, unlike etcd's tests/robustness/validate/operations.go (porcupine).
#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/oracles/all.h"
#include "ksim/check/oracles/words.h"

namespace ksim::check {
namespace {

const OracleInfo& LinearizableInfo() {
  static const OracleInfo info{
      "store.linearizable",
      Guarantee::kSafety,
      "Commits of a key follow one another, and an answer is what was so between request and "
      "answer.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit},
      {"a read that allows an older revision (\"0\", or a number) is answered with an older state",
       "a write whose answer was lost took effect, or did not",
       "a write that changes nothing is answered with the revision that there is",
       "conflicts and AlreadyExists against a state that the caller's cache does not show yet"},
      "nothing was written"};
  return info;
}

class Linearizable : public Oracle {
 public:
  Linearizable() : Oracle(LinearizableInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) return OnRequest(o);
    if (o.kind == sim::EventKind::kCommit) return OnCommit(facts, o);
    OnResponse(facts, o);
  }

 private:
  enum class Verb : std::uint8_t { kGet, kList, kCreate, kUpdate };
  struct Asked {
    Verb verb = Verb::kGet;
    std::uint64_t seq = 0;
    std::uint64_t object = 0;
    bool consistent = false;      // nothing older than the request will do
    std::uint64_t committed = 0;  // the object it wrote
    std::int64_t revision = 0;    // at which it wrote it
    std::string actor;
  };

  void OnRequest(const Observation& o) {
    if (o.dry_run || !o.subresource.empty()) return;
    Asked a;
    if (o.verb == "get")
      a.verb = Verb::kGet;
    else if (o.verb == "list")
      a.verb = Verb::kList;
    else if (o.verb == "create")
      a.verb = Verb::kCreate;
    else if (o.verb == "update" || o.verb == "patch")
      a.verb = Verb::kUpdate;
    else
      return;
    a.seq = o.seq;
    a.object = o.object;
    a.consistent = o.rv_text.empty() && !o.continued;
    a.actor = o.actor;
    asked_[o.request] = std::move(a);
  }

  void OnCommit(const Facts& facts, const Observation& o) {
    Judged();
    const Changes& own = facts.history().OfObject(o.object);
    const Change& now = *own.back();
    const Change* before = own.size() > 1 ? own[own.size() - 2] : nullptr;
    const bool there = before != nullptr && !before->after.is_null();
    const std::int64_t expected = there ? before->revision : 0;
    const bool order = o.rv > last_ || (o.rv == last_ && o.sub > last_sub_);
    if (now.prev_revision != expected)
      Violate(o.seq, std::string(o.by),
              fmt::format("{} follows revision {} of the key, and the newest was {}", Commit(now),
                          now.prev_revision, expected),
              {now.Name()});
    else if ((o.op == CommitOp::kCreate) == there)
      Violate(o.seq, std::string(o.by),
              fmt::format("{}: the key was {}", Commit(now), there ? "there" : "not there"),
              {now.Name()});
    else if (!order)
      Violate(o.seq, std::string(o.by),
              fmt::format("{} comes after revision {}", Commit(now), last_), {now.Name()});
    last_ = o.rv;
    last_sub_ = o.sub;
    const auto asked = asked_.find(o.request);
    if (asked == asked_.end()) return;
    asked->second.committed = o.object;
    asked->second.revision = o.rv;
  }

  void OnResponse(const Facts& facts, const Observation& o) {
    const auto it = asked_.find(o.request);
    if (it == asked_.end()) return;
    const Asked a = std::move(it->second);
    asked_.erase(it);
    if (o.lost || o.code == 0) return;
    const bool ok = o.code >= 200 && o.code < 300;
    if (a.verb == Verb::kGet) return OnGet(facts, a, o, ok);
    if (a.verb == Verb::kList || !ok || o.rv == 0) return;
    if (a.committed != 0) {
      if (a.revision == o.rv) return;
      Wrong(facts, a, o, a.committed, fmt::format("it was committed at revision {}", a.revision));
    } else if (a.verb == Verb::kCreate) {
      Wrong(facts, a, o, a.object, "nothing was committed");
    } else if (!WasSo(facts, a, o)) {
      Wrong(facts, a, o, a.object, "that was not its revision at any moment of the request");
    }
  }

  void OnGet(const Facts& facts, const Asked& a, const Observation& o, bool ok) {
    if (ok && o.rv != 0 && !WasSo(facts, a, o))
      Wrong(facts, a, o, a.object,
            a.consistent ? "that was not its revision at any moment of the request"
                         : "no commit made that");
    if (o.code == 404 && a.consistent && AlwaysThere(facts, a))
      Wrong(facts, a, o, a.object, "it was there all the time");
  }

  // Whether the object was at the answer's revision between request and answer (or ever before, if
  // the request allows that).
  static bool WasSo(const Facts& facts, const Asked& a, const Observation& o) {
    const Changes& own = facts.history().OfObject(a.object);
    for (std::size_t i = own.size(); i-- > 0;) {
      if (own[i]->revision != o.rv) continue;
      if (!a.consistent || i + 1 == own.size()) return true;
      return own[i + 1]->seq > a.seq;
    }
    return false;
  }

  static bool AlwaysThere(const Facts& facts, const Asked& a) {
    const Changes& own = facts.history().OfObject(a.object);
    if (own.empty() || own.back()->after.is_null()) return false;
    for (std::size_t i = own.size(); i-- > 0;) {
      if (own[i]->after.is_null()) return false;
      if (own[i]->seq < a.seq) return true;
    }
    return false;
  }

  void Wrong(const Facts& facts, const Asked& a, const Observation& o, std::uint64_t object,
             const std::string& why) {
    const std::string name = facts.history().NameOf(object);
    Violate(o.seq, a.actor,
            fmt::format("request {} of {} about {} was answered {} at revision {}, and {}",
                        o.request, a.actor, name, o.code, o.rv, why),
            {name});
  }

  absl::flat_hash_map<std::uint64_t, Asked> asked_;  // looked up only
  std::int64_t last_ = 0;
  std::uint32_t last_sub_ = 0;
};

}  // namespace

OracleEntry StoreLinearizableOracle() {
  return {&LinearizableInfo(), [] { return std::unique_ptr<Oracle>(new Linearizable); }, ""};
}

}  // namespace ksim::check
