// PodLog: the answer of pods/log. The API server looks at the options and the pod, its kubelet at
// the container's status, and the node's files have the lines. A log that is followed goes on until
// its run is over.
//
// Sources: pkg/registry/core/pod/rest/log.go, pkg/registry/core/pod/strategy.go (LogLocation,
// validateContainer), pkg/apis/core/validation/validation.go (ValidatePodLogOptions),
// pkg/kubelet/server/server.go (getContainerLogs).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/apiserver/core/container_log.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/options.h"
#include "ksim/apiserver/doors/http/request_info.h"

namespace ksim::apiserver::http {

bool IsPodLog(const RequestInfo& info);

// 422 for options that cannot be (ValidatePodLogOptions).
api::Status CheckPodLogQuery(const PodLogQuery& query, std::string_view pod, api::Compat compat);

struct PodLogAnswer {
  PodLogAnswer() = default;
  HttpResponse response;      // without the lines
  std::optional<LogRun> run;  // nullopt: the response is all
  std::string container;
  LogReading reading;
  std::vector<LogLine> lines;
};
// `logs` may be null: then no container has printed anything.
PodLogAnswer AnswerPodLog(const PodLogQuery& query, const api::Object& pod, const NodeLogs* logs,
                          VirtualTime now);

}  // namespace ksim::apiserver::http
