// view.monotone: what an informer serves never goes back in time.
// G-OR1, G-OR7 (client-go reflector.go relistResourceVersion is what keeps it so).
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& MonotoneInfo() {
  static const OracleInfo info{
      "view.monotone",
      Guarantee::kSafety,
      "What an informer serves never goes back in time, across lists too.",
      {sim::EventKind::kRelist, sim::EventKind::kHandler},
      {"a process that restarts may begin with an older list than its predecessor saw",
       "updates with an unchanged revision: resyncs, lists that changed nothing",
       "a tombstone's object is the last one known, and may be out of date"},
      "no informer listed"};
  return info;
}

class Monotone : public Oracle {
 public:
  Monotone() : Oracle(MonotoneInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    Judged();
    if (o.kind == sim::EventKind::kRelist) return OnList(facts, o);
    const HandlerStep& h = facts.handler();
    if (!h.known || o.tombstone || o.rv >= h.before.rv || h.listener->broken) return;
    if (Has(h.informer->reported, Bit::kMonotone)) return;
    Set(&h.informer->reported, Bit::kMonotone);
    Violate(o.seq, h.informer->name,
            fmt::format("{} tells {} of {} at revision {} after revision {}", h.informer->name,
                        h.listener->name, ObjectOf(o), o.rv, h.before.rv),
            {ObjectOf(o)});
  }

 private:
  void OnList(const Facts& facts, const Observation& o) {
    Informer& i = *facts.informer();
    if (o.rv >= facts.served_before() || Has(i.reported, Bit::kMonotone)) return;
    Set(&i.reported, Bit::kMonotone);
    Violate(o.seq, i.name,
            fmt::format("{} lists at revision {} (it asked for \"{}\") and had been told revision "
                        "{} by event #{}",
                        i.name, o.rv, o.rv_text, facts.served_before(), facts.told_before()),
            {});
  }
};

}  // namespace

OracleEntry ViewMonotoneOracle() {
  return {&MonotoneInfo(), [] { return std::unique_ptr<Oracle>(new Monotone); }, ""};
}

}  // namespace ksim::check
