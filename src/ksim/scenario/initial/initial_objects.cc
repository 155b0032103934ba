#include "ksim/scenario/initial/initial_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/yaml.h"

namespace ksim::scenario {
namespace {

using value::Value;

constexpr VirtualTime kNoTime = VirtualTime() - Duration::Max();

// Fields that tell when something has happened.
constexpr std::string_view kPastTimes[] = {"acquireTime",
                                           "completionTime",
                                           "creationTimestamp",
                                           "eventTime",
                                           "finishedAt",
                                           "firstTimestamp",
                                           "lastHeartbeatTime",
                                           "lastObservedTime",
                                           "lastProbeTime",
                                           "lastScaleTime",
                                           "lastScheduleTime",
                                           "lastSuccessfulTime",
                                           "lastTimestamp",
                                           "lastTransitionTime",
                                           "lastUpdateTime",
                                           "renewTime",
                                           "startTime",
                                           "startedAt",
                                           "time",
                                           "timeAdded",
                                           "lastPhaseTransitionTime"};
// And when something will.
constexpr std::string_view kFutureTimes[] = {"deletionTimestamp", "expirationTimestamp"};
// Fields whose content is the user's own.
constexpr std::string_view kOpaque[] = {"annotations", "binaryData",  "data",       "fieldsV1",
                                        "labels",      "matchLabels", "stringData", "template"};

template <std::size_t n>
bool IsOneOf(std::string_view name, const std::string_view (&list)[n]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

template <typename Visit>
void VisitTimes(const Value& tree, Visit visit) {
  for (const Value& item : tree.items()) VisitTimes(item, visit);
  for (const Value::Member& m : tree.members()) {
    const std::string_view name = m.name.text();
    if (IsOneOf(name, kOpaque)) continue;
    if (m.value.is_string() && IsOneOf(name, kPastTimes)) {
      if (const auto t = value::ParseTimestamp(m.value.AsString()); t.ok()) visit(*t);
    } else {
      VisitTimes(m.value, visit);
    }
  }
}

Value ShiftedTime(const Value& text, Duration by) {
  const auto t = value::ParseTimestamp(text.AsString());
  if (!t.ok()) return text;
  const bool micro = text.AsString().find('.') != std::string_view::npos;
  return micro ? value::MicroTimeValue(*t + by) : value::TimestampValue(*t + by);
}

// Go reads a null as a field that is not there.
Value WithoutNulls(const Value& tree) {
  if (tree.is_array()) {
    std::vector<Value> items;
    for (const Value& item : tree.items()) items.push_back(WithoutNulls(item));
    return Value::Array(std::move(items));
  }
  if (!tree.is_object()) return tree;
  value::ObjectBuilder out;
  for (const Value::Member& m : tree.members())
    if (!m.value.is_null()) out.Add(m.name, WithoutNulls(m.value));
  return out.Build();
}

// A ControllerRevision's data, and a custom resource, are kept as they were written.
Value InStoredForm(const Manifest& m, bool custom) {
  const Value& metadata = m.tree.Get("metadata");
  if (custom) return m.tree.Set("metadata", WithoutNulls(metadata));
  const Value whole = WithoutNulls(m.tree);
  return m.Kind() == "ControllerRevision" ? whole.Set("data", m.tree.Get("data")) : whole;
}

std::int64_t VersionOf(const Value& tree) {
  const std::string_view text = tree.Get("metadata").Get("resourceVersion").AsString();
  std::int64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

// A random uid of version 4, which the object's names alone decide.
std::string UidOf(const Manifest& m) {
  const std::string ns(m.tree.Get("metadata").Get("namespace").AsString());
  std::string digits =
      Hex(Hash128(fmt::format("{}/{}/{}/{}", m.ApiVersion(), m.Kind(), ns, m.Name())));
  digits[12] = '4';
  digits[16] = "89ab"[static_cast<std::size_t>(digits[16]) % 4];
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4),
                     digits.substr(12, 4), digits.substr(16, 4), digits.substr(20));
}

Manifest NewNamespace(const std::string& name) {
  return Manifest(value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Namespace")},
       {"metadata",
        value::Obj({{"labels", value::Obj({{"kubernetes.io/metadata.name", Value::Of(name)}})},
                    {"name", Value::Of(name)}})},
       {"spec", value::Obj({{"finalizers", value::Arr({Value::Of("kubernetes")})}})},
       {"status", value::Obj({{"phase", Value::Of("Active")}})}}));
}

// The namespaces that objects are in and nobody has made, in front of them.
void AddNamespaces(std::vector<Manifest>* objects) {
  // API servers make these themselves.
  std::set<std::string> there{"default", "kube-system", "kube-public", "kube-node-lease"};
  for (const Manifest& m : *objects)
    if (m.Kind() == "Namespace") there.insert(m.Name());
  std::vector<Manifest> made;
  for (const Manifest& m : *objects) {
    const std::string ns(m.tree.Get("metadata").Get("namespace").AsString());
    if (!ns.empty() && there.insert(ns).second) made.push_back(NewNamespace(ns));
  }
  objects->insert(objects->begin(), std::make_move_iterator(made.begin()),
                  std::make_move_iterator(made.end()));
}

