#include "ksim/api/rules/pod/volume_files.h"

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/pod/field_refs.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kModeRule =
    "must be a number between 0 and 0777 (octal), both inclusive";

}  // namespace

bool HasBackstep(std::string_view target) {
  while (true) {
    const std::size_t slash = target.find('/');
    if (target.substr(0, slash) == "..") return true;
    if (slash == target.npos) return false;
    target.remove_prefix(slash + 1);
  }
}

void ValidateDescendingPath(std::string_view target, const FieldPath& path,
                            FieldErrorList* errors) {
  if (target.starts_with('/')) errors->Invalid(path, target, "must be a relative path");
  if (HasBackstep(target)) errors->Invalid(path, target, "must not contain '..'");
}

void RequireText(const Value& source, Atom field, const FieldPath& path, FieldErrorList* errors) {
  if (source.Get(field).AsString().empty()) errors->Required(path.Child(field.text()));
}

void ValidateFileMode(const Value& source, Atom field, const FieldPath& path,
                      FieldErrorList* errors) {
  const Value& mode = source.Get(field);
  if (mode.is_null() || (mode.AsInt() >= 0 && mode.AsInt() <= 0777)) return;
  errors->Invalid(path.Child(field.text()), mode.AsInt(), kModeRule);
}

// ValidateLocalNonReservedPath.
void ValidateLocalPath(std::string_view target, const FieldPath& path, FieldErrorList* errors) {
  ValidateDescendingPath(target, path, errors);
  if (target.starts_with("..") && !target.starts_with("../")) {
    errors->Invalid(path, target, "must not start with '..'");
  }
}

void ValidateKeyToPath(const Value& item, const FieldPath& path, FieldErrorList* errors) {
  RequireText(item, Fields().key, path, errors);
  RequireText(item, Fields().path, path, errors);
  ValidateLocalPath(item.Get(Fields().path).AsString(), path.Child("path"), errors);
  ValidateFileMode(item, Fields().mode, path, errors);
}

void ValidateKeyFiles(const Value& source, Atom name, const FieldPath& path,
                      FieldErrorList* errors) {
  RequireText(source, name, path, errors);
  ValidateFileMode(source, Fields().default_mode, path, errors);
  const Value& items = source.Get(Fields().items);
  const FieldPath list = path.Child("items");
  for (std::size_t i = 0; i < items.size(); ++i)
    ValidateKeyToPath(items.at(i), list.Index(i), errors);
}

// validateDownwardAPIVolumeFile. Upstream names the list for each of its files.
void ValidateDownwardFile(const Value& file, const FieldPath& path, FieldErrorList* errors) {
  RequireText(file, Fields().path, path, errors);
  ValidateLocalPath(file.Get(Fields().path).AsString(), path.Child("path"), errors);
  const Value& field = file.Get(Fields().field_ref);
  const Value& resource = file.Get(Fields().resource_field_ref);
  if (field.is_object()) {
    ValidateFieldRef(field, /*volume=*/true, path.Child("fieldRef"), errors);
    if (resource.is_object()) {
      errors->Invalid(path, "resource",
                      "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource.is_object()) {
    ValidateResourceFieldRef(resource, /*volume=*/true, path.Child("resourceFieldRef"), errors);
  } else {
    errors->Required(path, "one of fieldRef and resourceFieldRef is required");
  }
  ValidateFileMode(file, Fields().mode, path, errors);
}

}  // namespace ksim::api
