#include "ksim/apiserver/core/event_conversion.h"

#include <string_view>
#include <utility>
#include <vector>

namespace ksim::apiserver {
namespace {

using value::Atom;
using value::Value;

struct Renamed {
  Atom core, events;
};

const std::vector<Renamed>& Fields() {
  static const std::vector<Renamed> fields{
      {Atom("involvedObject"), Atom("regarding")},
      {Atom("message"), Atom("note")},
      {Atom("reportingComponent"), Atom("reportingController")},
      {Atom("source"), Atom("deprecatedSource")},
      {Atom("firstTimestamp"), Atom("deprecatedFirstTimestamp")},
      {Atom("lastTimestamp"), Atom("deprecatedLastTimestamp")},
      {Atom("count"), Atom("deprecatedCount")}};
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
    for (const Renamed& field : Fields()) {
      if (m.name == field.*from) renamed.name = field.*to;
    }
    if (m.name == Atom("apiVersion")) renamed.value = Value::Of(version);
    members.push_back(std::move(renamed));
  }
  return Value::Object(std::move(members));
}

}  // namespace

bool IsEvent(const api::ResourceInfo& r) {
  return r.resource == "events" && (r.group.empty() || r.group == "events.k8s.io");
}

Value ToStored(const api::ResourceInfo& r, const Value& tree) {
  return Converts(r) ? Rename(tree, &Renamed::events, &Renamed::core, "v1") : tree;
}

Value FromStored(const api::ResourceInfo& r, const Value& tree) {
  return Converts(r) ? Rename(tree, &Renamed::core, &Renamed::events, "events.k8s.io/v1") : tree;
}

}  // namespace ksim::apiserver
