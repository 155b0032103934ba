#include "ksim/apiserver/core/event_conversion.h"

#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/api/structural/custom_resource.h"

namespace ksim::apiserver {
namespace {

using value::Atom;
using value::Value;

// One field of an Event and its names in core/v1 and events.k8s.io/v1.
struct Renamed {
  Atom core, events;
};

const std::vector<Renamed>& EventFields() {
  const api::FieldNames& n = api::Fields();
  static const std::vector<Renamed> fields{{n.involved_object, n.regarding},
                                           {n.message, n.note},
                                           {n.reporting_component, n.reporting_controller},
                                           {n.source, n.deprecated_source},
                                           {n.first_timestamp, n.deprecated_first_timestamp},
                                           {n.last_timestamp, n.deprecated_last_timestamp},
                                           {n.count, Atom("deprecatedCount")}};
  return fields;
}

bool Converts(const api::ResourceInfo& r) {
  return r.group == "events.k8s.io" && r.resource == "events";
}

Value Rename(const Value& tree, Atom Renamed::* from, Atom Renamed::* to,
             std::string_view version) {
  std::vector<Value::Member> members;
  for (const Value::Member& m : tree.members()) {
    Value::Member renamed = m;
    for (const Renamed& field : EventFields()) {
      if (m.name == field.*from) renamed.name = field.*to;
    }
    if (m.name == api::Fields().api_version) renamed.value = Value::Of(version);
    members.push_back(std::move(renamed));
  }
  return Value::Object(std::move(members));
}

// The object of a custom kind with the apiVersion of this version, as it is if it has that.
Value AtVersion(const api::ResourceInfo& r, std::string_view version, const Value& tree) {
  const Atom field = api::Fields().api_version;
  const std::string_view has = tree.Get(field).AsString();
  if (has.substr(has.find('/') + 1) == version) return tree;
  return tree.Set(field, Value::Of(r.group + "/" + std::string(version)));
}

}  // namespace

bool IsEvent(const api::ResourceInfo& r) {
  return r.resource == "events" && (r.group.empty() || r.group == "events.k8s.io");
}

Value ToStored(const api::ResourceInfo& r, const Value& tree) {
  if (r.custom && r.stored_version.empty()) return tree;
  if (r.custom) return AtVersion(r, r.stored_version, api::PrunedForStore(r, tree));
  if (const api::Conversion convert = api::ToStoredForm(r)) return convert(tree);
  return Converts(r) ? Rename(tree, &Renamed::events, &Renamed::core, "v1") : tree;
}

Value FromStored(const api::ResourceInfo& r, const Value& tree) {
  if (r.custom)
    return AtVersion(r, r.version, api::PrunedForVersion(r, api::WithStoredDefaults(r, tree)));
  if (const api::Conversion convert = api::FromStoredForm(r)) return convert(tree);
  return Converts(r) ? Rename(tree, &Renamed::core, &Renamed::events, "events.k8s.io/v1") : tree;
}

api::Object ReadBack(const api::ResourceInfo& r, api::Object written, std::int64_t revision) {
  if (r.definition == nullptr || r.version == r.stored_version)
    return std::move(written).WithResourceVersion(revision);
  return api::Object::FromTree(FromStored(r, ToStored(r, written.tree())), revision);
}

}  // namespace ksim::apiserver
