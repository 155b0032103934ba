#include "ksim/fuzz/decision_text.h"

#include <fmt/format.h>

#include "ksim/base/time.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/sim/network.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"

namespace ksim::fuzz {

std::string FaultText(const scenario::FaultSpec& fault) {
  std::string out = fault.verb + " {";
  for (const value::Value::Member& m : fault.args.members()) {
    if (!out.ends_with('{')) out += ", ";
    const std::string text =
        m.value.is_string() ? std::string(m.value.AsString()) : value::ToJson(m.value);
    out += fmt::format("{}: {}", m.name.text(), text);
  }
  return out + "}";
}

std::string DecisionText(const sim::Decision& d) {
  if (KindOf(d.site) == "delay" && d.answer < sim::kExtraDelays.size())
    return fmt::format("{} {}", d.site, FormatDuration(sim::kExtraDelays[d.answer]));
  return fmt::format("{} {}", d.site, d.answer);
}

}  // namespace ksim::fuzz
