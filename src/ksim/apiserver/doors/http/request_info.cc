#include "ksim/apiserver/doors/http/request_info.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "ksim/apiserver/doors/http/options.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver::http {
namespace {

// splitPath: slashes at both ends do not count.
std::vector<std::string> SplitPath(std::string_view path) {
  path = Trim(path, "/");
  std::vector<std::string> parts;
  if (path.empty()) return parts;
  for (std::size_t begin = 0, end = 0; end != path.npos; begin = end + 1) {
    end = path.find('/', begin);
    parts.emplace_back(path.substr(begin, end == path.npos ? path.npos : end - begin));
  }
  return parts;
}

std::string_view VerbOfMethod(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "";
}

// A collection's `get` is a list or a watch, perhaps of one object by its name.
void ReadCollectionVerb(const QueryValues& query, RequestInfo& info) {
  api::ListOptions options;
  bool watch = false;
  const api::Status status = ReadListOptions(query, &options, &watch);
  if (!status.ok()) {
    const std::vector<std::string>* values = query.Find("watch");
    watch = values != nullptr && Lower(values->front()) != "false" && values->front() != "0";
    info.verb = watch ? "watch" : "list";
    return;
  }
  info.verb = watch ? "watch" : "list";
  const absl::StatusOr<value::FieldSelector> fields =
      value::FieldSelector::Parse(options.field_selector.view());
  if (!fields.ok()) return;
  const std::optional<std::string_view> name = fields->RequiresExactMatch("metadata.name");
  if (name.has_value() && PathSegmentProblems(*name).empty()) info.name = *name;
}

}  // namespace

std::vector<std::string> PathSegmentProblems(std::string_view name) {
  for (const std::string_view bad : {".", ".."}) {
    if (name == bad) return {fmt::format("may not be '{}'", bad)};
  }
  std::vector<std::string> problems;
  for (const std::string_view bad : {"/", "%"}) {
    if (name.find(bad) != name.npos) problems.push_back(fmt::format("may not contain '{}'", bad));
  }
  return problems;
}

RequestInfo ReadRequestInfo(std::string_view method, const Url& url) {
  RequestInfo info;
  info.path = url.path;
  info.verb = Lower(method);
  std::vector<std::string> parts = SplitPath(url.path);
  if (parts.size() < 3 || (parts[0] != "api" && parts[0] != "apis")) return info;
  std::size_t next = 0;
  info.api_prefix = parts[next++];
  if (info.api_prefix == "apis") {
    if (parts.size() < 4) return info;
    info.api_group = parts[next++];
  }
  info.is_resource_request = true;
  info.api_version = parts[next++];

  if (parts[next] == "proxy" || parts[next] == "watch") {
    if (parts.size() - next < 2) {
      info.error = fmt::format("unable to determine kind and namespace from url, {}", url.path);
      return info;
    }
    info.verb = parts[next++];
  } else {
    info.verb = VerbOfMethod(method);
  }

  // .../namespaces/NAMESPACE/RESOURCE; a namespace's own subresources stay with it.
  if (parts[next] == "namespaces" && parts.size() - next > 1) {
    info.ns = parts[next + 1];
    if (parts.size() - next > 2 && parts[next + 2] != "status" && parts[next + 2] != "finalize") {
      next += 2;
    }
  }
  info.parts.assign(std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(next)),
                    std::make_move_iterator(parts.end()));
  info.resource = info.parts[0];
  if (info.parts.size() >= 2) info.name = info.parts[1];
  if (info.parts.size() >= 3 && info.verb != "proxy") info.subresource = info.parts[2];

  if (info.name.empty() && info.verb == "get") ReadCollectionVerb(url.query, info);
  if (info.name.empty() && info.verb == "delete") info.verb = "deletecollection";
  return info;
}

}  // namespace ksim::apiserver::http
