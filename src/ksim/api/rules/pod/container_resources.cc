#include "ksim/api/rules/pod/container_resources.h"

#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/pod/name_set.h"
#include "ksim/api/rules/resource_names.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Quantity;
using value::Value;

namespace {

// validateResourceQuantityHugePageValue.
void CheckHugePages(std::string_view name, const Value& quantity, const FieldPath& path,
                    FieldErrorList* errors) {
  if (!IsHugePagesName(name)) return;
  const auto page = Quantity::Parse(name.substr(std::string_view("hugepages-").size()));
  const auto amount = Quantity::FromTree(quantity);
  if (!amount.ok()) return;
  const bool divides = page.ok() && page->Sign() > 0 && amount->Value() % page->Value() == 0;
  if (divides) return;
  errors->Invalid(
      path, amount->ToString(),
      fmt::format("{} is not positive integer multiple of {}", amount->ToString(), name));
}

// A request beside its limit, which is null if there is none.
void CompareToLimit(std::string_view name, const Value& request, const Value& limit,
                    const FieldPath& path, FieldErrorList* errors) {
  const auto asked = Quantity::FromTree(request);
  if (!asked.ok()) return;
  if (limit.is_null()) {
    if (!MayOvercommit(name)) {
      errors->Required(path.Child("limits"), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const auto most = Quantity::FromTree(limit);
  if (!most.ok()) return;
  if (!MayOvercommit(name) && *asked != *most) {
    errors->Invalid(path.Child("requests"), asked->ToString(),
                    fmt::format("must be equal to {} limit of {}", name, most->ToString()));
  } else if (*asked > *most) {
    errors->Invalid(
        path.Child("requests"), asked->ToString(),
        fmt::format("must be less than or equal to {} limit of {}", name, most->ToString()));
  }
}

}  // namespace

void ValidateQuantity(std::string_view resource, const Value& quantity, const FieldPath& path,
                      FieldErrorList* errors) {
  const auto amount = Quantity::FromTree(quantity);
  if (!amount.ok()) return;
  if (amount->Sign() < 0) {
    errors->Invalid(path, amount->ToString(), "must be greater than or equal to 0");
  }
  if (IsCountedInWhole(resource) && amount->MilliValue() % 1000 != 0) {
    errors->Invalid(path, amount->ToString(), "must be an integer");
  }
}

void ValidateResources(const Value& resources, const FieldPath& path, FieldErrorList* errors) {
  const Value& limits = resources.Get(Fields().limits);
  bool huge = false, ordinary = false;
  for (const Atom field : {Fields().limits, Fields().requests}) {
    const FieldPath list = path.Child(field.text());
    for (const Value::Member& m : resources.Get(field).members()) {
      const std::string_view name = m.name.text();
      const FieldPath at = list.Key(name);
      ValidateContainerResourceName(name, at, errors);
      ValidateQuantity(name, m.value, at, errors);
      if (field == Fields().requests)
        CompareToLimit(name, m.value, limits.Get(m.name), path, errors);
      CheckHugePages(name, m.value, at, errors);
      huge = huge || IsHugePagesName(name);
      ordinary = ordinary || name == "cpu" || name == "memory";
    }
  }
  if (huge && !ordinary) errors->Forbidden(path, "HugePages require cpu or memory");
}

// Upstream names the list where an entry is wrong.
void ValidateResizePolicy(const Value& policies, const PodFacts& pod, const FieldPath& path,
                          FieldErrorList* errors) {
  if (!errors->profile().resize_policy) return;
  NameSet seen;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string_view resource = policies.at(i).Get(Fields().resource_name).AsString();
    const std::string_view restart = policies.at(i).Get(Fields().restart_policy).AsString();
    if (!Insert(&seen, std::string(resource))) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}", GoValue(Value::String(resource),
                                                             GoShape::kStringer, errors->compat())),
                  path.Index(i).ToString());
    }
    ValidateChoice(resource, true, path, {"cpu", "memory"}, errors);
    ValidateChoice(restart, true, path, {"NotRequired", "RestartContainer"}, errors);
    if (pod.spec.Get(Fields().restart_policy).AsString() == "Never" && restart != "NotRequired") {
      errors->Invalid(path, restart,
                      fmt::format("must be 'NotRequired' when {}`restartPolicy` is 'Never'",
                                  errors->profile().resize_text_names_pod ? "pod " : ""));
    }
  }
}

}  // namespace ksim::api
