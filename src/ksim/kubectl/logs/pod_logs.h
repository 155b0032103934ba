// PodLogs: what `kubectl logs` prints of pods, given what their containers have written.
//
// Source: kubectl pkg/cmd/logs/logs.go, pkg/polymorphichelpers/logsforobject.go,
// pkg/cmd/util/podcmd/podcmd.go (1.36); apiserver/core/container_log.h has what a kubelet answers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/apiserver/core/container_log.h"
#include "ksim/base/time.h"

namespace ksim::kubectl {

using apiserver::LogLine;

// The files that a node keeps: a log for each run of a container.
class ContainerLogs {
 public:
  virtual ~ContainerLogs() = default;
  // The lines of the run of the container that began in that second; of several such runs the last,
  // or, if `ended`, the last that is over and is not the newest.
  virtual std::vector<LogLine> Of(const api::Object& pod, std::string_view container,
                                  VirtualTime started, bool ended) const = 0;
};

struct LogOptions {
  LogOptions() = default;
  std::string container;  // "": the default one
  bool all_containers = false;
  bool all_pods = false;  // says of no container that it was chosen
  bool previous = false;
  bool timestamps = false;
  bool prefix = false;
  bool ignore_errors = false;
  std::optional<VirtualTime> since;
  std::optional<std::int64_t> tail;   // lines; nothing or -1: all
  std::optional<std::int64_t> limit;  // bytes of each log
};

struct LogOutput {
  LogOutput() = default;
  std::string out, notes;  // stdout, stderr
  std::string error;       // as kubectl words it; "" = done
};

// The lines that the options ask for, each with its newline.
std::string WriteLines(const std::vector<LogLine>& lines, const LogOptions& options);

LogOutput PrintLogs(const std::vector<api::Object>& pods, const LogOptions& options,
                    const ContainerLogs& logs);

// The order in which `kubectl logs deploy/x` takes its pods: the first is the one whose log it
// prints (podutils.ByLogging).
void SortByLogging(std::vector<api::Object>* pods);

}  // namespace ksim::kubectl
