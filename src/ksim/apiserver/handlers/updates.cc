#include "ksim/apiserver/handlers/updates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/patch_schema.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/apply/field_manager.h"
#include "ksim/apiserver/handlers/body_flaws.h"
#include "ksim/apiserver/handlers/decode.h"
#include "ksim/apiserver/handlers/patch_errors.h"
#include "ksim/apiserver/registry/scale.h"
#include "ksim/value/go_format.h"
#include "ksim/value/patch.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

// The live object of an apply that creates it.
Value EmptyObject() { return Value::EmptyObject(); }

// An update that changes only the times in metadata.managedFields is no update.
WantedObject IgnoringTimes(const api::Object& existing, WantedObject wanted) {
  if (!existing.empty()) wanted.tree = IgnoreManagedFieldsTimes(existing.tree(), wanted.tree);
  return wanted;
}

// An object that came through a door has the form in which Go writes it; managers do not count.
Value InOldForm(const api::ResourceInfo& r, const api::Object& existing, const Value& wanted) {
  static const Path kManagers{"metadata", "managedFields"};
  const Value& managers = wanted.Get(kManagers);
  const Value formed = api::InFormOf(r, existing.tree(), wanted);
  return managers.is_null() ? formed : formed.Set(kManagers, managers);
}

// Updates metadata.managedFields of an object that has been applied once.
WantedObject WithManagedFields(const RequestContext& rc, const api::Object& existing,
                               WantedObject wanted, api::Compat compat) {
  const bool from_now_on = rc.request().tracks_fields && existing.empty();
  if (rc.request().tracks_fields && !existing.empty())
    wanted.tree = InOldForm(rc.resource(), existing, wanted.tree);
  if (!from_now_on && !IsTracked(existing.tree(), wanted.tree)) return wanted;
  wanted.tree = FieldManager(rc.request(), rc.now(), compat).Update(existing.tree(), wanted.tree);
  return IgnoringTimes(existing, std::move(wanted));
}

api::Result<WantedObject> WantedScale(const RequestContext& rc, const api::Object& existing,
                                      const Value& scale, api::Compat compat) {
  const api::Result<api::Object> scaled = FromScale(rc.resource(), existing, scale);
  if (!scaled.ok()) return scaled.status();
  return WithManagedFields(rc, existing, WantedObject(scaled->tree(), scaled->resource_version()),
                           compat);
}

// The storage's Versioner reads it once the update is known (store.go Update).
api::Status UnreadableVersion(const Value& tree) {
  const std::string_view text =
      tree.Get(api::Fields().metadata).Get(api::Fields().resource_version).AsString();
  const bool number =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number) return api::Status();
  return api::Unmapped(
      500, fmt::format("strconv.ParseUint: parsing {}: invalid syntax", api::GoQuote(text)));
}

// unstructuredCreator: a body at /scale of a custom kind is of a type that the server has.
api::Status NotAScale(const api::Request& request, const api::Status& otherwise) {
  const std::string_view version = request.body.Get("apiVersion").AsString();
  const std::string_view kind = request.body.Get("kind").AsString();
  if (version.empty() || kind.empty() || (version == "autoscaling/v1" && kind == "Scale"))
    return otherwise;
  return api::BadRequest(fmt::format(
      "no kind is registered for the type {}.{} in scheme \"pkg/runtime/scheme.go:100\"",
      version.substr(version.find('/') + 1), kind));
}

// crConverter.ConvertToVersion: the scale of a custom kind takes the patch type and then fails.
api::Status NoScaleOf(const api::Request& request) {
  const Value& body = request.body;
  const Value& metadata = body.Get("metadata");
  const std::string version(body.Get("apiVersion").AsString());
  return api::Unmapped(
      500,
      fmt::format("failed to convert new object ({}/{}; {}, Kind={}) to proper version: request "
                  "to convert CR to an invalid group/version: {}",
                  metadata.Get("namespace").AsString(), metadata.Get("name").AsString(), version,
                  body.Get("kind").AsString(), version));
}

}  // namespace

api::Status CheckPatchType(const api::ResourceInfo& r, const api::Request& request) {
  const bool scale = request.subresource == "scale";
  // A Scale of a built-in kind is a Go type as any other (endpoints/installer.go, PATCH).
  const bool strategic_ok = !r.custom;
  const bool refused = (request.patch_type == api::PatchType::kApply && scale) ||
                       (request.patch_type == api::PatchType::kStrategic && !strategic_ok);
  if (!refused) return api::Status();
  if (r.custom && scale && request.patch_type == api::PatchType::kApply) return NoScaleOf(request);
  std::string accepted = "application/json-patch+json, application/merge-patch+json";
  if (strategic_ok) accepted += ", application/strategic-merge-patch+json";
  if (!scale) accepted += ", application/apply-patch+yaml";
  return api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      accepted);
}

