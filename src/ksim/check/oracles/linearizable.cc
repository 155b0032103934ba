// store.linearizable: for each key, what clients are answered fits one order of the commits: every
// commit follows the one before it, and what a write or a consistent read was answered was so at
// some moment between request and answer.
//
// Every write has a revision of its own and the order of the commits is known, so that no search
// is needed, unlike etcd's tests/robustness/validate/operations.go (porcupine).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& LinearizableInfo() {
  static const OracleInfo info{
      "store.linearizable",
      Guarantee::kSafety,
      "Commits of a key follow one another, and an answer is what was so between request and "
      "answer: a write was refused, or done; a list is as new as was asked for. Each request is "
      "answered once.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit},
      {"a read that allows an older revision (\"0\", or a number) is answered with an older state",
       "a write whose answer was lost, or is an error of the server (5xx), took effect, or did not",
       "a request is never answered, for its sender died",
       "a write that changes nothing is answered with the revision that there is; one of an object "
       "that only waits to be removed, with what there was, also if somebody else has removed it",
       "a deletion of what is being deleted already changes nothing, and is answered 200",
       "a graceful deletion is marked, and then refused: somebody else was faster",
       "conflicts and AlreadyExists against a state that the caller's cache does not show yet",
       "a subresource that the kind does not have is 404, and the object is there"},
      "nothing was written"};
  return info;
}

