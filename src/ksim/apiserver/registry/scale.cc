#include "ksim/apiserver/registry/scale.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kReplicas{"spec", "replicas"};

// Replication controllers select by a plain map, all others by a label selector.
std::string SelectorText(const Value& selector) {
  if (selector.Has("matchLabels") || selector.Has("matchExpressions")) {
    const auto parsed = value::LabelSelector::FromObject(selector);
    return parsed.ok() ? parsed->ToString() : "";
  }
  return value::LabelSelector::FromSet(selector).ToString();
}

}  // namespace

api::Object ToScale(const api::ResourceInfo&, const api::Object& object) {
  static const Path kSelector{"spec", "selector"};
  static const Path kStatusReplicas{"status", "replicas"};
  value::ObjectBuilder metadata;
  for (const char* field : {"name", "namespace", "uid", "creationTimestamp"}) {
    const Value& v = object.metadata().Get(field);
    metadata.AddIf(!v.is_null(), field, v);
  }
  Value status = value::Obj({{"replicas", Value::Of(object.Get(kStatusReplicas).AsInt())}});
  const std::string selector = SelectorText(object.Get(kSelector));
  if (!selector.empty()) status = status.Set("selector", Value::Of(selector));
  const std::int64_t replicas = object.Get(kReplicas).AsInt();
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
  if (replicas < 0)
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
  return api::Object::FromTree(object.tree().Set(kReplicas, Value::Of(replicas)),
                               wanted.resource_version());
}

}  // namespace ksim::apiserver