api::Status PutUpdate::Decode() {
  const api::Request& request = rc_.request();
  const auto decode = [&](const Value& body) {
    return scale() ? DecodeSubresource("Scale", request.ns, body, request.field_validation, compat_,
                                       &rc_.warnings)
                   : DecodeObject(rc_.resource(), request.ns, body, request.field_validation,
                                  compat_, &rc_.warnings);
  };
  const std::size_t warned = rc_.warnings.size();
  api::Result<Value> decoded =
      ReadableBody(request, scale() ? std::string_view("Scale") : rc_.resource().kind);
  if (decoded.ok()) decoded = decode(request.body);
  decoded = TellDuplicates(request, rc_.resource(), std::move(decoded), warned, &rc_.warnings);
  if (!decoded.ok() && request.body_version != 0) {
    // The answer may quote the body: as it is on the wire.
    rc_.warnings.resize(warned);
    decoded = decode(request.WholeBody());
  }
  if (!decoded.ok() && scale() && rc_.resource().custom)
    return NotAScale(request, decoded.status());
  if (!decoded.ok()) return decoded.status();
  const api::Status named = CheckUrlName(*decoded, request.name);
  if (!named.ok()) return named;
  std::string warning;
  version_ = UnreadableVersion(*decoded);
  wanted_.tree = api::DedupOwnerReferences(*decoded, false, &warning);
  wanted_.resource_version = api::Object::TakeVersion(&wanted_.tree);
  if (request.body_version != 0) wanted_.resource_version = request.body_version;
  if (!warning.empty()) rc_.warnings.push_back(warning);
  return api::Status();
}

Preconditions PutUpdate::preconditions() const {
  Preconditions p;
  const std::string_view uid =
      wanted_.tree.Get(api::Fields().metadata).Get(api::Fields().uid).AsString();
  if (!uid.empty()) p.uid = uid;
  return p;
}

api::Result<WantedObject> PutUpdate::Make(const api::Object& existing) {
  if (!version_.ok()) return version_;
  if (!scale()) return WithManagedFields(rc_, existing, wanted_, compat_);
  const auto scale = api::Object::FromTree(wanted_.tree, wanted_.resource_version);
  return WantedScale(rc_, existing, scale.ToTree(), compat_);
}

api::Result<Value> PatchUpdate::Apply(const Value& target) const {
  const api::Request& request = rc_.request();
  const bool scale = request.subresource == "scale";
  api::Status shape;
  if (request.flaws != nullptr && !request.flaws->body.empty())
    return api::BadRequest(request.flaws->body);
  switch (request.patch_type) {
    case api::PatchType::kJson:
      shape = CheckJsonPatch(request.body, request.field_validation);
      if (!shape.ok()) return shape;
      return FromJsonPatch(value::ApplyJsonPatch(target, request.body));
    case api::PatchType::kMerge:
      shape = CheckMergePatch(request.body);
      if (!shape.ok()) return shape;
      return value::ApplyMergePatch(target, request.body);
    case api::PatchType::kStrategic:
      shape = CheckStrategicPatch(request.body);
      if (!shape.ok()) return shape;
      return FromStrategicPatch(value::ApplyStrategicMergePatch(
          target, request.body,
          api::FindPatchSchema(scale ? "autoscaling/v1" : rc_.resource().api_version(),
                               scale ? "Scale" : rc_.resource().kind)));
    case api::PatchType::kApply:
      break;
  }
  return FieldManager(request, rc_.now(), compat_).Apply(target);
}

api::Result<Value> PatchUpdate::Decode(Value patched, std::vector<std::string>* warnings) const {
  const api::Request& request = rc_.request();
  const bool scale = request.subresource == "scale";
  const bool applies = request.patch_type == api::PatchType::kApply;
  PatchedReading how(request.field_validation, compat_, warnings);
  if (request.patch_type == api::PatchType::kStrategic) how.strategic_patch = &request.body;
  api::Result<Value> decoded = api::Status();
  if (applies) {
    decoded = DecodeObject(rc_.resource(), request.ns, patched, request.field_validation, compat_,
                           warnings);
  } else {
    decoded = scale ? DecodePatchedScale(request.ns, patched, how)
                    : DecodePatched(rc_.resource(), request.ns, patched, how);
  }
  if (!decoded.ok()) return decoded;
  const api::Status named = CheckUrlName(*decoded, request.name);
  if (!named.ok()) return named;
  const api::Status version = UnreadableVersion(*decoded);
  if (!version.ok()) return version;
  return decoded;
}

void PatchUpdate::Warn(std::vector<std::string> warnings) {
  rc_.warnings.resize(warned_);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(rc_.warnings));
}

api::Result<WantedObject> PatchUpdate::MakeScale(const api::Object& existing) {
  api::Result<Value> scale = Apply(ToScale(rc_.resource(), existing).ToTree());
  std::vector<std::string> warnings;
  if (scale.ok()) scale = Decode(*std::move(scale), &warnings);
  if (!scale.ok()) return scale.status();
  Warn(std::move(warnings));
  return WantedScale(rc_, existing, *scale, compat_);
}

api::Result<WantedObject> PatchUpdate::Make(const api::Object& existing) {
  const bool applies = rc_.request().patch_type == api::PatchType::kApply;
  // Only an apply makes a new object, though a PUT may do it (patch.go createNewObject).
  if (existing.empty() && !applies) return api::NotFound(rc_.group_resource(), rc_.request().name);
  if (rc_.request().subresource == "scale") return MakeScale(existing);
  api::Result<Value> decoded = Apply(existing.empty() ? EmptyObject() : existing.ToTree());
  std::vector<std::string> warnings;
  if (decoded.ok()) decoded = Decode(*std::move(decoded), &warnings);
  if (!decoded.ok()) {
    Warn(std::move(warnings));
    return decoded.status();
  }
  std::string warning;
  WantedObject wanted(api::DedupOwnerReferences(*decoded, true, &warning), 0);
  wanted.resource_version = api::Object::TakeVersion(&wanted.tree);
  if (!warning.empty()) warnings.push_back(warning);
  Warn(std::move(warnings));
  if (!applies) return WithManagedFields(rc_, existing, std::move(wanted), compat_);
  return IgnoringTimes(existing, std::move(wanted));
}

}  // namespace ksim::apiserver
