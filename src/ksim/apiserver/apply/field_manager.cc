#include "ksim/apiserver/apply/field_manager.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/profile.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kManagedFields{"metadata", "managedFields"};
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kKubectl = "kubectl";
constexpr std::string_view kBeforeFirstApply = "before-first-apply";

// No manager owns the fields that the system fills in (stripmeta.go).
const FieldSet& SystemFields() {
  static const FieldSet fields = FieldSet::OfFields({{"apiVersion"},
                                                     {"kind"},
                                                     {"metadata"},
                                                     {"metadata", "name"},
                                                     {"metadata", "namespace"},
                                                     {"metadata", "creationTimestamp"},
                                                     {"metadata", "selfLink"},
                                                     {"metadata", "uid"},
                                                     {"metadata", "clusterName"},
                                                     {"metadata", "generation"},
                                                     {"metadata", "managedFields"},
                                                     {"metadata", "resourceVersion"}});
  return fields;
}

// The strategies' GetResetFields.
FieldSet ResetFields(const api::ResourceInfo& kind, std::string_view subresource) {
  if (subresource != "status")
    return kind.has_status ? FieldSet::OfFields({{"status"}}) : FieldSet();
  if (kind.custom) return FieldSet::OfFields({{"metadata"}, {"spec"}});
  if (kind.graceful_delete)
    return FieldSet::OfFields(
        {{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  if (kind.kind == "Deployment") return FieldSet::OfFields({{"spec"}, {"metadata", "labels"}});
  return FieldSet::OfFields({{"spec"}});
}

void StripSystemFields(const Manager& manager, Managers* managers) {
  const auto at = managers->find(manager);
  if (at == managers->end()) return;
  at->second.fields = at->second.fields.Difference(SystemFields());
  if (at->second.fields.empty()) managers->erase(at);
}

Value WithManagers(const Value& object, const Managers& managers) {
  const Value encoded = EncodeManagers(managers);
  return encoded.is_null() ? object.Erase(kManagedFields) : object.Set(kManagedFields, encoded);
}

// sigs.k8s.io/yaml reads the patch into a map.
api::Status NoMapping(const Value& body) {
  return api::BadRequest(
      fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
                  "unmarshal {} into Go value of type map[string]interface {{}}",
                  value::JsonWord(body)));
}

Path LastAppliedPath() { return Path{"metadata", "annotations", value::PathStep(kLastApplied)}; }

}  // namespace

FieldManager::FieldManager(const api::Request& request, VirtualTime now, api::Compat compat)
    : request_(request),
      kind_(*request.resource),
      now_(api::TimeValue(now)),
      compat_(compat),
      shape_(Shape::Of(kind_)),
      updater_(shape_, ResetFields(kind_, request.subresource)) {}

Manager FieldManager::Named(std::string name, bool applies) const {
  Manager manager;
  manager.name = name.empty() ? "unknown" : std::move(name);
  manager.subresource = request_.subresource;
  manager.applies = applies;
  if (!applies) manager.api_version = kind_.api_version();
  return manager;
}

// Adds the fields that this write changed to those that its manager owns.
void FieldManager::UpdateManagers(const Value& live, const Value& changed, std::string name,
                                  Managers* managers) const {
  Manager current;
  current.name = "current-operation";
  // Typed objects have fields that nobody set; those of a new one are in the empty object, too.
  const Value before = api::GoForm(kind_, live.is_null() ? Value::EmptyObject() : live, compat_);
  updater_.Update(before, api::GoForm(kind_, changed, compat_), current, kind_.api_version(),
                  managers);
  StripSystemFields(current, managers);
  const auto at = managers->find(current);
  if (at != managers->end()) {
    const FieldSet fields = at->second.fields;
    managers->erase(at);
    Owned& owned = (*managers)[Named(std::move(name), false)];
    owned.fields = owned.fields.Union(fields);
    owned.api_version = kind_.api_version();
    owned.time = now_;
  }
  CapUpdateManagers(managers);
}

bool IsTracked(const Value& live, const Value& wanted) {
  return !live.Get(kManagedFields).is_null() || !wanted.Get(kManagedFields).is_null();
}

Value FieldManager::Update(const Value& live, const Value& wanted) const {
  const bool from_now_on = request_.tracks_fields && live.is_null();
  if (!from_now_on && !IsTracked(live, wanted)) return wanted;
  const Value& given = wanted.Get(kManagedFields);
  const Value& stored = live.Get(kManagedFields);
  const bool through_subresource = !request_.subresource.empty();
  absl::StatusOr<Managers> managers = Managers();
  if (!through_subresource) managers = DecodeManagers(given);
  const bool keep =
      through_subresource || (!ResetsManagers(given) && (!managers.ok() || managers->empty()));
  if (keep) managers = DecodeManagers(stored);
  if (!managers.ok()) managers = Managers();
  const Value plain = wanted.Erase(kManagedFields);
  if (from_now_on || !managers->empty())
    UpdateManagers(live.Erase(kManagedFields), plain, ManagerOrUserAgent(request_), &*managers);
  return WithManagers(plain, *managers);
}

api::Result<Value> FieldManager::Apply(const Value& live) const {
  const Value& body = request_.body;
  const std::string gvk = fmt::format("{}/{}, Kind={}", kind_.group, kind_.version, kind_.kind);
  if (!body.is_object()) return NoMapping(body);
  const std::string_view version = body.Get("apiVersion").AsString();
  const std::string_view kind = body.Get("kind").AsString();
  if (version != kind_.api_version() || kind != kind_.kind)
    return api::BadRequest(fmt::format("invalid object type: {}{}, Kind={}",
                                       version.find('/') == version.npos ? "/" : "", version,
                                       kind));
  if (!body.Get(kManagedFields).is_null())
    return api::BadRequest("metadata.managedFields must be nil");
  absl::StatusOr<Managers> managers = DecodeManagers(live.Get(kManagedFields));
  if (!managers.ok())
    return api::Unmapped(
        500, fmt::format("failed to decode managed fields: {}", Message(managers.status())));
  const absl::Status fits =
      CheckTyped(shape_, body, api::ProfileOf(compat_).applied_items_have_all_keys);
  const Value& metadata = body.Get("metadata");
  if (!fits.ok())
    return api::Unmapped(500, fmt::format("failed to create typed patch object ({}/{}; {}): {}",
                                          metadata.Get("namespace").AsString(),
                                          metadata.Get("name").AsString(), gvk, Message(fits)));
  const Value plain = live.Erase(kManagedFields);
  if (managers->empty())
    UpdateManagers(Value::EmptyObject(), plain, std::string(kBeforeFirstApply), &*managers);
  return ApplyOnce(plain, request_.force, &*managers);
}

api::Result<Value> FieldManager::ApplyOnce(const Value& live, bool force,
                                           Managers* managers) const {
  const Manager manager = Named(request_.field_manager.str(), true);
  Managers next = *managers;
  Updater::Applied applied =
      updater_.Apply(live, request_.body, manager, kind_.api_version(), force, &next);
  if (!applied.conflicts.empty() && request_.field_manager == kKubectl) {
    // Fields that kubectl wrote by client-side apply do not conflict with its server-side apply.
    const FieldSet allowed = AllowedByLastApplied(live);
    std::erase_if(applied.conflicts, [&](const ApplyConflict& c) { return allowed.Has(c.path); });
    if (applied.conflicts.empty()) return ApplyOnce(live, true, managers);
  }
  if (!applied.conflicts.empty()) return ApplyConflicts(applied.conflicts);
  StripSystemFields(manager, &next);
  const auto at = next.find(manager);
  if (at != next.end() && applied.object != live) at->second.time = now_;
  return WithManagers(WithLastApplied(std::move(applied.object)), next);
}

// The fields that the annotation of client-side apply names and that are still as it says.
FieldSet FieldManager::AllowedByLastApplied(const Value& live) const {
  const std::string_view text = live.Get(LastAppliedPath()).AsString();
  if (text.empty()) return FieldSet();
  const absl::StatusOr<Value> last = value::ParseJson(text);
  if (!last.ok() || last->Get("apiVersion").AsString() != kind_.api_version()) return FieldSet();
  const Comparison change = Compare(shape_, *last, live);
  return FieldsOf(shape_, *last)
      .Difference(change.modified)
      .Difference(change.added)
      .Difference(change.removed);
}

// kubectl's annotation, where there is one, follows its server-side apply, too.
Value FieldManager::WithLastApplied(Value object) const {
  const Path path = LastAppliedPath();
  const bool follows = request_.field_manager == kKubectl && !object.Get(path).AsString().empty();
  if (!follows) return object;
  return object.Set(path, Value::Of(value::ToJson(request_.body.Erase(path)) + "\n"));
}

}  // namespace ksim::apiserver
