#include "ksim/apiserver/handlers/decode.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/defaulting.h"
#include "ksim/api/schema.h"
#include "ksim/api/strategy.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

const Path kNamespace{"metadata", "namespace"};
const Path kName{"metadata", "name"};

api::Result<Value> WithType(const api::ResourceInfo& r, Value tree) {
  const std::string_view version = tree.Get("apiVersion").AsString();
  const std::string_view kind = tree.Get("kind").AsString();
  const std::string expected = r.api_version();
  const bool wrong_kind = !kind.empty() && kind != r.kind;
  const bool wrong_version = !version.empty() && version != expected;
  if (wrong_kind || (wrong_version && !kind.empty()))
    return api::BadRequest(
        fmt::format("{} in version \"{}\" cannot be handled as a {}: no kind "
                    "\"{}\" is registered for that version here",
                    kind, version, r.kind, kind));
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
  if (!body.is_object())
    return api::BadRequest(
        "the body of the request was in an unknown format - accepted media types "
        "include: application/json, application/yaml");
  api::Result<Value> typed = WithType(r, body);
  if (!typed.ok()) return typed;
  api::Result<Value> decoded = api::Decode(r, *typed, field_validation, warnings, compat);
  if (!decoded.ok()) return decoded;
  Value tree = api::ApplyDefaults(r, *decoded, compat);
  return WithNamespace(r, ns, std::move(tree));
}

api::Result<Value> WithUrlName(Value tree, std::string_view name) {
  const std::string_view given = tree.Get(kName).AsString();
  if (given.empty()) return tree.Set(kName, Value::Of(name));
  if (given == name) return tree;
  return api::BadRequest(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", given, name));
}

}  // namespace ksim::apiserver
