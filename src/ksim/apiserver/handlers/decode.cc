#include "ksim/apiserver/handlers/decode.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/schema/schema.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/handlers/body_kind.h"
#include "ksim/apiserver/handlers/patch_errors.h"
#include "ksim/value/go_format.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kNamespace{"metadata", "namespace"};

api::Result<Value> WithNamespace(const api::ResourceInfo& r, std::string_view ns, Value tree) {
  const Value* const field = tree.Get(api::Fields().metadata).Find(api::Fields().namespace_);
  if (!r.namespaced) return field == nullptr ? tree : tree.Erase(kNamespace);
  const std::string_view given = field == nullptr ? "" : field->AsString();
  if (given.empty()) return tree.Set(kNamespace, Value::Of(ns));
  if (given != ns)
    return api::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  return tree;
}

}  // namespace

api::Result<Value> DecodeObject(const api::ResourceInfo& r, std::string_view ns, const Value& body,
                                std::string_view field_validation, api::Compat compat,
                                std::vector<std::string>* warnings) {
  if (body.is_null())
    return api::BadRequest(
        "the body of the request was in an unknown format - accepted media types "
        "include: application/json, application/yaml");
  const TypedBody typed = WithType(r, body);
  if (!typed.problem.empty()) return CannotBeHandled(body, r.api_version(), r.kind, typed.problem);
  api::Result<Value> decoded = api::Decode(r, typed.tree, field_validation, warnings, compat);
  if (!decoded.ok()) return decoded;
  Value tree = api::ApplyDefaults(r, *decoded, compat);
  return WithNamespace(r, ns, std::move(tree));
}

api::Result<Value> DecodeSubresource(std::string_view kind, std::string_view ns, const Value& body,
                                     std::string_view field_validation, api::Compat compat,
                                     std::vector<std::string>* warnings) {
  const api::ResourceInfo& info = SubresourceInfo(kind);
  // policy/v1beta1 is served for this kind alone (core/pod/storage/eviction.go).
  const bool beta = kind == "Eviction" && body.Get("apiVersion").AsString() == "policy/v1beta1";
  const TypedBody typed =
      WithType(info, beta ? body.Set("apiVersion", Value::Of("policy/v1")) : body);
  if (!typed.problem.empty())
    return CannotBeHandled(body, info.api_version(), info.kind, typed.problem);
  api::Result<Value> decoded = api::Decode(info, typed.tree, field_validation, warnings, compat);
  if (!decoded.ok()) return decoded;
  return WithNamespace(info, ns, *std::move(decoded));
}

api::Result<Value> DecodePatched(const api::ResourceInfo& r, std::string_view ns,
                                 const Value& patched, const PatchedReading& how) {
  const bool strategic = how.strategic_patch != nullptr;
  TypedBody typed;
  if (strategic) {
    typed.tree = WithOwnType(r, patched);
  } else {
    // Without a version Go reads into the internal type, whose fields have other names.
    typed = WithType(r, patched.Has("apiVersion") ? patched : Value::EmptyObject());
  }
  api::Reading reading;
  if (typed.problem.empty())
    reading = api::Read(r, typed.tree, how.field_validation, how.warnings, how.compat);
  if (strategic) reading.problem = ConverterProblem(reading.problem);
  const std::string& problem = typed.problem.empty() ? reading.problem : typed.problem;
  if (!problem.empty()) {
    const std::string given =
        strategic ? value::GoFormat(*how.strategic_patch) : value::GoJson(patched);
    std::string text = fmt::format("Invalid value: {}: {}", api::GoQuote(given), problem);
    return api::Invalid("", "", "",
                        {api::StatusCause("FieldValueInvalid", std::move(text), "patch")});
  }
  const bool scale = r.kind == "Scale";
  return WithNamespace(
      r, ns, scale ? std::move(reading.tree) : api::ApplyDefaults(r, reading.tree, how.compat));
}

api::Result<Value> DecodePatchedScale(std::string_view ns, const Value& patched,
                                      const PatchedReading& how) {
  return DecodePatched(SubresourceInfo("Scale"), ns, patched, how);
}

api::Status CheckUrlName(const Value& tree, std::string_view name) {
  const std::string_view given =
      tree.Get(api::Fields().metadata).Get(api::Fields().name).AsString();
  if (given == name) return api::Status();
  if (given.empty())
    return api::BadRequest(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        name));
  return api::BadRequest(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", given, name));
}

}  // namespace ksim::apiserver
