#include "ksim/api/rules/pod/container_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/field_refs.h"
#include "ksim/api/rules/pod/volume_files.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

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

// validateFileKeySelector.
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
