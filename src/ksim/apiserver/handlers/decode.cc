#include "ksim/apiserver/handlers/decode.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/apiextensions/customresourcedefinition.h"
#include "ksim/api/schema/schema.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/handlers/body_flaws.h"
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

// create.go, update.go: custom resources are decoded whatever their kind is.
api::Status OtherVersion(const api::ResourceInfo& r, std::string_view given) {
  return api::BadRequest(
      fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                  given, r.api_version()));
}

// apiextensions-apiserver pkg/apis/apiextensions/install knows v1beta1, which it does not serve.
bool IsOlderDefinition(const api::ResourceInfo& r, const Value& tree) {
  return api::IsDefinition(r) && tree.Get("kind").AsString() == r.kind &&
         tree.Get("apiVersion").AsString() == "apiextensions.k8s.io/v1beta1";
}

// A custom kind as it is at a version that the body names, by whose schema it is read; if it has no
// such version, all its fields are unknown.
api::ResourceInfo AtVersion(const api::ResourceInfo& r, std::string_view api_version) {
  api::ResourceInfo other = r;
  if (r.definition == nullptr) return other;
  const api::CustomDefinition& own = *r.definition;
  Value version = value::Obj(
      {{"schema", value::Obj({{"openAPIV3Schema", value::Obj({{"type", Value::Of("object")}})}})}});
  for (const Value& v : own.versions.items())
    if (api_version == fmt::format("{}/{}", r.group, v.Get("name").AsString())) version = v;
  other.definition =
      std::make_shared<const api::CustomDefinition>(version, own.stored, own.versions);
  return other;
}

// unstructured.UnstructuredJSONScheme: an object without a kind is none.
api::Status NoKind(const api::ResourceInfo& r, const Value& body) {
  const std::string text = value::GoJson(body);
  return api::BadRequest(fmt::format(
      "the object provided is unrecognized (must be of type {}): Object 'Kind' is missing in "
      "'{}' ({})",
      r.kind, text, SummarizeData(text)));
}

// apiextensions-apiserver pkg/registry/customresource/validator.go
api::Status OtherType(const api::ResourceInfo& r, const Value& tree) {
  std::vector<api::StatusCause> causes;
  const auto check = [&](const char* field, std::string_view wanted) {
    const std::string_view given = tree.Get(field).AsString();
    if (given != wanted)
      causes.emplace_back("FieldValueInvalid",
                          fmt::format("Invalid value: {}: must be {}", api::GoQuote(given), wanted),
                          field);
  };
  check("kind", r.kind);
  check("apiVersion", r.api_version());
  // The error is of the object's own kind (rest.BeforeUpdate).
  const std::string_view version = tree.Get("apiVersion").AsString();
  const std::size_t slash = version.find('/');
  const std::string_view group = slash == version.npos ? "" : version.substr(0, slash);
  return api::Invalid(group, tree.Get("kind").AsString(),
                      tree.Get(api::Fields().metadata).Get(api::Fields().name).AsString(),
                      std::move(causes));
}

}  // namespace

api::Result<Value> DecodeObject(const api::ResourceInfo& r, std::string_view ns, const Value& body,
                                std::string_view field_validation, api::Compat compat,
                                std::vector<std::string>* warnings) {
  if (body.is_null())
    return api::BadRequest(
        "the body of the request was in an unknown format - accepted media types "
        "include: application/json, application/yaml");
  if (r.defined && body.is_object() && body.Get("kind").AsString().empty()) return NoKind(r, body);
  if (r.defined && body.Get("apiVersion").AsString().empty()) return OtherVersion(r, "");
  const TypedBody typed = WithType(r, body);
  if (!typed.problem.empty()) {
    const std::string_view version = typed.tree.Get("apiVersion").AsString();
    if (IsOlderDefinition(r, typed.tree)) return OtherVersion(r, version);
    if (!r.custom || typed.tree.is_null())
      return CannotBeHandled(body, r.api_version(), r.kind, typed.problem);
    if (version != r.api_version()) {
      const api::ResourceInfo other = AtVersion(r, version);
      api::Result<Value> read = api::Decode(other, typed.tree, field_validation, warnings, compat);
      return read.ok() ? OtherVersion(r, version) : read.status();
    }
    return OtherType(r, typed.tree);
  }
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
  const Value& version = patched.Get("apiVersion");
  const bool names_version = version.is_string() ? !version.AsString().empty() : !version.is_null();
  TypedBody typed;
  if (strategic) {
    typed.tree = WithOwnType(r, patched);
  } else {
    // Without a version Go reads into the internal type, whose fields have other names.
    typed = WithType(r, names_version ? patched : Value::EmptyObject());
  }
  std::string unknown;
  if (!strategic && !names_version && how.field_validation != "Ignore" && !r.custom) {
    for (const Value::Member& m : patched.members()) {
      if (m.name == api::Fields().kind || m.name == api::Fields().api_version) continue;
      const std::string text = fmt::format("unknown field {}", api::GoQuote(m.name.text()));
      unknown += (unknown.empty() ? "strict decoding error: " : ", ") + text;
      if (how.field_validation != "Strict" && how.warnings != nullptr)
        how.warnings->push_back(text);
    }
    if (how.field_validation == "Strict" && typed.problem.empty()) typed.problem = unknown;
  }
  api::Reading reading;
  if (typed.problem.empty())
    reading = api::Read(r, typed.tree, how.field_validation, how.warnings, how.compat);
  if (strategic) reading.problem = ConverterProblem(reading.problem);
  const std::string& problem = typed.problem.empty() ? reading.problem : typed.problem;
  if (r.custom && !typed.problem.empty() && !typed.tree.is_null()) {
    const std::string_view other = typed.tree.Get("apiVersion").AsString();
    if (other != r.api_version())
      api::Read(AtVersion(r, other), typed.tree, how.field_validation, how.warnings, how.compat);
    return OtherType(r, typed.tree);
  }
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
