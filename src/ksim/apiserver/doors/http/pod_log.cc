#include "ksim/apiserver/doors/http/pod_log.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

HttpResponse Refused(std::string message) {
  return StatusResponse(api::BadRequest(message), nullptr);
}

std::vector<std::string> NamesIn(const Value& containers) {
  std::vector<std::string> names;
  for (const Value& c : containers.items()) names.emplace_back(c.Get("name").AsString());
  return names;
}

// validateContainer: the container that is asked for, or the only one; else what is wrong.
std::string ContainerOf(const Value& pod, std::string_view name, std::string* problem) {
  const Value& spec = pod.Get("spec");
  const std::string_view pod_name = pod.Get("metadata").Get("name").AsString();
  const std::vector<std::string> names = NamesIn(spec.Get("containers"));
  const std::vector<std::string> init = NamesIn(spec.Get("initContainers"));
  const std::vector<std::string> ephemeral = NamesIn(spec.Get("ephemeralContainers"));
  if (name.empty()) {
    if (names.size() == 1) return names.front();
    *problem = fmt::format("a container name must be specified for pod {}", pod_name);
    if (names.empty()) return "";
    *problem += fmt::format(", choose one of: [{}]", fmt::join(names, " "));
    if (!init.empty())
      *problem += fmt::format(" or one of the init containers: [{}]", fmt::join(init, " "));
    return "";
  }
  for (const std::vector<std::string>& list : {names, init, ephemeral}) {
    for (const std::string& known : list) {
      if (known == name) return known;
    }
  }
  *problem = fmt::format("container {} is not valid for pod {}", name, pod_name);
  return "";
}

}  // namespace

bool IsPodLog(const RequestInfo& info) {
  return info.api_prefix == "api" && info.resource == "pods" && info.subresource == "log" &&
         info.verb == "get" && !info.name.empty();
}

api::Status CheckPodLogQuery(const PodLogQuery& query, std::string_view pod, api::Compat compat) {
  api::FieldErrorList errors(compat);
  if (query.tail_lines)
    errors.NonNegative(api::FieldPath("tailLines"), Value::Of(*query.tail_lines));
  if (query.limit_bytes && *query.limit_bytes < 1)
    errors.Invalid(api::FieldPath("limitBytes"), *query.limit_bytes, "must be greater than 0");
  if (query.since_seconds && query.since_time) {
    errors.Forbidden(api::FieldPath(""),
                     "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (query.since_seconds && *query.since_seconds < 1) {
    errors.Invalid(api::FieldPath("sinceSeconds"), *query.since_seconds, "must be greater than 0");
  }
  if (!query.stream.empty() && apiserver::ProfileOf(compat).pod_log_has_stream)
    errors.Forbidden(api::FieldPath("stream"), "may not be specified");
  if (errors.empty()) return {};
  return api::Invalid("", "PodLogOptions", pod, errors.Take());
}

PodLogAnswer AnswerPodLog(const PodLogQuery& query, const api::Object& pod, const NodeLogs* logs,
                          VirtualTime now) {
  PodLogAnswer answer;
  std::string problem;
  answer.container = ContainerOf(pod.ToTree(), query.container.view(), &problem);
  if (!problem.empty()) {
    answer.response = Refused(std::move(problem));
    return answer;
  }
  answer.response.headers.Add("Cache-Control", "no-cache, private");
  if (pod.spec().Get("nodeName").AsString().empty()) {
    answer.response.code = 204;
    return answer;
  }
  answer.run = FindLogRun(pod, answer.container, query.previous, &problem);
  if (!answer.run) {
    answer.response = Refused(std::move(problem));
    return answer;
  }
  answer.response.headers.Add("Content-Type", "text/plain");
  answer.reading.timestamps = query.timestamps;
  answer.reading.since = query.since_time;
  if (query.since_seconds) answer.reading.since = now - Seconds(*query.since_seconds);
  answer.reading.tail = query.tail_lines;
  answer.reading.limit = query.limit_bytes;
  if (logs != nullptr) answer.lines = logs->Lines(pod, answer.container, *answer.run);
  return answer;
}

}  // namespace ksim::apiserver::http
