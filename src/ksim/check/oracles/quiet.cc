// quiet: with faults over and the user done, writing stops. A run that passes its limit and still
// writes has a hot loop. G-LT1, G-LT5.
#include <fmt/format.h>

#include <map>

#include "ksim/base/time.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

constexpr std::int64_t kWindow = Minutes(1).ns();
// Expectations run out after 5 min, the longest delay of a work queue is 16 min 40 s.
constexpr std::int64_t kSettle = Minutes(17).ns();
constexpr int kFew = 3;

const OracleInfo& QuietInfo() {
  static const OracleInfo info{
      "quiet",
      Guarantee::kLiveness,
      "When faults are over and the user is done, writing stops.",
      {sim::EventKind::kCommit},
      {"leases, node heartbeats and events are written for ever",
       "back-offs: up to 17 minutes after the last step and the last fault"},
      "the run was cut short"};
  return info;
}

class Quiet : public Oracle {
 public:
  Quiet() : Oracle(QuietInfo()) {}

  void On(const Facts&, const Observation& o) override {
    if (o.resource == "leases" || o.resource == "events" || o.resource == "nodes") return;
    if (o.t - begin_ > kWindow) {
      last_ = std::exchange(now_, {});
      begin_ = o.t;
    }
    std::string object = ObjectOf(o);
    Write& w = now_[std::string(o.by) + " " + object];
    if (w.count++ == 0) w.first = o.seq;
    w.t = o.t;
    w.object = std::move(object);
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    if (end.cut) return;
    Judged();
    const std::int64_t calm = std::max(facts.last_fault(), facts.last_step());
    if (!end.limit || !facts.faults().empty() || end.t - calm < kSettle) return;
    for (const auto* writes : {&last_, &now_}) {
      for (const auto& [who, w] : *writes) {
        if (w.count < kFew || end.t - w.t > kWindow) continue;
        Violate(w.first, who.substr(0, who.find(' ')),
                fmt::format("{} was written {} times by {} in the last minutes, {} after the last "
                            "step and fault",
                            w.object, w.count, who.substr(0, who.find(' ')),
                            FormatDuration(Duration(end.t - calm))),
                {w.object});
        return;
      }
    }
  }

 private:
  struct Write {
    int count = 0;
    std::uint64_t first = 0;
    std::int64_t t = 0;
    std::string object;
  };
  std::int64_t begin_ = 0;
  std::map<std::string, Write> last_, now_;  // of the window before, and of this one
};

}  // namespace

OracleEntry QuietOracle() {
  return {&QuietInfo(), [] { return std::unique_ptr<Oracle>(new Quiet); }, ""};
}

}  // namespace ksim::check
