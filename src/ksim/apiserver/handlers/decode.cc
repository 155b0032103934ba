#include "ksim/apiserver/handlers/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/schema/schema.h"
#include "ksim/api/strategy/defaulting.h"
#include "ksim/api/strategy/strategy.h"
#include "ksim/apiserver/handlers/patch_errors.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"

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

// The kind that a subresource takes: Scale, Binding or Eviction.
const api::ResourceInfo& SubresourceInfo(std::string_view kind) {
  static const auto make = [](const char* group, const char* name) {
    api::ResourceInfo info;
    info.group = group;
    info.version = "v1";
    info.kind = name;
    return info;
  };
  static const api::ResourceInfo scale = make("autoscaling", "Scale");
  static const api::ResourceInfo binding = make("", "Binding");
  static const api::ResourceInfo eviction = make("policy", "Eviction");
  if (kind == "Scale") return scale;
  return kind == "Binding" ? binding : eviction;
}

// runtime.Scheme registers all kinds of a server.
bool IsRegistered(std::string_view api_version, std::string_view kind) {
  static const api::Kinds kinds;  // NOLINT(ksim-static): one table a process, never changed
  if (kind.ends_with("List") && kind != "List") kind.remove_suffix(4);
  if (kinds.ByKind(api_version, kind) != nullptr) return true;
  const api::ResourceInfo& about = SubresourceInfo(kind);
  return about.kind == kind && about.api_version() == api_version;
}

// The version of "group/version" or of "version".
std::string_view VersionOf(std::string_view api_version) {
  return api_version.substr(api_version.find('/') + 1);
}

// The Go package of a group's internal types.
std::string_view InternalPackage(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == api_version.npos || api_version.starts_with("events.")) return "core";
  return api_version.substr(0, std::min(slash, api_version.find('.')));
}

// meta.DefaultVersionKindInterpreter: apiVersion and kind must be texts.
std::string NoVersionKind(const Value& body) {
  constexpr std::string_view kNoKind = "couldn't get version/kind; json parse error: ";
  if (!body.is_object())
    return fmt::format(
        "{}json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
        "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }}",
        kNoKind, value::JsonWord(body));
  for (const char* field : {"apiVersion", "kind"}) {
    const Value& v = body.Get(field);
    if (!v.is_null() && !v.is_string())
      return fmt::format("{}json: cannot unmarshal {} into Go struct field .{} of type string",
                         kNoKind, value::JsonWord(v), field);
  }
  return "";
}

// Whether a text is info.api_version(), without making that.
bool IsApiVersionOf(const api::ResourceInfo& info, std::string_view text) {
  if (info.group.empty()) return text == info.version;
  return text.size() == info.group.size() + 1 + info.version.size() &&
         text.starts_with(info.group) && text[info.group.size()] == '/' &&
         text.ends_with(info.version);
}

// Whether a body's apiVersion and kind are those of an endpoint, or are missing: then `tree` has
// them. Else `problem` says why not, as apimachinery's Scheme and serializers do.
struct Typed {
  Typed() = default;
  Value tree;
  std::string problem;
};

Typed WithType(const api::ResourceInfo& info, const Value& body) {
  Typed out;
  if (IsApiVersionOf(info, body.Get(api::Fields().api_version).AsString()) &&
      body.Get(api::Fields().kind).AsString() == info.kind) {
    out.tree = body;
    return out;
  }
  const std::string api_version = info.api_version();
  const std::string& kind = info.kind;
  out.problem = NoVersionKind(body);
  if (!out.problem.empty()) return out;
  out.tree = body;
  if (body.Get("apiVersion").AsString().empty())
    out.tree = out.tree.Set("apiVersion", Value::Of(api_version));
  if (body.Get("kind").AsString().empty()) out.tree = out.tree.Set("kind", Value::Of(kind));
  const std::string_view given_version = out.tree.Get("apiVersion").AsString();
  const std::string_view given_kind = out.tree.Get("kind").AsString();
  if (given_version == api_version && given_kind == kind) return out;
  if (IsRegistered(given_version, given_kind)) {
    out.problem =
        fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", VersionOf(given_version),
                    given_kind, InternalPackage(api_version), kind);
  } else {
    out.problem = fmt::format(
        "no kind \"{}\" is registered for version \"{}\" in scheme "
        "\"pkg/api/legacyscheme/scheme.go:30\"",
        given_kind, given_version);
  }
  return out;
}

// Sets the kind's apiVersion and kind, which the object mostly has already.
Value WithOwnType(const api::ResourceInfo& info, const Value& object) {
  return object.Set(api::Fields().api_version, Value::Of(info.api_version()))
      .Set(api::Fields().kind, Value::Of(info.kind));
}

// 400: a body that cannot be read as a `wanted` (rest.go transformDecodeError).
api::Status CannotBeHandled(const Value& body, std::string_view api_version,
                            std::string_view wanted, std::string_view why) {
  const bool names_kind = body.is_object() && NoVersionKind(body).empty();
  if (!names_kind) {
    constexpr std::size_t kShown = 30;
    const std::string json = value::GoJson(body);
    std::string hex;
    for (const char c : std::string_view(json).substr(0, kShown))
      hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return api::BadRequest(
        fmt::format("the object provided is unrecognized (must be of type {}): {} ({}{})", wanted,
                    why, hex, json.size() > kShown ? " ..." : ""));
  }
  const std::string_view kind = body.Get("kind").AsString();
  const std::string_view version = body.Get("apiVersion").AsString();
  return api::BadRequest(
      fmt::format("{} in version {} cannot be handled as a {}: {}", kind.empty() ? wanted : kind,
                  api::GoQuote(VersionOf(version.empty() ? api_version : version)), wanted, why));
}

}  // namespace

api::Result<Value> DecodeObject(const api::ResourceInfo& r, std::string_view ns, const Value& body,
                                std::string_view field_validation, api::Compat compat,
                                std::vector<std::string>* warnings) {
  if (body.is_null())
    return api::BadRequest(
        "the body of the request was in an unknown format - accepted media types "
        "include: application/json, application/yaml");
  const Typed typed = WithType(r, body);
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
  const Typed typed = WithType(info, beta ? body.Set("apiVersion", Value::Of("policy/v1")) : body);
  if (!typed.problem.empty())
    return CannotBeHandled(body, info.api_version(), info.kind, typed.problem);
  api::Result<Value> decoded = api::Decode(info, typed.tree, field_validation, warnings, compat);
  if (!decoded.ok()) return decoded;
  return WithNamespace(info, ns, *std::move(decoded));
}

api::Result<Value> DecodePatched(const api::ResourceInfo& r, std::string_view ns,
                                 const Value& patched, const PatchedReading& how) {
  const bool strategic = how.strategic_patch != nullptr;
  Typed typed;
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
