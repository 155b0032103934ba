// Environment variables and where they come from.
//
// Source: pkg/apis/core/validation/validation.go ValidateEnv, ValidateEnvFrom,
// validateObjectFieldSelector, validateContainerResourceFieldSelector; pkg/apis/core/pods
// ConvertDownwardAPIFieldLabel; pkg/fieldpath SplitMaybeSubscriptedPath.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_parts.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

template <std::size_t N>
bool In(const std::array<std::string_view, N>& list, std::string_view text) {
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

// metadata.labels['app'] is a path and a subscript; false: a plain path.
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

// What keeps the field from being read at all; "" if nothing does.
std::string LabelProblem(std::string_view version, std::string_view label) {
  if (version != "v1") return fmt::format("unsupported pod version: {}", version);
  std::string_view path, subscript;
  if (SplitSubscript(label, &path, &subscript)) {
    if (path == "metadata.annotations" || path == "metadata.labels") return "";
    return fmt::format("field label does not support subscript: {}", label);
  }
  if (In(kFieldLabels, label) || label == "spec.host") return "";
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
  return In(kUnits, divisor);
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

// validateConfigMapKeySelector, validateSecretKeySelector.
void CheckKeySelector(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = ref.Get(Fields().name).AsString();
  errors->InvalidAll(path.Child("name"), name, Dns1123Subdomain(name));
  const std::string_view key = ref.Get(Fields().key).AsString();
  if (key.empty()) {
    errors->Required(path.Child("key"));
  } else {
    errors->InvalidAll(path.Child("key"), key, ConfigMapKey(key));
  }
}

// validateFileKeySelector, of 1.34 and later.
void CheckFileKey(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view key = ref.Get(Fields().key).AsString();
  if (key.empty()) {
    errors->Required(path.Child("key"));
  } else {
    errors->InvalidAll(path.Child("key"), key, EnvVarName(key, errors->compat()));
  }
  const std::string_view volume = ref.Get(Fields().volume_name).AsString();
  if (volume.empty()) {
    errors->Required(path.Child("volumeName"));
  } else {
    errors->InvalidAll(path.Child("volumeName"), volume, Dns1123Label(volume, errors->compat()));
  }
  const std::string_view file = ref.Get(Fields().path).AsString();
  if (file.empty()) {
    errors->Required(path.Child("path"));
  } else if (HasBackstep(file)) {
    errors->Invalid(path.Child("path"), file, "must not contain '..'");
  }
}

// validateEnvVarValueFrom.
void CheckValueFrom(const Value& variable, const FieldPath& path, FieldErrorList* errors) {
  const Value& from = variable.Get(Fields().value_from);
  int sources = 0;
  const auto given = [&](Atom field) -> const Value* {
    const Value& source = from.Get(field);
    if (!source.is_object()) return nullptr;
    ++sources;
    return &source;
  };
  if (const Value* ref = given(Fields().field_ref)) {
    ValidateFieldRef(*ref, /*volume=*/false, path.Child("fieldRef"), errors);
  }
  if (const Value* ref = given(Fields().resource_field_ref)) {
    ValidateResourceFieldRef(*ref, /*volume=*/false, path.Child("resourceFieldRef"), errors);
  }
  for (const Atom keys : {Fields().config_map_key_ref, Fields().secret_key_ref}) {
    if (const Value* ref = given(keys)) CheckKeySelector(*ref, path.Child(keys.text()), errors);
  }
  const bool files = errors->profile().env_files;
  if (files) {
    if (const Value* ref = given(Fields().file_key_ref))
      CheckFileKey(*ref, path.Child("fileKeyRef"), errors);
  }
  if (sources == 0) {
    errors->Invalid(path, "",
                    files ? "must specify one of: `fieldRef`, `resourceFieldRef`, "
                            "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
                          : "must specify one of: `fieldRef`, `resourceFieldRef`, "
                            "`configMapKeyRef` or `secretKeyRef`");
  } else if (!variable.Get(Fields().value).AsString().empty()) {
    errors->Invalid(path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors->Invalid(path, "", "may not have more than one field specified at a time");
  }
}

// ValidateConfigMapName and ValidateSecretName as prefixes: a trailing dash may be followed by
// more.
void CheckRefName(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = ref.Get(Fields().name).AsString();
  if (name.empty()) return errors->Required(path.Child("name"));
  errors->InvalidAll(path.Child("name"), name, Dns1123Subdomain(MaskTrailingDash(name)));
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
    std::string key(subscript);
    if (field == "metadata.annotations") {
      for (char& c : key) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    errors->InvalidAll(path, key, QualifiedName(key, errors->compat()));
    return;
  }
  if (field == "spec.host") field = "spec.nodeName";
  if (!(volume ? In(kVolumeFields, field) : In(kEnvFields, field))) {
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
  } else if (!In(kResources, resource) && !resource.starts_with("limits.hugepages-") &&
             !resource.starts_with("requests.hugepages-")) {
    errors->NotSupported(path.Child("resource"), resource,
                         {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                          "requests.ephemeral-storage", "requests.memory"});
  }
  CheckDivisor(resource, ref.Get(Fields().divisor), path, errors);
}

void ValidateEnv(const Value& env, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < env.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& variable = env.at(i);
    const std::string_view name = variable.Get(Fields().name).AsString();
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else {
      errors->InvalidAll(at.Child("name"), name, EnvVarName(name, errors->compat()));
    }
    if (variable.Get(Fields().value_from).is_object()) {
      CheckValueFrom(variable, at.Child("valueFrom"), errors);
    }
  }
}

void ValidateEnvFrom(const Value& env_from, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < env_from.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& from = env_from.at(i);
    const std::string_view prefix = from.Get(Fields().prefix).AsString();
    if (!prefix.empty()) {
      errors->InvalidAll(at.Child("prefix"), prefix, EnvVarName(prefix, errors->compat()));
    }
    int sources = 0;
    for (const Atom field : {Fields().config_map_ref, Fields().secret_ref}) {
      if (!from.Get(field).is_object()) continue;
      ++sources;
      CheckRefName(from.Get(field), at.Child(field.text()), errors);
    }
    // Upstream names the list here, not the entry.
    if (sources == 0) {
      errors->Invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (sources > 1) {
      errors->Invalid(path, "", "may not have more than one field specified at a time");
    }
  }
}

}  // namespace ksim::api
