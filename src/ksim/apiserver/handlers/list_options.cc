#include "ksim/apiserver/handlers/list_options.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace ksim::apiserver {
namespace {

constexpr std::string_view kExact = "Exact";
constexpr std::string_view kNotOlderThan = "NotOlderThan";
constexpr const char* kMatch = "resourceVersionMatch";

class Problems {
 public:
  void Forbid(std::string_view field, std::string_view why) {
    causes_.emplace_back("FieldValueForbidden", fmt::format("Forbidden: {}", why),
                         std::string(field));
  }
  void NotSupported(std::string_view field, std::string_view value, std::string_view supported) {
    causes_.emplace_back(
        "FieldValueNotSupported",
        fmt::format("Unsupported value: \"{}\": supported values: {}", value, supported),
        std::string(field));
  }
  api::Status ToStatus() {
    if (causes_.empty()) return api::Status();
    return api::Invalid("meta.k8s.io", "ListOptions", "", std::move(causes_));
  }

 private:
  std::vector<api::StatusCause> causes_;
};

}  // namespace

void DropUnknownListOptions(api::ListOptions& options, const Profile& profile) {
  if (!profile.send_initial_events) options.send_initial_events.reset();
}

void DefaultWatchOptions(api::ListOptions& options, const Profile& profile) {
  if (!profile.watch_list) return;
  if (options.send_initial_events || !options.resource_version_match.empty()) return;
  if (!options.resource_version.empty() && options.resource_version != "0") return;
  options.send_initial_events = true;
  options.resource_version_match = kNotOlderThan;
}

api::Status ValidateListOptions(const api::ListOptions& options) {
  Problems problems;
  const std::string_view match = options.resource_version_match;
  if (!match.empty()) {
    if (options.resource_version.empty())
      problems.Forbid(kMatch,
                      "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (!options.continue_token.empty())
      problems.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    if (match != kExact && match != kNotOlderThan)
      problems.NotSupported(kMatch, match, "\"Exact\", \"NotOlderThan\", \"\"");
    if (match == kExact && options.resource_version == "0")
      problems.Forbid(kMatch,
                      "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  if (options.send_initial_events)
    problems.Forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  return problems.ToStatus();
}

api::Status ValidateWatchOptions(const api::ListOptions& options, const Profile& profile) {
  Problems problems;
  const std::string_view match = options.resource_version_match;
  if (!profile.send_initial_events) {
    if (!match.empty()) problems.Forbid(kMatch, "resourceVersionMatch is forbidden for watch");
    return problems.ToStatus();
  }
  if (options.send_initial_events) {
    if (match != kNotOlderThan)
      problems.Forbid(kMatch,
                      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (!profile.watch_list)
      problems.Forbid("sendInitialEvents",
                      "sendInitialEvents is forbidden for watch unless the WatchList feature gate "
                      "is enabled");
  }
  if (match.empty()) return problems.ToStatus();
  if (!options.send_initial_events)
    problems.Forbid(
        kMatch, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  if (match != kNotOlderThan) problems.NotSupported(kMatch, match, "\"NotOlderThan\"");
  if (!options.continue_token.empty())
    problems.Forbid(kMatch, "resourceVersionMatch is forbidden when continue is provided");
  return problems.ToStatus();
}

}  // namespace ksim::apiserver
