#include "ksim/kubectl/verbs/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ksim::kubectl {
namespace {

// checkErr for objects that the server calls invalid; statusCausesToAggrError, MultilineError.
std::string InvalidText(const api::Status& status) {
  std::string text = "The request is invalid";
  if (!status.details->kind.empty() || !status.details->name.empty())
    text = fmt::format("The {} \"{}\" is invalid", status.details->kind, status.details->name);
  else if (!status.message.empty() && status.details->causes.empty())
    text += ": " + status.message;
  std::vector<std::string> causes;
  for (const api::StatusCause& cause : status.details->causes) {
    std::string told = fmt::format("{}: {}", cause.field, cause.message);
    if (std::find(causes.begin(), causes.end(), told) == causes.end())
      causes.push_back(std::move(told));
  }
  if (causes.empty()) return text;
  if (causes.size() == 1) return fmt::format("{}: {}", text, causes.front());
  return fmt::format("{}: \n* {}", text, fmt::join(causes, "\n* "));
}

}  // namespace

std::string ObjectPath(const api::ResourceInfo& info, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", info.group_resource(), ns, name);
}

// checkErr, StandardErrorMessage, AddSourceToErr.
std::string ErrorText(const api::Response& response, std::string_view doing) {
  const api::Status& status = response.status;
  if (response.code == 0)
    return api::IsConnectionRefused(status)
               ? fmt::format(
                     "The connection to the server {} was refused - did you specify the "
                     "right host or port?",
                     status.details->name)
               : "Unable to connect to the server: " + status.message;
  if (api::IsInvalid(status)) return InvalidText(status);
  const std::string source = doing.empty() ? "" : fmt::format("error when {} \"STDIN\": ", doing);
  if (status.reason.empty()) return fmt::format("Error from server: {}{}", source, status.message);
  return fmt::format("Error from server ({}): {}{}", status.reason, source, status.message);
}

// apply.go applyOneObject.
std::string ApplyConflictText(const api::Status& status) {
  return fmt::format(
      "error: {}\n"
      "Please review the fields above--they currently have other managers. Here\n"
      "are the ways you can resolve this warning:\n"
      "* If you intend to manage all of these fields, please re-run the apply\n"
      "  command with the `--force-conflicts` flag.\n"
      "* If you do not intend to manage all of the fields, please edit your\n"
      "  manifest to remove references to the fields that should keep their\n"
      "  current managers.\n"
      "* You may co-own fields by updating your manifest to match the existing\n"
      "  value; in this case, you'll become the manager if the other manager(s)\n"
      "  stop managing the field (remove it from their configuration).\n"
      "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts",
      status.message);
}

void AddWarnings(const api::Response& response, CommandOutput* output) {
  for (const std::string& warning : response.warnings) {
    std::string line = "Warning: " + warning;
    if (std::find(output->lines.begin(), output->lines.end(), line) == output->lines.end())
      output->lines.push_back(std::move(line));
  }
}

}  // namespace ksim::kubectl
