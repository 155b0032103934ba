// The kind RuntimeClass of node.k8s.io/v1.
//
// Source: pkg/apis/node/validation/validation.go, pkg/registry/node/runtimeclass/strategy.go.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/node_labels.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/api/rules/pod/tolerations.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kRuntimeClassTypes = R"(
Overhead: podFixed={}Quantity@ResourceList
RuntimeClass: apiVersion=string handler!=string kind=string metadata=ObjectMeta overhead=*Overhead
   scheduling=*Scheduling
Scheduling: nodeSelector={}string tolerations=[]Toleration
)";

std::vector<std::string> HandlerCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.tree().Get("handler")), cells::Age(o, now)};
}

// A toleration as Go prints the internal type; two are the same if all but their seconds is.
std::string TolerationText(const Value& toleration, bool with_seconds, const Profile& profile) {
  const auto quoted = [&toleration](const char* field) {
    return value::ToJson(Value::Of(toleration.Get(field).AsString()));
  };
  const std::string key = quoted("key"), op = quoted("operator"), text = quoted("value"),
                    effect = quoted("effect");
  const Value& seconds = toleration.Get("tolerationSeconds");
  const std::string shown = seconds.is_null() || !with_seconds ? "" : value::ToJson(seconds);
  if (profile.bad_values_as_json)
    return fmt::format(
        R"({{"Key":{},"Operator":{},"Value":{},"Effect":{},"TolerationSeconds":{}}})", key, op,
        text, effect, shown.empty() ? "null" : shown);
  // Upstream prints the address of the seconds.
  return fmt::format(
      "core.Toleration{{Key:{}, Operator:{}, Value:{}, Effect:{}, TolerationSeconds:(*int64)({})}}",
      key, op, text, effect, shown.empty() ? "nil" : shown);
}

void ValidateClassTolerations(const Value& tolerations, const FieldPath& path,
                              FieldErrorList* errors) {
  if (errors->profile().runtime_class_toleration_path_twice) {
    ValidateTolerations(tolerations, path.Child("tolerations"), errors);
  } else {
    ValidateTolerations(tolerations, path, errors);
  }
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Value& toleration = tolerations.at(i);
    const std::string key = TolerationText(toleration, false, errors->profile());
    if (std::find(seen.begin(), seen.end(), key) == seen.end())
      seen.push_back(key);
    else
      errors->DuplicateAs(path.Index(i), TolerationText(toleration, true, errors->profile()));
  }
}

void ValidateRuntimeClass(const Value& tree, FieldErrorList* errors) {
  const FieldPath handler("handler"), overhead("overhead"), scheduling("scheduling");
  const std::string_view name = tree.Get("handler").AsString();
  if (name.empty() && errors->profile().runtime_class_handler_required)
    errors->Required(handler);
  else
    errors->InvalidAll(handler, name, Dns1123Label(name, errors->compat()));
  if (!tree.Get("overhead").is_null())
    ValidateResources(value::Obj({{"limits", tree.Get("overhead").Get("podFixed")}}), overhead,
                      errors);
  const Value& rules = tree.Get("scheduling");
  if (rules.is_null()) return;
  if (!rules.Get("nodeSelector").is_null())
    ValidateLabels(rules.Get("nodeSelector"), scheduling.Child("nodeSelector"), errors);
  ValidateClassTolerations(rules.Get("tolerations"), scheduling.Child("tolerations"), errors);
}

void ValidateRuntimeClassUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("handler"), old.Get("handler"), GoShape::kOther, FieldPath("handler"),
                    errors);
}

// pkg/api/node/util.go GetWarningsForRuntimeClass, by the names of the labels.
std::vector<std::string> RuntimeClassWarnings(const value::Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  for (const value::Value::Member& m : tree.Get("scheduling").Get("nodeSelector").members()) {
    const std::string_view text = DeprecatedLabelText(m.name.text(), ProfileOf(compat));
    if (!text.empty()) warnings.push_back(fmt::format("scheduling.nodeSelector: {}", text));
  }
  return warnings;
}

}  // namespace

extern const KindSpec kRuntimeClassKind = {
    .group = "node.k8s.io",
    .kind = "RuntimeClass",
    .resource = "runtimeclasses",
    .namespaced = false,
    .create_on_update = true,
    .unconditional_update = false,
    .go_types = kRuntimeClassTypes,
    .columns = {{"Name"}, {"Handler"}, {"Age"}},
    .cells = HandlerCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckChange},
            .object = ValidateRuntimeClass,
            .change = ValidateRuntimeClassUpdate,
            .standard_finalizers = false,
        },
    .warnings_on_create = RuntimeClassWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return RuntimeClassWarnings(updated, compat); },
};

}  // namespace ksim::api
