#include "ksim/api/structural/scale_paths.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "ksim/api/core/definition.h"
#include "ksim/value/go_format.h"

namespace ksim::api {

using value::Value;

namespace {

std::vector<std::string_view> PathFields(std::string_view path) {
  if (path.starts_with(".")) path.remove_prefix(1);
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t point = path.find('.');
    fields.push_back(path.substr(0, point));
    if (point == path.npos) return fields;
    path.remove_prefix(point + 1);
  }
}

std::string AccessorProblem(std::string_view path, const Value& v, std::string_view wanted) {
  return fmt::format("{} accessor error: {} is of the type {}, expected {}", path,
                     value::GoFormat(v), value::GoTypeName(v), wanted);
}

// NestedFieldNoCopy
NestedValue NestedField(const Value& tree, std::string_view path) {
  NestedValue nested;
  std::string walked;
  Value at = tree;
  for (const std::string_view field : PathFields(path)) {
    walked.append(".").append(field);
    if (at.is_null()) return nested;
    if (!at.is_object()) {
      nested.problem = AccessorProblem(walked, at, "map[string]interface {}");
      // The word of the message has no blank.
      nested.problem = nested.problem.substr(0, nested.problem.rfind(" {}")) + "{}";
      return nested;
    }
    const Value* const below = at.Find(value::Atom(field));
    if (below == nullptr) return nested;
    const Value next = *below;
    at = next;
  }
  nested.v = at;
  nested.found = true;
  return nested;
}

NestedValue TypedNested(const Value& tree, std::string_view path, bool number) {
  NestedValue nested = NestedField(tree, path);
  const bool fits = number ? nested.v.is_int() : nested.v.is_string();
  if (!nested.found || fits) return nested;
  std::string whole = ".";
  whole += path.starts_with(".") ? path.substr(1) : path;
  nested.problem = AccessorProblem(whole, nested.v, number ? "int64" : "string");
  nested.found = false;
  nested.v = Value();
  return nested;
}

void ValidateCount(const Value& tree, const std::string& path, FieldErrorList* errors) {
  const NestedValue count = NestedInt(tree, path);
  const FieldPath field(path);
  const std::int64_t n = count.v.AsInt();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!count.problem.empty()) return errors->Invalid(field, 0, count.problem);
  if (n < 0) return errors->Invalid(field, n, "should be a non-negative integer");
  if (n > kMost)
    errors->Invalid(field, n, fmt::format("should be less than or equal to {}", kMost));
}

}  // namespace

ScalePaths ScalePathsOf(const ResourceInfo& kind) {
  ScalePaths paths;
  paths.spec_replicas = ".spec.replicas";
  paths.status_replicas = ".status.replicas";
  if (kind.definition == nullptr) return paths;
  const Value& scale = kind.definition->version.Get("subresources").Get("scale");
  paths.spec_replicas = scale.Get("specReplicasPath").AsString();
  paths.status_replicas = scale.Get("statusReplicasPath").AsString();
  paths.label_selector = scale.Get("labelSelectorPath").AsString();
  return paths;
}

NestedValue NestedInt(const Value& tree, std::string_view path) {
  return TypedNested(tree, path, true);
}
NestedValue NestedText(const Value& tree, std::string_view path) {
  return TypedNested(tree, path, false);
}

value::Path PathOf(std::string_view json_path) {
  std::vector<value::PathStep> steps;
  for (const std::string_view field : PathFields(json_path)) steps.emplace_back(field);
  return value::Path(std::move(steps));
}

void ValidateScaleSpec(const ResourceInfo& kind, const Value& tree, FieldErrorList* errors) {
  if (!kind.has_scale || kind.definition == nullptr) return;
  ValidateCount(tree, ScalePathsOf(kind).spec_replicas, errors);
}

void ValidateScaleStatus(const ResourceInfo& kind, const Value& tree, FieldErrorList* errors) {
  if (!kind.has_scale || kind.definition == nullptr) return;
  const ScalePaths paths = ScalePathsOf(kind);
  ValidateCount(tree, paths.status_replicas, errors);
  if (paths.label_selector.empty()) return;
  const NestedValue selector = NestedText(tree, paths.label_selector);
  if (!selector.problem.empty())
    errors->Invalid(FieldPath(paths.label_selector), "", selector.problem);
}

}  // namespace ksim::api
