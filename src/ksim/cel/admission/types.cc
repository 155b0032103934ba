#include "ksim/cel/admission/types.h"

#include <string>

#include "ksim/cel/functions/table.h"

namespace ksim::cel {
namespace {

struct FieldRow {
  const char *type, *field, *field_type;
};

constexpr FieldRow kRows[] = {
    {"GroupVersionKind", "group", "string"},
    {"GroupVersionKind", "version", "string"},
    {"GroupVersionKind", "kind", "string"},
    {"GroupVersionResource", "group", "string"},
    {"GroupVersionResource", "version", "string"},
    {"GroupVersionResource", "resource", "string"},
    {"UserInfo", "username", "string"},
    {"UserInfo", "uid", "string"},
    {"UserInfo", "groups", "list(string)"},
    {"UserInfo", "extra", "map(string, list(string))"},
    {"AdmissionRequest", "kind", "kubernetes.GroupVersionKind"},
    {"AdmissionRequest", "resource", "kubernetes.GroupVersionResource"},
    {"AdmissionRequest", "subResource", "string"},
    {"AdmissionRequest", "requestKind", "kubernetes.GroupVersionKind"},
    {"AdmissionRequest", "requestResource", "kubernetes.GroupVersionResource"},
    {"AdmissionRequest", "requestSubResource", "string"},
    {"AdmissionRequest", "name", "string"},
    {"AdmissionRequest", "namespace", "string"},
    {"AdmissionRequest", "operation", "string"},
    {"AdmissionRequest", "userInfo", "kubernetes.UserInfo"},
    {"AdmissionRequest", "dryRun", "bool"},
    {"AdmissionRequest", "options", "dyn"},
    {"Namespace", "metadata", "kubernetes.NamespaceMetadata"},
    {"Namespace", "spec", "kubernetes.NamespaceSpec"},
    {"Namespace", "status", "kubernetes.NamespaceStatus"},
    {"NamespaceSpec", "finalizers", "list(string)"},
    {"NamespaceStatus", "conditions", "list(kubernetes.NamespaceCondition)"},
    {"NamespaceStatus", "phase", "string"},
    {"NamespaceCondition", "status", "string"},
    {"NamespaceCondition", "type", "string"},
    {"NamespaceCondition", "lastTransitionTime", "timestamp"},
    {"NamespaceCondition", "message", "string"},
    {"NamespaceCondition", "reason", "string"},
    {"NamespaceMetadata", "name", "string"},
    {"NamespaceMetadata", "generateName", "string"},
    {"NamespaceMetadata", "namespace", "string"},
    {"NamespaceMetadata", "labels", "map(string, string)"},
    {"NamespaceMetadata", "annotations", "map(string, string)"},
    {"NamespaceMetadata", "UID", "string"},
    {"NamespaceMetadata", "creationTimestamp", "timestamp"},
    {"NamespaceMetadata", "deletionGracePeriodSeconds", "int"},
    {"NamespaceMetadata", "deletionTimestamp", "timestamp"},
    {"NamespaceMetadata", "generation", "int"},
    {"NamespaceMetadata", "resourceVersion", "string"},
    {"NamespaceMetadata", "finalizers", "list(string)"},
};

}  // namespace

TypePtr AdmissionFieldType(std::string_view type, std::string_view field) {
  constexpr std::string_view kPrefix = "kubernetes.";
  if (!type.starts_with(kPrefix)) return nullptr;
  type.remove_prefix(kPrefix.size());
  for (const FieldRow& row : kRows)
    if (type == row.type && field == row.field) return ParseType(row.field_type);
  return nullptr;
}

std::set<std::string, std::less<>> AdmissionTypes() {
  std::set<std::string, std::less<>> names;
  for (const FieldRow& row : kRows) names.insert(std::string("kubernetes.") + row.type);
  return names;
}

}  // namespace ksim::cel
