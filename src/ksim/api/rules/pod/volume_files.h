// Rules of the files within a volume: their paths, modes and sources.
//
// Source: pkg/apis/core/validation/validation.go validateLocalDescendingPath,
// ValidateLocalNonReservedPath, validateKeyToPath, validateDownwardAPIVolumeFile.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// A path has a "..".
bool HasBackstep(std::string_view target);
// A path within a volume: relative, without "..".
void ValidateDescendingPath(std::string_view target, const FieldPath& path, FieldErrorList* errors);
// The same, and it does not begin with "..".
void ValidateLocalPath(std::string_view target, const FieldPath& path, FieldErrorList* errors);

// `field` of the source has a text.
void RequireText(const value::Value& source, value::Atom field, const FieldPath& path,
                 FieldErrorList* errors);
// `field` of the source is the mode of a file, if it is there.
void ValidateFileMode(const value::Value& source, value::Atom field, const FieldPath& path,
                      FieldErrorList* errors);

// One of the `items` of a Secret or ConfigMap.
void ValidateKeyToPath(const value::Value& item, const FieldPath& path, FieldErrorList* errors);
// A Secret or ConfigMap whose name stands in the field `name`, with its mode and items.
void ValidateKeyFiles(const value::Value& source, value::Atom name, const FieldPath& path,
                      FieldErrorList* errors);
void ValidateDownwardFile(const value::Value& file, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