class Linearizable : public Oracle {
 public:
  Linearizable() : Oracle(LinearizableInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) return OnRequest(facts, o);
    if (o.kind == sim::EventKind::kCommit) return OnCommit(facts, o);
    OnResponse(facts, o);
  }

 private:
  // kDelete: an eviction too. kOther: what it answers is judged elsewhere, or may be anything.
  enum class Verb : std::uint8_t { kGet, kList, kCreate, kUpdate, kDelete, kOther };
  struct Asked {
    Verb verb = Verb::kGet;
    std::uint64_t seq = 0;
    std::uint64_t object = 0;
    bool consistent = false;      // nothing older than the request will do
    bool whole = false;           // the object itself and no subresource
    bool evicts = false;          // it may mark first what it then may not delete
    std::int64_t oldest = 0;      // revision that will do for a list
    std::uint64_t committed = 0;  // the object it wrote
    std::int64_t revision = 0;    // at which it wrote it last
    bool deleted = false;         // that was a deletion
    std::string actor;
  };

  static Verb VerbOf(const Observation& o) {
    if (o.dry_run) return Verb::kOther;
    if (o.verb == "list") return Verb::kList;
    if (o.verb == "get") return Verb::kGet;
    if (o.verb == "update" || o.verb == "patch") return Verb::kUpdate;
    if (o.verb == "delete" || o.subresource == "eviction") return Verb::kDelete;
    const bool makes = o.subresource.empty() || o.subresource == "binding";
    return o.verb == "create" && makes ? Verb::kCreate : Verb::kOther;
  }

  void OnRequest(const Facts& facts, const Observation& o) {
    newest_request_ = std::max(newest_request_, o.request);
    Asked a;
    a.verb = VerbOf(o);
    a.seq = o.seq;
    a.object = o.object;
    a.consistent = o.rv_text.empty() && !o.continued;
    a.whole = o.subresource.empty();
    a.evicts = o.subresource == "eviction";
    if (a.verb == Verb::kList) a.oldest = Oldest(facts, o);
    a.actor = o.actor;
    asked_[o.request] = std::move(a);
  }

  // etcd's first revision is 1, before anything is written.
  static std::int64_t Newest(const Facts& facts) {
    return std::max<std::int64_t>(facts.history().revision(), 1);
  }

  // A consistent list is as new as the store was; else not older than the number it names
  // (resourceVersionMatch Exact: not another).
  static std::int64_t Oldest(const Facts& facts, const Observation& o) {
    if (o.continued) return 0;
    if (o.rv_text.empty()) return Newest(facts);
    std::int64_t rv = 0;
    std::from_chars(o.rv_text.data(), o.rv_text.data() + o.rv_text.size(), rv);
    return rv;
  }

  void OnCommit(const Facts& facts, const Observation& o) {
    Judged();
    const Changes& own = facts.history().OfObject(o.object);
    const CommittedChange& now = *own.back();
    const CommittedChange* before = own.size() > 1 ? own[own.size() - 2] : nullptr;
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
    asked->second.deleted = o.op == CommitOp::kDelete;
  }

  void OnResponse(const Facts& facts, const Observation& o) {
    const auto it = asked_.find(o.request);
    if (it == asked_.end()) return Unasked(o);
    const Asked a = std::move(it->second);
    asked_.erase(it);
    if (o.lost || o.code == 0) return;
    const bool ok = o.code >= 200 && o.code < 300;
    if (a.verb == Verb::kGet) return OnGet(facts, a, o, ok);
    if (a.verb == Verb::kOther) return;
    if (a.verb == Verb::kList) return ok ? OnList(facts, a, o) : void();
    if (ok)
      OnDone(facts, a, o);
    else if (o.code >= 400 && o.code < 500)
      OnRefused(facts, a, o);
  }

  void Unasked(const Observation& o) {
    const bool known = o.request <= newest_request_;
    Violate(o.seq, std::string(o.actor),
            fmt::format("request {} is answered, and {}", o.request,
                        known ? "it has been answered before" : "nobody asked"),
            {});
  }

  void OnList(const Facts& facts, const Asked& a, const Observation& o) {
    const std::int64_t newest = Newest(facts);
    if (o.rv >= a.oldest && o.rv <= newest) return;
    const std::string what = o.rv < a.oldest
                                 ? fmt::format("nothing older than {} will do", a.oldest)
                                 : fmt::format("the newest is {}", newest);
    Violate(o.seq, a.actor,
            fmt::format("list {} of {} was answered at revision {}, and {}", o.request, a.actor,
                        o.rv, what),
            {});
  }

  void OnDone(const Facts& facts, const Asked& a, const Observation& o) {
    if (a.verb == Verb::kDelete) {
      if (a.committed == 0 && !WasGoing(facts, a))
        Wrong(facts, a, o, a.object, "nothing was deleted, nor about to be");
    } else if (a.committed != 0) {
      // A deletion is answered with the object that it deleted; a binding with no object at all.
      if (a.revision == o.rv || a.deleted || o.rv == 0) return;
      Wrong(facts, a, o, a.committed, fmt::format("it was committed at revision {}", a.revision));
    } else if (a.verb == Verb::kCreate) {
      Wrong(facts, a, o, a.object, "nothing was committed");
    } else if (o.rv != 0 && !WasSo(facts, a, o) && !WasDoomed(facts, a, o)) {
      Wrong(facts, a, o, a.object, "that was not its revision at any moment of the request");
    }
  }

  // Refused after it was done. A deletion marks first: then it may find the object gone to somebody
  // else (that is as good), replaced or, an eviction, gone before its second half.
  void OnRefused(const Facts& facts, const Asked& a, const Observation& o) {
    if (a.committed == 0) return;
    const bool halfway = a.verb == Verb::kDelete && !a.deleted && (a.evicts || o.code != 404);
    if (halfway) return;
    Wrong(facts, a, o, a.committed, fmt::format("it was committed at revision {}", a.revision));
  }

  void OnGet(const Facts& facts, const Asked& a, const Observation& o, bool ok) {
    if (ok && o.rv != 0 && !WasSo(facts, a, o))
      Wrong(facts, a, o, a.object,
            a.consistent ? "that was not its revision at any moment of the request"
                         : "no commit made that");
    if (o.code == 404 && a.whole && a.consistent && AlwaysThere(facts, a))
      Wrong(facts, a, o, a.object, "it was there all the time");
  }

  // Whether the object was on its way out at some moment between request and answer.
  static bool WasGoing(const Facts& facts, const Asked& a) {
    const Changes& own = facts.history().OfObject(a.object);
    for (std::size_t i = own.size(); i-- > 0;) {
      const value::Value& metadata = own[i]->after.Get("metadata");
      if (metadata.Has("deletionTimestamp")) return true;
      if (own[i]->seq < a.seq) return false;
    }
    return facts.history().MayLackSince(a.seq);
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
    const CommitHistory& history = facts.history();
    return a.consistent ? history.MayLackSince(a.seq) : history.MayLack(o.rv);
  }

  // An update of what only waits to be removed removes it, and is answered as if it had been made;
  // also if the server's cache is behind, and somebody else was faster.
  // Source: registry/generic/registry/store.go deleteWithoutFinalizers.
  static bool WasDoomed(const Facts& facts, const Asked& a, const Observation& o) {
    const Changes& own = facts.history().OfObject(a.object);
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {
      if (own[i]->revision != o.rv) continue;
      const value::Value& metadata = own[i]->after.Get("metadata");
      return own[i + 1]->op == CommitOp::kDelete && metadata.Has("deletionTimestamp") &&
             metadata.Get("deletionGracePeriodSeconds").AsInt() == 0;
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
  std::uint64_t newest_request_ = 0;
  std::int64_t last_ = 0;
  std::uint32_t last_sub_ = 0;
};

}  // namespace

OracleEntry StoreLinearizableOracle() {
  return {&LinearizableInfo(), [] { return std::unique_ptr<Oracle>(new Linearizable); }, ""};
}

}  // namespace ksim::check
