// ScalePaths: where a custom resource keeps what its scale subresource shows.
//
// Sources: apiextensions-apiserver pkg/registry/customresource/{etcd,validator}.go;
// apimachinery pkg/apis/meta/v1/unstructured/helpers.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct ScalePaths {
  std::string spec_replicas, status_replicas;  // .spec.replicas
  std::string label_selector;                  // "": none
};
// Those of a kind with a definition; the ones of built-in kinds for any other.
ScalePaths ScalePathsOf(const ResourceInfo& kind);

// unstructured.NestedInt64 and NestedString: what is at a path, or why it cannot be.
struct NestedValue {
  value::Value v;
  bool found = false;
  std::string problem;
};
NestedValue NestedInt(const value::Value& tree, std::string_view path);
NestedValue NestedText(const value::Value& tree, std::string_view path);
value::Path PathOf(std::string_view json_path);

// ValidateScaleSpec, ValidateScaleStatus
void ValidateScaleSpec(const ResourceInfo& kind, const value::Value& tree, FieldErrorList* errors);
void ValidateScaleStatus(const ResourceInfo& kind, const value::Value& tree,
                         FieldErrorList* errors);

}  // namespace ksim::api
