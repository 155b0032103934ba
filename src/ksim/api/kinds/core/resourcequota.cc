// The kind ResourceQuota of v1.
//
// Sources: pkg/printers/internalversion/printers.go printResourceQuota;
// pkg/apis/core/validation/validation.go ValidateResourceQuota, ValidateResourceQuotaUpdate,
// ValidateResourceQuotaStatusUpdate.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/api/rules/resource_names.h"
#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kResourceQuotaTypes = R"(
ResourceQuota: apiVersion=string kind=string metadata=ObjectMeta spec=ResourceQuotaSpec
   status=ResourceQuotaStatus
ResourceQuotaSpec: hard={}Quantity@ResourceList scopeSelector=*ScopeSelector
   scopes=[]s:ResourceQuotaScope
ResourceQuotaStatus: hard={}Quantity@ResourceList used={}Quantity@ResourceList
ScopeSelector: matchExpressions=[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator!=s:ScopeSelectorOperator
   scopeName!=s:ResourceQuotaScope values=[]string
)";

std::vector<std::string> QuotaCells(const Object& o, VirtualTime now) {
  std::vector<std::string> requests, limits;
  for (const Value::Member& m : o.status().Get("hard").members()) {
    const bool limit = m.name.text().starts_with("limits.");
    (limit ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", m.name.text(),
                               cells::AmountText(o.status().Get("used").Get(m.name)),
                               cells::AmountText(m.value)));
  }
  return {cells::Name(o), cells::JoinTexts(requests, ", "), cells::JoinTexts(limits, ", "),
          cells::Age(o, now)};
}

// resourcequota/strategy.go WarningsOnCreate
std::vector<std::string> QuotaWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  if (!ProfileOf(compat).warns_of_quotas) return warnings;
  const Value& hard = tree.Get("spec").Get("hard");
  for (const std::string_view name : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string request = fmt::format("requests.{}", name);
    if (!hard.Has(request) && (name == "cpu" || name == "memory")) request = name;
    const std::string limit = fmt::format("limits.{}", name);
    if (!hard.Has(request) || !hard.Has(limit)) continue;
    const auto asked = value::Quantity::FromTree(hard.Get(request));
    const auto most = value::Quantity::FromTree(hard.Get(limit));
    if (!asked.ok() || !most.ok() || *asked <= *most) continue;
    warnings.push_back(fmt::format("ResourceQuota {} ({}) should be less than {} ({})", request,
                                   asked->ToString(), limit, most->ToString()));
  }
  return warnings;
}

// --- validation ---

constexpr std::string_view kOfPods[] = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
constexpr std::string_view kOfClaims[] = {"persistentvolumeclaims", "requests.storage"};

bool IsStandardScope(std::string_view scope, const Profile& profile) {
  static constexpr std::string_view kScopes[] = {"Terminating",   "NotTerminating",
                                                 "BestEffort",    "NotBestEffort",
                                                 "PriorityClass", "CrossNamespacePodAffinity"};
  if (scope == "VolumeAttributesClass") return profile.quota_volume_attributes_scope;
  return std::find(std::begin(kScopes), std::end(kScopes), scope) != std::end(kScopes);
}

// IsResourceQuotaScopeValidForResource.
bool MayLimit(std::string_view scope, std::string_view resource, const Profile& profile) {
  if (!IsStandardScope(scope, profile)) return true;
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass")
    return std::find(std::begin(kOfClaims), std::end(kOfClaims), resource) != std::end(kOfClaims);
  return std::find(std::begin(kOfPods), std::end(kOfPods), resource) != std::end(kOfPods);
}

void ValidateAmounts(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : list.members()) {
    const FieldPath at = path.Key(m.name.text());
    ValidateQuotaResourceName(m.name.text(), at, errors);
    ValidateQuantity(m.name.text(), m.value, at, errors);
  }
}

// Each resource of the quota that the scope cannot mean; `shown` is the bad value.
void CheckScopeOfResources(std::string_view scope, const Value& hard, const Value& shown,
                           const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : hard.members()) {
    const std::string_view name = m.name.text();
    if (IsStandardQuotaName(name) && !MayLimit(scope, name, errors->profile()))
      errors->Invalid(path, shown, GoShape::kOther, "unsupported scope applied to resource");
  }
}

