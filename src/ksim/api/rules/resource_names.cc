#include "ksim/api/rules/resource_names.h"

#include <algorithm>
#include <iterator>

#include "ksim/api/rules/name_rules.h"
#include "ksim/api/views/resources.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kContainer[] = {"cpu", "memory", "ephemeral-storage"};
// Counted by quotas, and whole numbers.
constexpr std::string_view kObjects[] = {"pods",
                                         "resourcequotas",
                                         "services",
                                         "replicationcontrollers",
                                         "secrets",
                                         "configmaps",
                                         "persistentvolumeclaims",
                                         "services.nodeports",
                                         "services.loadbalancers"};
constexpr std::string_view kAmounts[] = {
    "requests.cpu", "requests.memory", "requests.storage",        "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage"};

template <std::size_t N>
bool IsAmong(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool HasPrefix(std::string_view name) { return name.find('/') != name.npos; }

// A resource's name is a fmt.Stringer, which %#v prints bare.
void Refuse(const FieldPath& path, std::string_view name, std::string_view detail,
            FieldErrorList* errors) {
  errors->Invalid(path, Value::String(name), GoShape::kStringer, detail);
}

}  // namespace

bool IsHugePagesName(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsStandardQuotaName(std::string_view name) {
  return IsAmong(kContainer, name) || IsAmong(kObjects, name) || IsAmong(kAmounts, name) ||
         IsHugePagesName(name) || name.starts_with("requests.hugepages-");
}

bool MayOvercommit(std::string_view name) {
  return IsNativeResource(name) && !IsHugePagesName(name);
}

bool IsCountedInWhole(std::string_view name) {
  return IsAmong(kObjects, name) || IsExtendedResource(name);
}

void ValidateResourceName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  const NameProblems problems = QualifiedName(name, errors->compat());
  for (const std::string& problem : problems) Refuse(path, name, problem, errors);
  if (!problems.empty() || HasPrefix(name) || IsStandardQuotaName(name) || name == "storage")
    return;
  Refuse(path, name, "must be a standard resource type or fully qualified", errors);
}

void ValidateContainerResourceName(std::string_view name, const FieldPath& path,
                                   FieldErrorList* errors) {
  ValidateResourceName(name, path, errors);
  if (!HasPrefix(name)) {
    if (!IsAmong(kContainer, name) && !IsHugePagesName(name))
      Refuse(path, name, "must be a standard resource for containers", errors);
    return;
  }
  if (IsNativeResource(name)) return;
  const bool extended = IsExtendedResource(name) &&
                        QualifiedName("requests." + std::string(name), errors->compat()).empty();
  if (!extended) Refuse(path, name, "doesn't follow extended resource name standard", errors);
}

void ValidateQuotaResourceName(std::string_view name, const FieldPath& path,
                               FieldErrorList* errors) {
  ValidateResourceName(name, path, errors);
  if (!HasPrefix(name) && !IsStandardQuotaName(name))
    Refuse(path, name, "must be a standard resource for quota", errors);
}

}  // namespace ksim::api
