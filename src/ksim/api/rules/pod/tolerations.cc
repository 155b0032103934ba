#include "ksim/api/rules/pod/tolerations.h"

#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

void CheckToleration(const Value& toleration, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view key = toleration.Get(Fields().key).AsString();
  const std::string_view op = toleration.Get(Fields().operator_).AsString();
  const std::string_view effect = toleration.Get(Fields().effect).AsString();
  const std::string_view tolerated = toleration.Get(Fields().value).AsString();
  if (!key.empty()) {
    errors->InvalidAll(path.Child("key"), key, QualifiedName(key, errors->compat()));
  } else if (op != "Exists") {
    errors->Invalid(path.Child("operator"), op,
                    "operator must be Exists when `key` is empty, which means \"match all values "
                    "and all keys\"");
  }
  if (!toleration.Get(Fields().toleration_seconds).is_null() && effect != "NoExecute") {
    errors->Invalid(path.Child("effect"), effect,
                    "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    const NameProblems problems = LabelValue(tolerated, errors->compat());
    if (!problems.empty()) {
      errors->Invalid(path.Child("operator"), tolerated,
                      fmt::format("{}", fmt::join(problems, ";")));
    }
  } else if (op == "Exists") {
    if (!tolerated.empty()) {
      constexpr std::string_view kWhy = "value must be empty when `operator` is 'Exists'";
      if (errors->profile().toleration_shown_whole) {
        errors->Invalid(path.Child("operator"), toleration, GoShape::kOther, kWhy);
      } else {
        errors->Invalid(path.Child("operator"), tolerated, kWhy);
      }
    }
  } else {
    errors->NotSupported(path.Child("operator"), op, {"Equal", "Exists"});
  }
  if (!effect.empty()) ValidateTaintEffect(effect, path.Child("effect"), errors);
}

}  // namespace

void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrorList* errors) {
  if (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute") return;
  errors->NotSupported(path, effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void ValidateTolerations(const Value& tolerations, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    CheckToleration(tolerations.at(i), path.Index(i), errors);
  }
}

}  // namespace ksim::api
