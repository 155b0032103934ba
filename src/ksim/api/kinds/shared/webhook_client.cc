#include "ksim/api/kinds/shared/webhook_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/kinds/admissionregistration/webhook_url.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

// The path of ValidateWebhookService.
void CheckServicePath(std::string_view text, const FieldPath& path, FieldErrorList* errors) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors->Invalid(path, text, "segment[0] may not be empty");
  if (!text.starts_with('/')) errors->Invalid(path, text, "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (int i = 0;; ++i) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view step = rest.substr(0, slash);
    if (step.empty()) {
      errors->Invalid(path, text, fmt::format("segment[{}] may not be empty", i));
    } else {
      for (const std::string& problem : Dns1123Subdomain(step))
        errors->Invalid(path, text, fmt::format("segment[{}]: {}", i, problem));
    }
    if (slash == rest.size()) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

void ValidateWebhookUrl(std::string_view text, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const WebhookUrl url(text);
  if (!url.problem.empty()) {
    errors->Required(path, fmt::format("url must be a valid URL: {}{}", url.problem, kForm));
    return;
  }
  if (url.scheme != "https")
    errors->Invalid(path, url.scheme,
                    fmt::format("'https' is the only allowed URL scheme{}", kForm));
  if (url.host.empty())
    errors->Invalid(path, url.host, fmt::format("host must be specified{}", kForm));
  if (!url.user.empty())
    errors->Invalid(path, url.user, "user information is not permitted in the URL");
  if (!url.fragment.empty())
    errors->Invalid(path, url.fragment, "fragments are not permitted in the URL");
  if (!url.query.empty())
    errors->Invalid(path, url.query, "query parameters are not permitted in the URL");
}

void ValidateWebhookService(const Value& service, const FieldPath& path, FieldErrorList* errors) {
  for (const char* field : {"name", "namespace"}) {
    if (!service.Get(field).AsString().empty()) continue;
    errors->Required(path.Child(field), errors->profile().webhook_services_unworded
                                            ? std::string()
                                            : fmt::format("service {} is required", field));
  }
  const std::int64_t port = service.Get("port").AsInt();
  std::string problems;
  for (const std::string& problem : PortNumber(port))
    problems.append(problems.empty() ? "" : ", ").append(problem);
  if (!problems.empty())
    errors->Invalid(path.Child("port"), port, "port is not valid: " + problems);
  if (!service.Get("path").is_null())
    CheckServicePath(service.Get("path").AsString(), path.Child("path"), errors);
}

}  // namespace ksim::api
