#include "ksim/apiserver/core/access.h"

#include <fmt/format.h>

#include "ksim/api/core/go_text.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {
namespace {

// Keeps texts from looking like HTML (responsewriters errors.go sanitizer).
std::string Sanitized(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// forbiddenMessage.
std::string ForbiddenMessage(const User& user, const Access& a) {
  const std::string name = api::GoQuote(user.name);
  if (!a.of_resource())
    return fmt::format("User {} cannot {} path {}", name, a.verb, api::GoQuote(a.path));
  const std::string resource =
      a.subresource.empty() ? a.resource : fmt::format("{}/{}", a.resource, a.subresource);
  const std::string scope = a.ns.empty() ? std::string("at the cluster scope")
                                         : fmt::format("in the namespace {}", api::GoQuote(a.ns));
  return fmt::format("User {} cannot {} resource {} in API group {} {}", name, a.verb,
                     api::GoQuote(resource), api::GoQuote(a.group), scope);
}

// The one name that the selector of a list or watch leaves.
std::string SelectedName(const SharedText& selector) {
  if (selector.empty()) return "";
  const auto parsed = value::FieldSelector::Parse(selector.view());
  if (!parsed.ok()) return "";
  return std::string(parsed->RequiresExactMatch("metadata.name").value_or(""));
}

}  // namespace

// As RequestInfo reads it from the path, where a new object has no name, and a namespace's own name
// stands where that of its objects does.
Access AccessOf(const api::Request& request) {
  Access access;
  access.verb = api::ToString(request.verb);
  access.group = request.resource->group;
  access.resource = request.resource->resource;
  access.subresource = request.subresource.view();
  access.ns = request.ns.view();
  const bool creates = request.verb == api::Verb::kCreate && request.subresource.empty();
  if (!creates) access.name = request.name.view();
  const bool many = request.verb == api::Verb::kList || request.verb == api::Verb::kWatch;
  if (many && access.name.empty()) access.name = SelectedName(request.list.field_selector);
  if (access.group.empty() && access.resource == "namespaces") access.ns = access.name;
  return access;
}

Access AccessOfPath(std::string_view verb, std::string_view path) {
  Access access;
  access.verb = verb;
  access.path = path;
  return access;
}

// ForbiddenStatusError.
api::Status NotAuthorized(const User& user, const Access& access, std::string_view reason) {
  std::string text = Sanitized(ForbiddenMessage(user, access));
  if (!reason.empty()) text += fmt::format(": {}", reason);
  return api::Forbidden(api::GroupResource(access.group, access.resource), access.name, text);
}

}  // namespace ksim::apiserver
