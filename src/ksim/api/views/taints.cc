#include "ksim/api/views/taints.h"

#include <algorithm>

namespace ksim::api {

using value::Value;

bool Tolerates(const Value& toleration, const Value& taint) {
  const std::string_view effect = toleration.Get("effect").AsString();
  if (!effect.empty() && effect != taint.Get("effect").AsString()) return false;
  const std::string_view key = toleration.Get("key").AsString();
  if (!key.empty() && key != taint.Get("key").AsString()) return false;
  const std::string_view op = toleration.Get("operator").AsString();
  if (op == "Exists") return true;
  if (!op.empty() && op != "Equal") return false;
  return toleration.Get("value").AsString() == taint.Get("value").AsString();
}

bool TolerationsTolerate(const Value& tolerations, const Value& taint) {
  const Value::Items items = tolerations.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& t) { return Tolerates(t, taint); });
}

const Value* FirstUntolerated(const Value& taints, const Value& tolerations,
                              const std::vector<std::string_view>& effects) {
  for (const Value& taint : taints.items()) {
    const std::string_view effect = taint.Get("effect").AsString();
    if (std::find(effects.begin(), effects.end(), effect) == effects.end()) continue;
    if (!TolerationsTolerate(tolerations, taint)) return &taint;
  }
  return nullptr;
}

}  // namespace ksim::api
