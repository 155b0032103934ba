#include "ksim/apiserver/registry/scale.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/structural/scale_paths.h"
#include "ksim/base/status.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kReplicas{"spec", "replicas"};

// A Scale's counts are of 32 bits.
std::int64_t CountAt(const api::Object& object, std::string_view path) {
  return static_cast<std::int32_t>(api::NestedInt(object.tree(), path).v.AsInt());
}

// Replication controllers select by a plain map, all others by a label selector.
std::string SelectorText(const Value& selector) {
  if (selector.Has("matchLabels") || selector.Has("matchExpressions")) {
    const auto parsed = value::LabelSelector::FromObject(selector);
    return parsed.ok() ? parsed->ToString() : "";
  }
  return value::LabelSelector::FromSet(selector).ToString();
}

}  // namespace

api::Object ToScale(const api::ResourceInfo& r, const api::Object& object) {
  static const Path kSelector{"spec", "selector"};
  const api::ScalePaths paths = api::ScalePathsOf(r);
  value::ObjectBuilder metadata;
  for (const char* field : {"name", "namespace", "uid", "creationTimestamp"}) {
    const Value& v = object.metadata().Get(field);
    metadata.AddIf(!v.is_null(), field, v);
  }
  Value status = value::Obj({{"replicas", Value::Of(CountAt(object, paths.status_replicas))}});
  std::string selector;
  if (r.definition == nullptr) {
    selector = SelectorText(object.Get(kSelector));
  } else if (!paths.label_selector.empty()) {
    selector = api::NestedText(object.tree(), paths.label_selector).v.AsString();
  }
  if (!selector.empty()) status = status.Set("selector", Value::Of(selector));
  const std::int64_t replicas = CountAt(object, paths.spec_replicas);
  const Value spec =
      replicas == 0 ? Value::EmptyObject() : value::Obj({{"replicas", Value::Of(replicas)}});
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("autoscaling/v1")},
                                           {"kind", Value::Of("Scale")},
                                           {"metadata", metadata.Build()},
                                           {"spec", spec},
                                           {"status", status}}),
                               object.resource_version());
}

api::Result<api::Object> FromScale(const api::ResourceInfo& r, const api::Object& object,
                                   const Value& scale) {
  const api::Object wanted = api::Object::FromTree(scale);
  const std::int64_t replicas = scale.Get(kReplicas).AsInt();
  if (replicas < 0 && !r.custom)  // of a custom kind its own schema judges
    return api::Invalid(
        "autoscaling", "Scale", object.name(),
        {api::StatusCause(
            "FieldValueInvalid",
            fmt::format("Invalid value: {}: must be greater than or equal to 0", replicas),
            "spec.replicas")});
  if (!wanted.uid().empty() && wanted.uid() != object.uid())
    return api::Conflict(api::GroupResource(r.group, r.resource + "/scale"), object.name(),
                         fmt::format("Precondition failed: UID in precondition: {}, UID in object "
                                     "meta: {}",
                                     wanted.uid(), object.uid()));
  const Path path = api::PathOf(api::ScalePathsOf(r).spec_replicas);
  return api::Object::FromTree(object.tree().Set(path, Value::Of(replicas)),
                               wanted.resource_version());
}

}  // namespace ksim::apiserver
