#include "ksim/api/core/request_uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ksim::api {
namespace {

using Parameters = std::vector<std::pair<const char*, std::string>>;

// url.QueryEscape.
std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

void AddText(Parameters& out, const char* name, std::string_view value) {
  if (!value.empty()) out.emplace_back(name, value);
}

Parameters ParametersOf(const Request& r) {
  const ListOptions& l = r.list;
  Parameters out;
  if (l.allow_watch_bookmarks) out.emplace_back("allowWatchBookmarks", "true");
  AddText(out, "continue", l.continue_token);
  if (r.dry_run) out.emplace_back("dryRun", "All");
  AddText(out, "fieldManager", r.field_manager);
  AddText(out, "fieldSelector", l.field_selector);
  AddText(out, "fieldValidation", r.field_validation);
  if (r.force) out.emplace_back("force", "true");
  AddText(out, "labelSelector", l.label_selector);
  if (l.limit != 0) out.emplace_back("limit", std::to_string(l.limit));
  AddText(out, "resourceVersion", l.resource_version);
  AddText(out, "resourceVersionMatch", l.resource_version_match);
  if (l.send_initial_events)
    out.emplace_back("sendInitialEvents", *l.send_initial_events ? "true" : "false");
  if (l.timeout_seconds) out.emplace_back("timeoutSeconds", std::to_string(*l.timeout_seconds));
  if (r.verb == Verb::kWatch) out.emplace_back("watch", "true");
  return out;  // sorted by name, as Encode has them
}

}  // namespace

std::string RequestUri(const Request& r) {
  if (r.resource == nullptr) return "/";
  const bool collection = r.verb == Verb::kCreate && r.subresource.empty();
  std::string uri =
      r.resource->UrlPath(r.ns, collection ? std::string_view() : r.name.view(), r.subresource);
  char separator = '?';
  for (const auto& [name, value] : ParametersOf(r)) {
    uri += fmt::format("{}{}={}", std::exchange(separator, '&'), name, Escape(value));
  }
  return uri;
}

}  // namespace ksim::api
