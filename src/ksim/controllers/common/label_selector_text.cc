#include "ksim/controllers/common/label_selector_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace ksim::controllers {

using value::Value;

std::string LabelSelectorText(const Value& selector) {
  if (selector.is_null()) return "nil";
  std::string labels, expressions;
  for (const Value::Member& label : selector.Get("matchLabels").members())
    labels += fmt::format("{}: {},", label.name.text(), label.value.AsString());
  for (const Value& e : selector.Get("matchExpressions").items()) {
    std::vector<std::string_view> values;
    for (const Value& v : e.Get("values").items()) values.push_back(v.AsString());
    expressions +=
        fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                    e.Get("key").AsString(), e.Get("operator").AsString(), fmt::join(values, " "));
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:"
      "[]LabelSelectorRequirement{{{}}},}}",
      labels, expressions);
}

}  // namespace ksim::controllers
