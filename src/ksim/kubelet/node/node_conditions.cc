#include "ksim/kubelet/node/node_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/conditions.h"

namespace ksim::kubelet {

using value::Value;

Value TaintsFor(const Value& taints, const Value& before, const std::function<bool(Trouble)>& has) {
  std::vector<Value> out(taints.items().begin(), taints.items().end());
  for (const ConditionTexts& texts : kNodeConditions) {
    const bool is_ill = has(texts.trouble);
    const bool was_ill =
        api::ConditionStatus(before, ConditionOf(texts.trouble)) == texts.ill.status;
    if (!is_ill && !was_ill) continue;
    const std::string key = fmt::format("node.kubernetes.io/{}", texts.taint);
    const auto it = std::find_if(out.begin(), out.end(), [&key](const Value& t) {
      return t.Get("key").AsString() == key && t.Get("effect").AsString() == "NoSchedule";
    });
    if (is_ill && it == out.end())
      out.push_back(value::Obj({{"key", Value::String(key)}, {"effect", Value::Of("NoSchedule")}}));
    if (!is_ill && it != out.end()) out.erase(it);
  }
  return Value::Array(std::move(out));
}

}  // namespace ksim::kubelet
