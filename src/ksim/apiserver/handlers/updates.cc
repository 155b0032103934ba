#include "ksim/apiserver/handlers/updates.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/strategy.h"
#include "ksim/apiserver/apply/field_manager.h"
#include "ksim/apiserver/handlers/decode.h"
#include "ksim/apiserver/registry/scale.h"
#include "ksim/base/status.h"
#include "ksim/value/patch.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

// 422 as NewGenericServerResponse makes it: no kind, no details but the code.
api::Status PatchFailed() {
  api::Status status =
      api::Unmapped(422, "the server rejected our request due to an error in our request");
  status.reason = "Invalid";
  return status;
}

api::Result<Value> FromPatch(absl::StatusOr<Value> patched) {
  if (patched.ok()) return *std::move(patched);
  const absl::Status& error = patched.status();
  switch (error.code()) {
    case absl::StatusCode::kFailedPrecondition:
      return PatchFailed();
    case absl::StatusCode::kResourceExhausted:
      return api::RequestEntityTooLarge(Message(error));
    default:
      return api::BadRequest(Message(error));
  }
}

// What an apply finds that is to create the object.
Value NothingYet() { return Value::EmptyObject(); }

// metadata.managedFields alone does not make an object another one by its times.
api::Object SameButForTimes(const api::Object& existing, const api::Object& wanted) {
  if (existing.empty()) return wanted;
  return api::Object::FromTree(IgnoreManagedFieldsTimes(existing.tree(), wanted.tree()),
                               wanted.resource_version());
}

// With the accounts of who owns which field kept up, for objects that have been applied once.
api::Object Tracked(const RequestContext& rc, const api::Object& existing,
                    const api::Object& wanted) {
  static const Path kManagedFields{"metadata", "managedFields"};
  if (existing.Get(kManagedFields).is_null() && wanted.Get(kManagedFields).is_null()) return wanted;
  const Value tracked = FieldManager(rc.request(), rc.now()).Update(existing.tree(), wanted.tree());
  return SameButForTimes(existing, api::Object::FromTree(tracked, wanted.resource_version()));
}

}  // namespace

api::Status CheckPatchType(const api::ResourceInfo& r, const api::Request& request) {
  const bool scale = request.subresource == "scale";
  // A Scale of a built-in kind is a Go type as any other (endpoints/installer.go, PATCH).
  const bool strategic_ok = !r.custom;
  const bool refused = (request.patch_type == api::PatchType::kApply && scale) ||
                       (request.patch_type == api::PatchType::kStrategic && !strategic_ok);
  if (!refused) return api::Status();
  std::string accepted = "application/json-patch+json, application/merge-patch+json";
  if (strategic_ok) accepted += ", application/strategic-merge-patch+json";
  if (!scale) accepted += ", application/apply-patch+yaml";
  return api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      accepted);
}

api::Status PutUpdate::Decode() {
  const api::Request& request = rc_.request();
  if (scale()) {
    object_ = api::Object::FromTree(request.body);
    return object_.empty() ? api::BadRequest("the body is no Scale") : api::Status();
  }
  api::Result<Value> decoded = DecodeObject(rc_.resource(), request.ns, request.body,
                                            request.field_validation, compat_, &rc_.warnings);
  if (!decoded.ok()) return decoded.status();
  const api::Status named = CheckUrlName(*decoded, request.name);
  if (!named.ok()) return named;
  std::string warning;
  object_ = api::Object::FromTree(api::DedupOwnerReferences(*decoded, false, &warning));
  if (!warning.empty()) rc_.warnings.push_back(warning);
  return api::Status();
}

Preconditions PutUpdate::preconditions() const {
  Preconditions p;
  if (!object_.uid().empty()) p.uid = std::string(object_.uid());
  return p;
}

api::Result<api::Object> PutUpdate::Make(const api::Object& existing) {
  if (!scale()) return Tracked(rc_, existing, object_);
  api::Result<api::Object> scaled = FromScale(existing, object_.ToTree());
  return scaled.ok() ? Tracked(rc_, existing, *scaled) : scaled;
}

api::Result<Value> PatchUpdate::Apply(const Value& target) const {
  const api::Request& request = rc_.request();
  switch (request.patch_type) {
    case api::PatchType::kJson:
      return FromPatch(value::ApplyJsonPatch(target, request.body));
    case api::PatchType::kMerge:
      if (!request.body.is_object())
        return api::BadRequest("error decoding patch: the patch is no JSON object");
      return value::ApplyMergePatch(target, request.body);
    case api::PatchType::kStrategic:
      if (request.subresource == "scale")
        return FromPatch(
            value::ApplyStrategicMergePatch(target, request.body, "autoscaling/v1", "Scale"));
      return FromPatch(value::ApplyStrategicMergePatch(
          target, request.body, rc_.resource().api_version(), rc_.resource().kind));
    case api::PatchType::kApply:
      break;
  }
  return FieldManager(request, rc_.now()).Apply(target);
}

api::Result<api::Object> PatchUpdate::Make(const api::Object& existing) {
  const api::Request& request = rc_.request();
  if (request.subresource == "scale") {
    api::Result<Value> scale = Apply(ToScale(rc_.resource(), existing).ToTree());
    if (!scale.ok()) return scale.status();
    api::Result<api::Object> scaled = FromScale(existing, *scale);
    return scaled.ok() ? Tracked(rc_, existing, *scaled) : scaled;
  }
  const bool applies = request.patch_type == api::PatchType::kApply;
  api::Result<Value> patched = Apply(existing.empty() ? NothingYet() : existing.ToTree());
  if (patched.ok() && existing.empty()) patched = WithUrlName(*std::move(patched), request.name);
  if (!patched.ok()) return patched.status();
  std::vector<std::string> warnings;
  api::Result<Value> decoded = DecodeObject(rc_.resource(), request.ns, *patched,
                                            request.field_validation, compat_, &warnings);
  if (!decoded.ok()) return decoded.status();
  std::string warning;
  api::Object object = api::Object::FromTree(api::DedupOwnerReferences(*decoded, true, &warning));
  if (!warning.empty()) warnings.push_back(warning);
  rc_.warnings = std::move(warnings);
  if (!applies) return Tracked(rc_, existing, object);
  return SameButForTimes(existing, object);
}

}  // namespace ksim::apiserver
