#include "ksim/apiserver/core/field_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/go_text.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

struct FieldLabel {
  std::string_view label;
  Path path;
  std::string_view fallback = {};  // for a missing value
};

struct KindFields {
  std::string_view group, resource;
  bool has_namespace = true;
  std::vector<FieldLabel> labels;
  bool Profile::* since = nullptr;  // null: in every version
};

const std::vector<KindFields>& FieldLabelTable() {
  static const std::vector<KindFields> table{
      {"",
       "pods",
       true,
       {{"spec.nodeName", {"spec", "nodeName"}},
        {"spec.host", {"spec", "nodeName"}},
        {"spec.restartPolicy", {"spec", "restartPolicy"}},
        {"spec.schedulerName", {"spec", "schedulerName"}},
        {"spec.serviceAccountName", {"spec", "serviceAccountName"}},
        {"spec.hostNetwork", {"spec", "hostNetwork"}, "false"},
        {"status.phase", {"status", "phase"}},
        {"status.podIP", {"status", "podIP"}},
        {"status.podIPs", {"status", "podIPs", "none"}},
        {"status.nominatedNodeName", {"status", "nominatedNodeName"}}}},
      {"", "nodes", false, {{"spec.unschedulable", {"spec", "unschedulable"}, "false"}}},
      {"", "namespaces", false, {{"status.phase", {"status", "phase"}}}},
      {"",
       "services",
       true,
       {{"spec.clusterIP", {"spec", "clusterIP"}}, {"spec.type", {"spec", "type"}}},
       &Profile::service_field_labels},
      {"", "secrets", true, {{"type", {"type"}}}},
      {"", "replicationcontrollers", true, {{"status.replicas", {"status", "replicas"}, "0"}}},
      {"batch", "jobs", true, {{"status.successful", {"status", "succeeded"}, "0"}}},
      {"",
       "events",
       true,
       {{"involvedObject.kind", {"involvedObject", "kind"}},
        {"involvedObject.namespace", {"involvedObject", "namespace"}},
        {"involvedObject.name", {"involvedObject", "name"}},
        {"involvedObject.uid", {"involvedObject", "uid"}},
        {"involvedObject.apiVersion", {"involvedObject", "apiVersion"}},
        {"involvedObject.resourceVersion", {"involvedObject", "resourceVersion"}},
        {"involvedObject.fieldPath", {"involvedObject", "fieldPath"}},
        {"reason", {"reason"}},
        {"reportingComponent", {"reportingComponent"}},
        {"source", {"source", "component"}},
        {"type", {"type"}}}},
      {"events.k8s.io",
       "events",
       true,
       {{"regarding.kind", {"regarding", "kind"}},
        {"regarding.namespace", {"regarding", "namespace"}},
        {"regarding.name", {"regarding", "name"}},
        {"regarding.uid", {"regarding", "uid"}},
        {"regarding.apiVersion", {"regarding", "apiVersion"}},
        {"regarding.resourceVersion", {"regarding", "resourceVersion"}},
        {"regarding.fieldPath", {"regarding", "fieldPath"}},
        {"reason", {"reason"}},
        {"reportingController", {"reportingController"}},
        {"type", {"type"}}}},
      {"resource.k8s.io",
       "resourceslices",
       false,
       {{"spec.nodeName", {"spec", "nodeName"}}, {"spec.driver", {"spec", "driver"}}}}};
  return table;
}

const KindFields* FieldsOf(const api::ResourceInfo& r) {
  for (const KindFields& kind : FieldLabelTable()) {
    if (kind.group == r.group && kind.resource == r.resource) return &kind;
  }
  return nullptr;
}

const FieldLabel* FindLabel(const KindFields& kind, std::string_view label) {
  for (const FieldLabel& f : kind.labels) {
    if (f.label == label) return &f;
  }
  return nullptr;
}

std::string ScalarText(const Value& v, std::string_view fallback) {
  if (v.is_bool()) return v.AsBool() ? "true" : "false";
  if (v.is_int()) return std::to_string(v.AsInt());
  if (v.is_string()) return std::string(v.AsString());
  return std::string(fallback);
}

bool IsMetadata(const api::ResourceInfo& r, std::string_view field) {
  return field == "metadata.name" || (field == "metadata.namespace" && (r.namespaced || !r.custom));
}

// ".spec.colour": a selectable field of a definition.
std::string_view SelectableName(const Value& field) {
  std::string_view path = field.Get("jsonPath").AsString();
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

// converter.go ConvertFieldLabel
bool IsSelectable(const api::ResourceInfo& r, std::string_view field) {
  if (r.definition == nullptr) return false;
  const Value& fields = r.definition->version.Get("selectableFields");
  return std::any_of(fields.items().begin(), fields.items().end(),
                     [field](const Value& f) { return SelectableName(f) == field; });
}

}  // namespace

std::string FieldValue(const api::ResourceInfo& r, const api::Object& object,
                       std::string_view field) {
  if (field == "metadata.name") return std::string(object.name());
  if (field == "metadata.namespace") return std::string(object.ns());
  const KindFields* kind = FieldsOf(r);
  const FieldLabel* label = kind == nullptr ? nullptr : FindLabel(*kind, field);
  if (kind == nullptr && IsSelectable(r, field))
    return ScalarText(object.Get(*Path::Parse(field)), "");
  if (label == nullptr) return "";
  std::string text = ScalarText(object.Get(label->path), label->fallback);
  // An Event's source falls back to reportingComponent (pkg/registry/core/event
  // ToSelectableFields).
  if (text.empty() && field == "source")
    return ScalarText(object.tree().Get("reportingComponent"), "");
  return text;
}

api::Status CheckFieldLabels(const api::ResourceInfo& r, const value::FieldSelector& fields,
                             const Profile& profile) {
  const KindFields* kind = FieldsOf(r);
  if (kind != nullptr && kind->since != nullptr && !(profile.*kind->since)) kind = nullptr;
  for (const value::FieldSelector::Term& term : fields.terms()) {
    const std::string_view field = term.field.text();
    if (kind == nullptr) {
      if (IsMetadata(r, field) || IsSelectable(r, field)) continue;
      // apiextensions-apiserver pkg/apiserver/conversion/converter.go ConvertFieldLabel
      if (r.custom) return api::BadRequest(fmt::format("field label not supported: {}", field));
      return api::BadRequest(
          fmt::format("\"{}\" is not a known field selector: only \"metadata.name\", "
                      "\"metadata.namespace\"",
                      field));
    }
    const bool metadata =
        field == "metadata.name" || (field == "metadata.namespace" && kind->has_namespace);
    if (metadata || FindLabel(*kind, field) != nullptr) continue;
    // pkg/apis/batch/v1/conversion.go has words of its own.
    if (r.kind == "Job")
      return api::BadRequest(
          fmt::format("field label {} not supported for Job", api::GoQuote(field)));
    const std::string of = r.kind == "ResourceSlice"  // pkg/apis/resource/v1/conversion.go
                               ? fmt::format(" for {}, Kind={}", r.api_version(), r.kind)
                               : std::string();
    return api::BadRequest(fmt::format("field label not supported{}: {}", of, field));
  }
  return api::Status();
}

}  // namespace ksim::apiserver
