#include "ksim/api/rules/pod/field_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Value;

namespace {

template <std::size_t N>
bool IsAmong(const std::array<std::string_view, N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

constexpr std::array<std::string_view, 14> kFieldLabels = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};

constexpr std::array<std::string_view, 9> kEnvFields = {"metadata.name",
                                                        "metadata.namespace",
                                                        "metadata.uid",
                                                        "spec.nodeName",
                                                        "spec.serviceAccountName",
                                                        "status.hostIP",
                                                        "status.hostIPs",
                                                        "status.podIP",
                                                        "status.podIPs"};

constexpr std::array<std::string_view, 5> kVolumeFields = {"metadata.annotations",
                                                           "metadata.labels", "metadata.name",
                                                           "metadata.namespace", "metadata.uid"};

constexpr std::array<std::string_view, 6> kResources = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

// Splits metadata.labels['app'] into a path and a subscript; false for a plain path.
bool SplitSubscript(std::string_view text, std::string_view* path, std::string_view* subscript) {
  *path = text;
  if (!text.ends_with("']")) return false;
  text.remove_suffix(2);
  const std::size_t at = text.find("['");
  if (at == text.npos || at == 0) return false;
  *path = text.substr(0, at);
  *subscript = text.substr(at + 2);
  return true;
}

// The reason why the server cannot read the field at all; "" if it can.
std::string LabelProblem(std::string_view version, std::string_view label) {
  if (version != "v1") return fmt::format("unsupported pod version: {}", version);
  std::string_view path, subscript;
  if (SplitSubscript(label, &path, &subscript)) {
    if (path == "metadata.annotations" || path == "metadata.labels") return "";
    return fmt::format("field label does not support subscript: {}", label);
  }
  if (IsAmong(kFieldLabels, label) || label == "spec.host") return "";
  return fmt::format("field label not supported: {}", label);
}

void NotAmong(std::string_view field, bool volume, const FieldPath& path, FieldErrorList* errors) {
  if (volume) {
    errors->NotSupported(path, field,
                         {"metadata.annotations", "metadata.labels", "metadata.name",
                          "metadata.namespace", "metadata.uid"});
  } else if (!errors->profile().pod_host_ips) {
    errors->NotSupported(
        path, field,
        {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
         "spec.serviceAccountName", "status.hostIP", "status.podIP", "status.podIPs"});
  } else {
    errors->NotSupported(path, field,
                         {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                          "spec.serviceAccountName", "status.hostIP", "status.hostIPs",
                          "status.podIP", "status.podIPs"});
  }
}

bool IsUnit(std::string_view divisor) {
  constexpr std::array<std::string_view, 13> kUnits = {
      "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  return IsAmong(kUnits, divisor);
}

// validateContainerResourceDivisor.
void CheckDivisor(std::string_view resource, const Value& divisor, const FieldPath& path,
                  FieldErrorList* errors) {
  const auto amount = value::Quantity::FromTree(divisor);
  if (divisor.is_null() || !amount.ok() || amount->is_zero()) return;
  const std::string text = amount->ToString();
  const std::size_t dot = resource.find('.');
  const std::string_view what = dot == resource.npos ? "" : resource.substr(dot + 1);
  const FieldPath at = path.Child("divisor");
  if (what == "cpu") {
    if (text == "1m" || text == "1") return;
    errors->Invalid(at, resource,
                    "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  std::string_view named;
  if (what == "memory") named = "memory";
  if (what == "ephemeral-storage") named = "local ephemeral storage";
  if (what.starts_with("hugepages-")) named = "hugepages";
  if (named.empty() || IsUnit(text)) return;
  errors->Invalid(at, resource,
                  fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, "
                              "1Ti, 1Pi, 1Ei are supported with the {} resource",
                              named));
}

}  // namespace

void ValidateFieldRef(const Value& ref, bool volume, const FieldPath& path,
                      FieldErrorList* errors) {
  const std::string_view version = ref.Get(Fields().api_version).AsString();
  const std::string_view label = ref.Get(Fields().field_path).AsString();
  if (version.empty()) return errors->Required(path.Child("apiVersion"));
  if (label.empty()) return errors->Required(path.Child("fieldPath"));
  if (const std::string problem = LabelProblem(version, label); !problem.empty()) {
    errors->Invalid(path.Child("fieldPath"), label, "error converting fieldPath: " + problem);
    return;
  }
  std::string_view field, subscript;
  if (SplitSubscript(label, &field, &subscript)) {
    const std::string key =
        field == "metadata.annotations" ? AsciiLower(subscript) : std::string(subscript);
    errors->InvalidAll(path, key, QualifiedName(key, errors->compat()));
    return;
  }
  if (field == "spec.host") field = "spec.nodeName";
  if (!(volume ? IsAmong(kVolumeFields, field) : IsAmong(kEnvFields, field))) {
    NotAmong(field, volume, path.Child("fieldPath"), errors);
  }
}

void ValidateResourceFieldRef(const Value& ref, bool volume, const FieldPath& path,
                              FieldErrorList* errors) {
  const std::string_view resource = ref.Get(Fields().resource).AsString();
  if (volume && ref.Get(Fields().container_name).AsString().empty()) {
    errors->Required(path.Child("containerName"));
  } else if (resource.empty()) {
    errors->Required(path.Child("resource"));
  } else if (!IsAmong(kResources, resource) && !resource.starts_with("limits.hugepages-") &&
             !resource.starts_with("requests.hugepages-")) {
    errors->NotSupported(path.Child("resource"), resource,
                         {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                          "requests.ephemeral-storage", "requests.memory"});
  }
  CheckDivisor(resource, ref.Get(Fields().divisor), path, errors);
}

}  // namespace ksim::api
