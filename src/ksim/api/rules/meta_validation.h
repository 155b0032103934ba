// Rules of metadata, which every object has.
//
// Sources: apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// ValidateObjectMeta as the kind's own validation calls it: `metadata` of a new object.
void ValidateObjectMeta(const ResourceInfo& kind, const value::Value& metadata,
                        FieldErrorList* errors);
// The rules of apiserver pkg/registry/rest for every kind: any name that fits into a path.
void ValidateCommonMeta(const ResourceInfo& kind, const value::Value& metadata,
                        FieldErrorList* errors);
// validateKubeFinalizerName.
void ValidateKubeFinalizer(std::string_view name, const FieldPath& path, FieldErrorList* errors);
// The same of all finalizers.
void ValidateKubeFinalizers(const value::Value& metadata, FieldErrorList* errors);
// ValidateObjectMetaUpdate. `good_contents`: ValidateCommonMeta found no error.
void ValidateObjectMetaUpdate(const value::Value& metadata, const value::Value& old,
                              bool good_contents, FieldErrorList* errors);

void ValidateLabels(const value::Value& labels, const FieldPath& path, FieldErrorList* errors);
void ValidateAnnotations(const value::Value& annotations, const FieldPath& path,
                         FieldErrorList* errors);
void ValidateLabelSelector(const value::Value& selector, const FieldPath& path,
                           FieldErrorList* errors);
// ValidateImmutableField.
void ValidateImmutable(const value::Value& updated, const value::Value& old, GoShape shape,
                       const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
