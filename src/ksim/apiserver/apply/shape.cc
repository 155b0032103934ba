#include "ksim/apiserver/apply/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "ksim/api/core/go_text.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"

namespace ksim::apiserver {
namespace {

using value::Atom;
using value::Value;
using Kind = api::GoType::Kind;

// Lists that merge: by up to two keys, or as a set. All others are replaced whole.
struct ListMarker {
  std::string_view owner, field, key, second_key = {};
};
constexpr std::string_view kScalars = "";

constexpr ListMarker kLists[] = {
    {"ObjectMeta", "finalizers", kScalars},
    {"ObjectMeta", "ownerReferences", "uid"},
    {"Container", "env", "name"},
    {"Container", "ports", "containerPort", "protocol"},
    {"Container", "volumeDevices", "devicePath"},
    {"Container", "volumeMounts", "mountPath"},
    {"EphemeralContainer", "env", "name"},
    {"EphemeralContainer", "ports", "containerPort", "protocol"},
    {"EphemeralContainer", "volumeDevices", "devicePath"},
    {"EphemeralContainer", "volumeMounts", "mountPath"},
    {"ContainerStatus", "volumeMounts", "mountPath"},
    {"DaemonSetStatus", "conditions", "type"},
    {"DeploymentStatus", "conditions", "type"},
    {"NamespaceStatus", "conditions", "type"},
    {"NodeSpec", "podCIDRs", kScalars},
    {"NodeStatus", "addresses", "type"},
    {"NodeStatus", "conditions", "type"},
    {"PersistentVolumeClaimStatus", "conditions", "type"},
    {"PodDisruptionBudgetStatus", "conditions", "type"},
    {"PodSpec", "containers", "name"},
    {"PodSpec", "ephemeralContainers", "name"},
    {"PodSpec", "hostAliases", "ip"},
    {"PodSpec", "imagePullSecrets", "name"},
    {"PodSpec", "initContainers", "name"},
    {"PodSpec", "resourceClaims", "name"},
    {"PodSpec", "schedulingGates", "name"},
    {"PodSpec", "topologySpreadConstraints", "topologyKey", "whenUnsatisfiable"},
    {"PodSpec", "volumes", "name"},
    {"PodStatus", "conditions", "type"},
    {"PodStatus", "podIPs", "ip"},
    {"PodStatus", "resourceClaimStatuses", "name"},
    {"ReplicaSetStatus", "conditions", "type"},
    {"ReplicationControllerStatus", "conditions", "type"},
    {"ResourceClaimStatus", "reservedFor", "uid"},
    {"ResourceRequirements", "claims", "name"},
    {"ServiceAccount", "secrets", "name"},
    {"ServiceSpec", "ports", "port", "protocol"},
    {"ServiceStatus", "conditions", "type"},
    {"StatefulSetStatus", "conditions", "type"},
    {"UncountedTerminatedPods", "failed", kScalars},
    {"UncountedTerminatedPods", "succeeded", kScalars},
};

// Structs that are one value: +structType=atomic.
constexpr std::string_view kAtomicStructs[] = {
    "ConfigMapKeySelector",  "EndpointAddress",
    "EndpointPort",          "FileKeySelector",
    "LabelSelector",         "LocalObjectReference",
    "NodeSelector",          "NodeSelectorTerm",
    "ObjectFieldSelector",   "ObjectReference",
    "OwnerReference",        "PersistentVolumeClaimVolumeSource",
    "ResourceFieldSelector", "RoleRef",
    "ScopeSelector",         "ScopedResourceSelectorRequirement",
    "SecretKeySelector",     "SecretReference",
    "ServiceBackendPort",    "Subject",
    "TopologySelectorTerm",  "TypedLocalObjectReference",
};

// Maps that are one value: +mapType=atomic.
struct MapMarker {
  std::string_view owner, field;
};
constexpr MapMarker kAtomicMaps[] = {{"PodSpec", "nodeSelector"},
                                     {"ServiceSpec", "selector"},
                                     {"ReplicationControllerSpec", "selector"}};

// The value a key has where an item leaves it out.
std::string_view KeyDefault(std::string_view key) { return key == "protocol" ? "TCP" : ""; }

std::string_view StructName(const api::GoType& type) { return type.fields().name; }

bool IsAtomicStruct(const api::GoType& type) {
  return std::find(std::begin(kAtomicStructs), std::end(kAtomicStructs), StructName(type)) !=
         std::end(kAtomicStructs);
}

}  // namespace

Shape Shape::Of(const api::ResourceInfo& kind) {
  Shape shape;
  shape.type_ = api::TypeOf(kind);
  if (shape.type_ != nullptr) return shape;
  shape = OfNode(api::SchemaOf(kind));
  shape.metadata_ = api::FindGoStruct("ObjectMeta");
  return shape;
}

Shape Shape::OfNode(const api::SchemaNode* node) {
  using ListType = api::SchemaNode::ListType;
  Shape shape;
  if (node == nullptr) return shape;
  shape.node_ = node;
  shape.atomic_ = node->atomic_map;
  shape.list_.set = node->list_type == ListType::kSet;
  if (node->list_type == ListType::kMap)
    for (const Atom key : node->list_keys) shape.list_.keys.push_back(key.text());
  return shape;
}

Value Shape::DefaultOfKey(std::string_view key) const {
  if (node_ == nullptr) {
    const std::string_view known = KeyDefault(key);
    return known.empty() ? Value() : Value::Of(known);
  }
  const api::SchemaNode* const item = node_->items.get();
  const api::SchemaNode* const property = item == nullptr ? nullptr : item->Find(Atom(key));
  return property == nullptr ? Value() : property->default_value;
}

bool Shape::is_struct() const { return type_ != nullptr && type_->kind == Kind::kStruct; }

Shape::Merge Shape::MergeOf(const Value& v) const {
  if (atomic_) return Merge::kLeaf;
  if (node_ != nullptr && v.is_array()) {
    if (list_.set) return Merge::kSet;
    return list_.keys.empty() ? Merge::kLeaf : Merge::kKeyed;
  }
  if (type_ == nullptr || type_->kind == Kind::kRaw)
    return v.is_object() ? Merge::kMap : Merge::kLeaf;
  if (type_->kind == Kind::kStruct || type_->kind == Kind::kMap) return Merge::kMap;
  if (type_->kind != Kind::kSlice) return Merge::kLeaf;
  if (list_.set) return Merge::kSet;
  return list_.keys.empty() ? Merge::kLeaf : Merge::kKeyed;
}

Shape::List Shape::ListOf(std::string_view owner, std::string_view field) {
  List list;
  for (const ListMarker& m : kLists) {
    if (m.owner != owner || m.field != field) continue;
    list.set = m.key.empty();
    if (!m.key.empty()) list.keys.push_back(m.key);
    if (!m.second_key.empty()) list.keys.push_back(m.second_key);
  }
  return list;
}

Shape Shape::Field(Atom name) const {
  Shape below;
  if (metadata_ != nullptr && name.text() == "metadata") {
    below.type_ = metadata_;
  } else if (node_ != nullptr) {
    return OfNode(node_->FieldNode(name));
  } else if (type_ != nullptr && type_->kind == Kind::kMap) {
    below.type_ = type_->element;
  } else if (is_struct()) {
    const api::GoStruct& fields = type_->fields();
    const api::GoField* field = fields.Find(name);
    if (field == nullptr) return below;
    below.type_ = field->type;
    below.list_ = ListOf(fields.name, name.text());
    below.atomic_ = std::any_of(
        std::begin(kAtomicMaps), std::end(kAtomicMaps),
        [&](const MapMarker& m) { return m.owner == fields.name && m.field == name.text(); });
  }
  if (below.is_struct()) below.atomic_ = IsAtomicStruct(*below.type_);
  return below;
}

bool Shape::Names(std::string_view field) const {
  if (node_ != nullptr) return node_->Find(Atom(field)) != nullptr;
  return is_struct() && type_->fields().Find(Atom(field)) != nullptr;
}

bool Shape::Lacks(Atom field) const {
  if (node_ != nullptr) {
    const std::string_view name = field.text();
    const bool meta = (metadata_ != nullptr || node_->embedded) &&
                      (name == "apiVersion" || name == "kind" || name == "metadata");
    const bool open = node_->preserve_unknown || node_->properties.empty() ||
                      node_->additional != api::SchemaNode::Additional::kUnset;
    return !meta && !open && node_->Find(field) == nullptr;
  }
  return is_struct() && type_->fields().Find(field) == nullptr;
}

// An item that is one value when it stands alone (a LocalObjectReference) merges by its fields when
// it has a key to be known by.
Shape Shape::Item() const {
  if (node_ != nullptr) return OfNode(node_->items.get());
  Shape below;
  if (type_ != nullptr && type_->kind == Kind::kSlice) below.type_ = type_->element;
  if (below.is_struct()) below.atomic_ = IsAtomicStruct(*below.type_);
  return below;
}

absl::StatusOr<PathElement> Shape::ElementOf(const Value& item) const {
  if (list_.set) {
    if (item.is_object() || item.is_array() || item.is_null())
      return absl::InvalidArgumentError(
          "associative list without keys has an element that's no scalar");
    return PathElement::Item(item);
  }
  if (!item.is_object())
    return absl::InvalidArgumentError("associative list with keys may not have non-map elements");
  value::ObjectBuilder fields;
  bool any = false;
  for (const std::string_view key : list_.keys) {
    const Value* given = item.Find(Atom(key));
    const Value otherwise = given != nullptr ? *given : DefaultOfKey(key);
    if (otherwise.is_null() && given == nullptr) continue;
    fields.Add(key, otherwise);
    any = true;
  }
  if (!any)
    return absl::InvalidArgumentError(fmt::format(
        "associative list with keys has an element that omits all key fields [\"{}\"] (and "
        "doesn't have default values for any key fields)",
        fmt::join(list_.keys, "\" \"")));
  return PathElement::Key(fields.Build());
}

std::string_view Shape::OmittedKey(const Value& item) const {
  if (node_ == nullptr) return "";  // the keys of built-in kinds have defaults: 0 or ""
  for (const std::string_view key : list_.keys)
    if (item.Find(Atom(key)) == nullptr && DefaultOfKey(key).is_null()) return key;
  return "";
}

// typed/validate.go validateScalar, typed/helpers.go listValue and mapValue; what Go prints is the
// struct around the value.
std::string Shape::Misfit(const Value& v) const {
  if (node_ == nullptr || node_->int_or_string || v.is_null()) return "";
  const std::string_view type = node_->type;
  if ((type == "integer" || type == "number") && !v.is_number())
    return fmt::format("expected numeric (int or float), got {}", value::GoTypeName(v));
  if (type == "string" && !v.is_string())
    return fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}",
                       value::GoFormat(v));
  if (type == "boolean" && !v.is_bool())
    return fmt::format("expected boolean, got &{{{}}}", value::GoFormat(v));
  if (type == "array" && !v.is_array())
    return fmt::format("expected list, got &{{{}}}", value::GoFormat(v));
  if (type == "object" && !v.is_object())
    return fmt::format("expected map, got &{{{}}}", value::GoFormat(v));
  return "";
}

Shape Shape::Below(const PathElement& element) const {
  const std::string* field = element.field();
  return field != nullptr ? Field(Atom(*field)) : Item();
}

}  // namespace ksim::apiserver
