// watch.atomic: one revision is never spread over two responses of an etcd watch.
// Source: etcd tests/robustness/validate/watch.go validateAtomic.
#include <fmt/format.h>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& AtomicInfo() {
  static const OracleInfo info{"watch.atomic",
                               Guarantee::kSafety,
                               "Events of one revision come in one response (etcd to apiserver).",
                               {sim::EventKind::kDeliver},
                               {"several revisions in one response"},
                               "no event of an etcd watch was delivered"};
  return info;
}

class Atomic : public Oracle {
 public:
  Atomic() : Oracle(AtomicInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.level != Level::kStore || o.name.empty()) return;
    Stream& s = *facts.delivery().stream;
    Judged();
    const bool split =
        s.last_response != 0 && s.last_response != o.response && s.last_response_revision == o.rv;
    s.last_response = o.response;
    s.last_response_revision = o.rv;
    if (!split || Has(s.reported, Bit::kAtomic)) return;
    Set(&s.reported, Bit::kAtomic);
    Violate(o.seq, s.client.str(),
            fmt::format("{}: {} comes in response {}, the rest of its revision came before",
                        s.Name(), Event(o), o.response),
            {ObjectOf(o)});
  }
};

}  // namespace

OracleEntry WatchAtomicOracle() {
  return {&AtomicInfo(), [] { return std::unique_ptr<Oracle>(new Atomic); }, ""};
}

}  // namespace ksim::check
