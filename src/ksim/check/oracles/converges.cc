// informer.converges: once faults are over and the queues are empty, each cache is the store.
// G-CC2, G-LT1. Bugs: kubernetes#91073, #107133, #115658, #132244, #123072, #133810.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ksim/base/time.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

// A stream that broke is up again within two delays of at most 60 s and what they wait for.
constexpr std::int64_t kRecovery = Minutes(3).ns();
// Heartbeats never stop, so the last ones may be on their way when a run ends.
constexpr std::int64_t kHeartbeats = Minutes(1).ns();

const OracleInfo& ConvergesInfo() {
  static const OracleInfo info{
      "informer.converges",
      Guarantee::kLiveness,
      "When faults are over and nothing is left to do, each informer's cache equals the store; and "
      "no informer is refused its lists for 3 minutes without a fault.",
      {sim::EventKind::kCache, sim::EventKind::kRelist},
      {"a cache is behind while its stream is down, or while a fault is in force",
       "an API server that has no watch on etcd yet, whose list there takes long, refuses lists",
       "heartbeats, leases and events on their way when the run ends",
       "intermediate states that are never seen"},
      "no cache was shown at the end of the run"};
  return info;
}

// Whether a run is quiet even while a message about it is late, as late as that may be.
bool Unawaited(const CommittedChange& c) {
  return c.resource == "leases" || c.resource == "events";
}

// Whether somebody writes the resource for ever: nobody waits until such writes arrive everywhere.
bool Periodic(const CommittedChange& c) {
  if (c.resource != "nodes" || c.before.is_null() || c.after.is_null()) return false;
  return c.before.Get("spec") == c.after.Get("spec");
}

class Converges : public Oracle {
 public:
  Converges() : Oracle(ConvergesInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRelist)
      return JudgeRefusal(facts, *facts.informer(), facts.refused_before(), facts.refusal_before());
    Shown& s = shown_[std::string(o.informer)];
    s.t = o.t;
    s.rv = o.rv;
    s.items = o.items;
    s.hash = o.items_hash;
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut || !facts.faults().empty()) return;
    for (const Informer* i : facts.informers()) {
      JudgeRefusal(facts, *i, i->refused_since, i->refusal);
      const auto it = shown_.find(i->name);
      if (it == shown_.end() || it->second.t != end.t || !i->collection->judgeable()) continue;
      Judged();
      JudgeOne(facts, end, *i, it->second);
    }
  }

 private:
  struct Shown {
    std::int64_t t = 0, rv = 0;
    std::uint64_t items = 0, hash = 0;
  };

  // A client that cannot be served what it asks for must ask for something else.
  void JudgeRefusal(const Facts& facts, const Informer& i, std::int64_t since,
                    std::uint64_t first) {
    if (since == 0 || !facts.faults().empty()) return;
    Judged();
    const std::int64_t lasted =
        facts.now() - std::max({since, facts.last_fault(), facts.watched_since(i.resource)});
    if (lasted < kRecovery) return;
    Violate(first, i.name,
            fmt::format("{} is refused its lists for more than {} without a fault", i.name,
                        FormatDuration(Duration(kRecovery))),
            {});
  }

  void JudgeOne(const Facts& facts, const RunEnd& end, const Informer& i, const Shown& s) {
    const CommitHistory& history = facts.history();
    const Collection& c = *i.collection;
    const ResourceChanges& all = c.ChangesIn(history);
    for (std::size_t at = all.After(s.rv);;) {
      at = c.FirstIn(history, at, all.end());
      if (at == CommitHistory::kNone) break;
      const CommittedChange& missing = *all.at(at++);
      if (end.quiet && Unawaited(missing)) continue;
      const std::int64_t since = std::max(missing.t, end.quiet ? missing.t : facts.last_fault());
      const std::int64_t allowed = !end.quiet ? kRecovery : Periodic(missing) ? kHeartbeats : 0;
      if (end.t - since < allowed || (allowed == 0 && end.t == since)) continue;
      Violate(missing.seq, i.name,
              fmt::format("{} never got {} (its cache is at revision {})", i.name, Commit(missing),
                          s.rv),
              {missing.Name()});
      return;
    }
    if (!end.quiet) return;  // its queues may hold what the cache has not
    if (!c.IsKnownAt(history, s.rv)) return;
    const std::vector<const CommittedChange*> content = c.ContentAt(history, s.rv);
    if (content.size() == s.items && (s.items == 0 || HashOfContent(content) == s.hash)) return;
    Violate(0, i.name,
            fmt::format("{}: the cache at revision {} has {} objects and is not the state then, "
                        "which has {}{}",
                        i.name, s.rv, s.items, content.size(), Odd(i, content)),
            {});
  }

  // Names the first object of which a handler was told something else.
  static std::string Odd(const Informer& i, const std::vector<const CommittedChange*>& content) {
    if (i.listeners.empty()) return "";
    const auto& view = i.listeners.front()->view;
    for (const CommittedChange* c : content) {
      const auto it = view.find(c->object);
      if (it == view.end()) return fmt::format("; {} is not in it", c->Name());
      if (it->second.rv != c->revision)
        return fmt::format("; it has {} at revision {} instead of {}", c->Name(), it->second.rv,
                           c->revision);
    }
    return "; it has an object that is not there";
  }

  std::map<std::string, Shown> shown_;
};

}  // namespace

OracleEntry InformerConvergesOracle() {
  return {&ConvergesInfo(), [] { return std::unique_ptr<Oracle>(new Converges); }, ""};
}

}  // namespace ksim::check
