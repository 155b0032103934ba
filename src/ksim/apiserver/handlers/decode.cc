#include "ksim/apiserver/handlers/decode.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/defaulting.h"
#include "ksim/api/schema.h"
#include "ksim/api/strategy.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kNamespace{"metadata", "namespace"};
const Path kName{"metadata", "name"};

// runtime.NotRegisteredError; the place is where the scheme of a released kube-apiserver is made.
api::Status UnknownKind(const api::ResourceInfo& r, std::string_view given, std::string_view kind) {
  const std::string version = given.empty() ? r.api_version() : std::string(given);
  return api::BadRequest(fmt::format(
      "{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered for version "
      "\"{}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
      kind, version.substr(version.find('/') + 1), r.kind, kind, version));
}

// A body that is no object: json.SimpleMetaFactory.Interpret, handlers/rest.go
// transformDecodeError.
api::Status NoObject(const api::ResourceInfo& r, const Value& body) {
  if (body.is_null())
    return api::BadRequest(fmt::format(
        "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json "
        "parse error: unexpected end of JSON input (<empty>)",
        r.kind));
  const std::string text = value::ToJson(body);
  std::string hex;
  for (const char c : text.substr(0, 30))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  if (text.size() > 30) hex += " ...";
  const char* const what = body.is_array()    ? "array"
                           : body.is_string() ? "string"
                           : body.is_bool()   ? "bool"
                                              : "number";
  return api::BadRequest(fmt::format(
      "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json "
      "parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
      "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }} ({})",
      r.kind, what, hex));
}

api::Result<Value> WithType(const api::ResourceInfo& r, Value tree) {
  const std::string_view version = tree.Get("apiVersion").AsString();
  const std::string_view kind = tree.Get("kind").AsString();
  const std::string expected = r.api_version();
  const bool wrong_kind = !kind.empty() && kind != r.kind;
  const bool wrong_version = !version.empty() && version != expected;
  if (wrong_kind || (wrong_version && !kind.empty())) return UnknownKind(r, version, kind);
  if (wrong_version)
    return api::BadRequest(
        fmt::format("the API version in the data ({}) does not match the "
                    "expected API version ({})",
                    version, expected));
  if (version.empty()) tree = tree.Set("apiVersion", Value::Of(expected));
  if (kind.empty()) tree = tree.Set("kind", Value::Of(r.kind));
  return tree;
}

api::Result<Value> WithNamespace(const api::ResourceInfo& r, std::string_view ns, Value tree) {
  if (!r.namespaced) return tree.Erase(kNamespace);
  const std::string_view given = tree.Get(kNamespace).AsString();
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
  if (!body.is_object()) return NoObject(r, body);
  api::Result<Value> typed = WithType(r, body);
  if (!typed.ok()) return typed;
  api::Result<Value> decoded = api::Decode(r, *typed, field_validation, warnings, compat);
  if (!decoded.ok()) return decoded;
  Value tree = api::ApplyDefaults(r, *decoded, compat);
  return WithNamespace(r, ns, std::move(tree));
}

api::Result<Value> WithUrlName(Value tree, std::string_view name) {
  if (tree.Get(kName).AsString().empty()) return tree.Set(kName, Value::Of(name));
  api::Status named = CheckUrlName(tree, name);
  if (!named.ok()) return named;
  return tree;
}

api::Status CheckUrlName(const Value& tree, std::string_view name) {
  const std::string_view given = tree.Get(kName).AsString();
  if (given == name) return api::Status();
  if (given.empty())
    return api::BadRequest(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        name));
  return api::BadRequest(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", given, name));
}

}  // namespace ksim::apiserver
