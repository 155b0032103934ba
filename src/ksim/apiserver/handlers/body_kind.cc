#include "ksim/apiserver/handlers/body_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/handlers/body_flaws.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {

using value::Value;

namespace {

// runtime.Scheme registers all kinds of a server.
bool IsRegistered(std::string_view api_version, std::string_view kind) {
  static const api::Kinds kinds;  // NOLINT(ksim-static): one table a process, never changed
  if (kind.ends_with("List") && kind != "List") kind.remove_suffix(4);
  if (kinds.ByKind(api_version, kind) != nullptr) return true;
  // meta/v1 register.go: of the core group alone, and of every group.
  for (const std::string_view unversioned :
       {"Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"}) {
    if (kind == unversioned) return !api_version.empty();
  }
  for (const std::string_view meta : {"WatchEvent", "ListOptions", "GetOptions", "DeleteOptions",
                                      "CreateOptions", "UpdateOptions", "PatchOptions"}) {
    if (kind == meta) return true;
  }
  const api::ResourceInfo& about = SubresourceInfo(kind);
  return about.kind == kind && about.api_version() == api_version;
}

// The version of "group/version" or of "version".
std::string_view VersionOf(std::string_view api_version) {
  return api_version.substr(api_version.find('/') + 1);
}

}  // namespace

std::string_view InternalPackage(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == api_version.npos || api_version.starts_with("events.")) return "core";
  return api_version.substr(0, std::min(slash, api_version.find('.')));
}

namespace {

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

}  // namespace

TypedBody WithType(const api::ResourceInfo& info, const Value& body) {
  TypedBody out;
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

Value WithOwnType(const api::ResourceInfo& info, const Value& object) {
  return object.Set(api::Fields().api_version, Value::Of(info.api_version()))
      .Set(api::Fields().kind, Value::Of(info.kind));
}

api::Status CannotBeHandled(const Value& body, std::string_view api_version,
                            std::string_view wanted, std::string_view why) {
  const bool names_kind = body.is_object() && NoVersionKind(body).empty();
  if (!names_kind) {
    return api::BadRequest(
        fmt::format("the object provided is unrecognized (must be of type {}): {} ({})", wanted,
                    why, SummarizeData(value::GoJson(body))));
  }
  const std::string_view kind = body.Get("kind").AsString();
  const std::string_view version = body.Get("apiVersion").AsString();
  return api::BadRequest(
      fmt::format("{} in version {} cannot be handled as a {}: {}", kind.empty() ? wanted : kind,
                  api::GoQuote(VersionOf(version.empty() ? api_version : version)), wanted, why));
}

}  // namespace ksim::apiserver