void CheckConflicts(const std::set<std::string_view>& scopes, const Value& shown,
                    const FieldPath& path, FieldErrorList* errors) {
  for (const auto& [one, other] :
       {std::pair("BestEffort", "NotBestEffort"), std::pair("Terminating", "NotTerminating")})
    if (scopes.contains(one) && scopes.contains(other))
      errors->Invalid(path, shown, GoShape::kOther, "conflicting scopes");
}

void ValidateScopes(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& scopes = spec.Get("scopes");
  const FieldPath at = path.Child("scopes");
  std::set<std::string_view> seen;
  for (const Value& item : scopes.items()) {
    const std::string_view scope = item.AsString();
    if (!IsStandardScope(scope, errors->profile()))
      errors->Invalid(at, scopes, GoShape::kOther, "unsupported scope");
    CheckScopeOfResources(scope, spec.Get("hard"), scopes, at, errors);
    seen.insert(scope);
  }
  CheckConflicts(seen, scopes, at, errors);
}

void ValidateRequirement(const Value& requirement, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view scope = requirement.Get("scopeName").AsString();
  const std::string_view op = requirement.Get("operator").AsString();
  const Value& values = requirement.Get("values");
  const bool by_name = scope == "PriorityClass" || scope == "VolumeAttributesClass";
  if (!by_name && IsStandardScope(scope, errors->profile()) && op != "Exists")
    errors->Invalid(path.Child("operator"), op,
                    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                    "ResourceQuotaScopeNotBestEffort or "
                    "ResourceQuotaScopeCrossNamespacePodAffinity");
  if (op == "In" || op == "NotIn") {
    if (values.empty())
      errors->Required(path.Child("values"),
                       "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                       "selector");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      errors->Invalid(path.Child("values"), values, GoShape::kStringSlice,
                      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                      "selector");
  } else {
    errors->Invalid(path.Child("operator"), op, "not a valid selector operator");
  }
}

void ValidateScopeSelector(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& selector = spec.Get("scopeSelector");
  if (selector.is_null()) return;
  const FieldPath at_selector = path.Child("scopeSelector");
  const FieldPath at = at_selector.Child("matchExpressions");
  std::set<std::string_view> seen;
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    const std::string_view scope = requirement.Get("scopeName").AsString();
    if (!IsStandardScope(scope, errors->profile()))
      errors->Invalid(at.Child("scopeName"), scope, "unsupported scope");
    CheckScopeOfResources(scope, spec.Get("hard"), selector, at, errors);
    ValidateRequirement(requirement, at, errors);
    seen.insert(scope);
  }
  CheckConflicts(seen, spec.Get("scopes"), at, errors);
}

void ValidateQuota(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get("spec");
  ValidateAmounts(spec.Get("hard"), path.Child("hard"), errors);
  ValidateScopes(spec, path, errors);
  ValidateScopeSelector(spec, path, errors);
}

void ValidateQuotaChange(const Value& updated, const Value& old, FieldErrorList* errors) {
  const auto scopes = [](const Value& tree) {
    std::set<std::string_view> out;
    for (const Value& scope : tree.Get("spec").Get("scopes").items()) out.insert(scope.AsString());
    return out;
  };
  if (scopes(updated) == scopes(old)) return;
  const FieldPath path("spec");
  errors->Invalid(path.Child("scopes"), updated.Get("spec").Get("scopes"), GoShape::kOther,
                  "field is immutable");
}

void ValidateQuotaStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("status");
  const Value& status = tree.Get("status");
  ValidateAmounts(status.Get("hard"), path.Child("hard"), errors);
  ValidateAmounts(status.Get("used"), path.Child("used"), errors);
}

}  // namespace

extern const KindSpec kResourceQuotaKind = {
    .kind = "ResourceQuota",
    .resource = "resourcequotas",
    .short_names = {"quota"},
    .has_status = true,
    .go_types = kResourceQuotaTypes,
    .columns = {{"Name"}, {"Request"}, {"Limit"}, {"Age"}},
    .cells = QuotaCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateQuota,
            .change = ValidateQuotaChange,
            .status = ValidateQuotaStatus,
        },
    .warnings_on_create = QuotaWarnings,
};

}  // namespace ksim::api
