#include "ksim/controllers/endpointutil/slice_draft.h"

#include <utility>

#include "ksim/api/rules/name_rules.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Obj;
using value::Path;
using value::Value;

namespace {

// The dash makes the names prettier, unless it makes the name too long (getEndpointSlicePrefix).
std::string SlicePrefix(std::string_view owner) {
  std::string prefix = std::string(owner) + "-";
  const bool good = api::Dns1123Subdomain(api::MaskTrailingDash(prefix)).empty();
  return good ? prefix : std::string(owner);
}

Value ControllerReference(const api::Object& owner) {
  return Obj({{"apiVersion", Value::Of(owner.api_version())},
              {"kind", Value::Of(owner.kind())},
              {"name", Value::Of(owner.name())},
              {"uid", Value::Of(owner.uid())},
              {"controller", Value::Bool(true)},
              {"blockOwnerDeletion", Value::Bool(true)}});
}

}  // namespace

SliceDraft::SliceDraft(const api::Object& object)
    : tree(object.tree().Erase("endpoints")),
      resource_version(object.resource_version()),
      cached(object) {
  const Value& list = object.tree().Get("endpoints");
  endpoints.assign(list.items().begin(), list.items().end());
}

SliceDraft::SliceDraft(const api::Object& owner, std::string_view type, Value ports)
    : tree(Obj({{"apiVersion", Value::Of("discovery.k8s.io/v1")},
                {"kind", Value::Of("EndpointSlice")},
                {"metadata", Obj({{"generateName", Value::Of(SlicePrefix(owner.name()))},
                                  {"namespace", Value::Of(owner.ns())},
                                  {"ownerReferences", value::Arr({ControllerReference(owner)})}})},
                {"addressType", Value::Of(type)},
                {"ports", std::move(ports)}})) {}

// Upstream's controllers write protobuf, in which an empty list is not there.
api::Object SliceDraft::ToObject() const {
  Value whole = endpoints.empty() ? tree : tree.Set("endpoints", Value::Array(endpoints));
  if (whole.Get("ports").empty()) whole = whole.Erase("ports");
  return api::Object::FromTree(std::move(whole), resource_version);
}

std::string SliceDraft::name() const {
  return std::string(tree.Get("metadata").Get("name").AsString());
}

std::string_view SliceDraft::address_type() const { return tree.Get("addressType").AsString(); }

void SliceDraft::set_name(const std::string& name) {
  static const Path kName{"metadata", "name"};
  tree = std::move(tree).Set(kName, Value::Of(name));
}

void SliceDraft::set_labels(Value labels) {
  static const Path kLabels{"metadata", "labels"};
  tree = std::move(tree).Set(kLabels, std::move(labels));
}

void SliceDraft::Annotate(std::string_view name, const Value& value) {
  const Path path{"metadata", "annotations", name};
  tree = value.is_null() ? tree.Erase(path) : std::move(tree).Set(path, value);
}

std::vector<api::Object> SlicesOf(const client::Lister& slices, const client::ObjectKey& service,
                                  std::string_view manager) {
  return ListSelected(
      slices, service.ns,
      value::LabelSelector::FromSet(Obj({{kServiceNameLabel, Value::Of(service.name)},
                                         {kSliceManagedByLabel, Value::Of(manager)}})));
}

}  // namespace ksim::controllers