Value WithNames(const Value& tree, bool namespaced) {
  Value metadata = tree.Get("metadata").Erase("resourceVersion").Erase("selfLink");
  if (!namespaced)
    metadata = metadata.Erase("namespace");
  else if (metadata.Get("namespace").AsString().empty())
    metadata = metadata.Set("namespace", Value::Of("default"));
  return tree.Set("metadata", std::move(metadata));
}

// The garbage collector deletes what has owners none of which is there.
void TellOfMissingOwners(const std::vector<Manifest>& objects, std::vector<Diagnostic>* warnings) {
  std::set<std::string> uids;
  for (const Manifest& m : objects) uids.emplace(m.tree.Get("metadata").Get("uid").AsString());
  std::map<std::string, int> missing;  // by the owner's kind: how many objects
  std::map<std::string, const Manifest*> first;
  for (const Manifest& m : objects) {
    const Value& owners = m.tree.Get("metadata").Get("ownerReferences");
    const bool any = std::any_of(
        owners.items().begin(), owners.items().end(),
        [&uids](const Value& o) { return uids.contains(std::string(o.Get("uid").AsString())); });
    if (owners.empty() || any) continue;
    const std::string kind(owners.at(0).Get("kind").AsString());
    if (missing[kind]++ == 0) first[kind] = &m;
  }
  for (const auto& [kind, count] : missing) {
    const Manifest& m = *first[kind];
    Diagnostic d;
    if (m.file) d = m.file->At(m.span, "", "");
    d.severity = Diagnostic::Severity::kWarning;
    d.message = fmt::format(
        "{} {} owned by a {} that is not in the file, {}/{} first: the garbage collector deletes "
        "what has no owner",
        count, count == 1 ? "object is" : "objects are", kind, m.Kind(), m.Name());
    d.hint = fmt::format("take the {} objects into the file too", kind);
    warnings->push_back(std::move(d));
  }
}

}  // namespace

VirtualTime NewestTime(const Value& tree) {
  VirtualTime newest = kNoTime;
  VisitTimes(tree, [&newest](VirtualTime t) { newest = std::max(newest, t); });
  return newest;
}

Value ShiftTimes(const Value& tree, Duration by) {
  if (tree.is_array()) {
    std::vector<Value> items;
    for (const Value& item : tree.items()) items.push_back(ShiftTimes(item, by));
    return Value::Array(std::move(items));
  }
  Value out = tree;
  for (const Value::Member& m : tree.members()) {
    const std::string_view name = m.name.text();
    if (IsOneOf(name, kOpaque)) continue;
    const bool is_time = IsOneOf(name, kPastTimes) || IsOneOf(name, kFutureTimes);
    if (m.value.is_string() && is_time)
      out = out.Set(m.name, ShiftedTime(m.value, by));
    else if (m.value.is_object() || m.value.is_array())
      out = out.Set(m.name, ShiftTimes(m.value, by));
  }
  return out;
}

std::vector<Manifest> PrepareInitial(std::vector<Manifest> objects, const api::Kinds& kinds,
                                     std::vector<Diagnostic>* warnings) {
  // 1. The order in which they were written.
  std::stable_sort(objects.begin(), objects.end(), [](const Manifest& a, const Manifest& b) {
    return VersionOf(a.tree) < VersionOf(b.tree);
  });
  for (Manifest& m : objects) {
    const api::ResourceInfo* kind = kinds.ByKind(m.ApiVersion(), m.Kind());
    m.tree = WithNames(InStoredForm(m, kind != nullptr && kind->custom),
                       kind == nullptr || kind->namespaced);
  }
  AddNamespaces(&objects);

  // 2. Their times, in whole seconds, for most of them have no more.
  VirtualTime newest = kNoTime;
  for (const Manifest& m : objects) newest = std::max(newest, NewestTime(m.tree));
  Duration by;
  if (newest != kNoTime) {
    const std::int64_t second = Seconds(1).ns();
    const std::int64_t age = (newest - VirtualTime()).ns();
    const std::int64_t up = age > 0 ? (age + second - 1) / second : age / second;
    by = Duration() - Seconds(up);
  }

  // 3. The system's fields.
  for (Manifest& m : objects) {
    if (by != Duration()) m.tree = ShiftTimes(m.tree, by);
    Value metadata = m.tree.Get("metadata");
    if (metadata.Get("uid").AsString().empty()) metadata = metadata.Set("uid", Value::Of(UidOf(m)));
    if (metadata.Get("creationTimestamp").AsString().empty())
      metadata = metadata.Set("creationTimestamp", value::TimestampValue(VirtualTime()));
    m.tree = m.tree.Set("metadata", std::move(metadata));
  }
  TellOfMissingOwners(objects, warnings);
  return objects;
}

}  // namespace ksim::scenario
