// handlers.fold: what a handler is told, folded, is the cache: (ADD UPDATE* DELETE)* for each
// object, every update from what it was told last, and in the end the same objects and uids.
// G-OR2, G-NL1 to G-NL4, G-CC2. Bugs: kubernetes#83810, #86015; longhorn#1900 (tombstones).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ksim/api/compat.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& FoldInfo() {
  static const OracleInfo info{
      "handlers.fold",
      Guarantee::kSafety,
      "Folding a handler's calls gives the cache: add, updates from what was told last, delete of "
      "what was told.",
      {sim::EventKind::kHandler, sim::EventKind::kCache},
      {"updates with an unchanged revision",
       "an object that was deleted and recreated between two lists is one update with another uid",
       "a deletion of an object never told of (1.36)",
       "a deletion that was not seen (a tombstone) has the state that was known last, also of "
       "another uid",
       "handlers of one informer are told at different times",
       "a handler that is added later is told of everything first, in any order"},
      "no handler was called"};
  return info;
}

class Fold : public Oracle {
 public:
  Fold() : Oracle(FoldInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kCache) {
      shown_[std::string(o.informer)] = {o.t, o.rv, o.items_hash};
      return;
    }
    Judged();
    const HandlerStep& h = facts.handler();
    if (h.listener->broken) return;
    const std::string problem = Problem(facts, h, o);
    if (problem.empty()) return;
    h.listener->broken = true;
    Violate(o.seq, h.informer->name,
            fmt::format("{}: {} is told of {} at revision {}, {}", h.informer->name,
                        h.listener->name, ObjectOf(o), o.rv, problem),
            {ObjectOf(o)});
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (!end.quiet || end.cut || !facts.faults().empty()) return;
    for (const Informer* i : facts.informers()) {
      const auto it = shown_.find(i->name);
      if (it == shown_.end() || it->second.t != end.t) continue;
      for (const auto& listener : i->listeners)
        if (!listener->broken) Compare(facts, *i, *listener, it->second.hash);
    }
  }

 private:
  struct Shown {
    std::int64_t t = 0, rv = 0;
    std::uint64_t hash = 0;
  };

  static std::string Problem(const Facts& facts, const HandlerStep& h, const Observation& o) {
    if (o.call == HandlerCall::kDelete) return OfDelete(facts, h, o);
    if (o.call == HandlerCall::kAdd && h.known)
      return fmt::format("an add, and it was told of it before (revision {})", h.before.rv);
    if (o.call == HandlerCall::kUpdate && !h.known) return "an update, and it was never told of it";
    if (o.call == HandlerCall::kUpdate &&
        (o.old_rv != h.before.rv || Hash64(o.old_uid) != h.before.uid))
      return fmt::format("an update from revision {}, and what it was told last was {}", o.old_rv,
                         h.before.rv);
    const CommitHistory& history = facts.history();
    if (!history.empty() && history.Commit(o.object, o.rv) == nullptr && !history.MayLack(o.rv))
      return "which no commit made";
    return "";
  }

  // A tombstone has the state that was known last, which may be another incarnation's.
  static std::string OfDelete(const Facts& facts, const HandlerStep& h, const Observation& o) {
    if (!h.known && facts.profile().queue_drops_unknown_deletions)
      return "a delete, and it was never told of it";
    if (h.known && !o.tombstone && Hash64(o.uid) != h.before.uid)
      return fmt::format("a delete of uid {}, and it was told of another one", o.uid);
    const CommitHistory& history = facts.history();
    if (!history.empty() && history.OfObject(o.object).empty() && !history.MayLack(o.rv))
      return "which no commit made";
    return "";
  }

  void Compare(const Facts& facts, const Informer& i, const Listener& listener,
               std::uint64_t cache) {
    std::vector<const CommittedChange*> told;
    for (const auto& [object, version] : listener.view) {
      const CommittedChange* c = facts.history().At(object, version.rv);
      if (c != nullptr) told.push_back(c);
    }
    std::sort(told.begin(), told.end(), [](const CommittedChange* a, const CommittedChange* b) {
      return a->ns + "/" + a->name < b->ns + "/" + b->name;
    });
    if (HashOfContent(told) == cache) return;
    Violate(0, i.name,
            fmt::format("{}: what {} was told makes {} objects, and the cache is something else",
                        i.name, listener.name, told.size()),
            {});
  }

  std::map<std::string, Shown> shown_;
};

}  // namespace

OracleEntry HandlersFoldOracle() {
  return {&FoldInfo(), [] { return std::unique_ptr<Oracle>(new Fold); }, ""};
}

}  // namespace ksim::check
