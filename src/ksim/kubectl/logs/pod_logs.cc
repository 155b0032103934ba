#include "ksim/kubectl/logs/pod_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubectl {
namespace {

using value::GoQuote;
using value::Value;

constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";
constexpr std::array<std::string_view, 3> kLists{"initContainers", "containers",
                                                 "ephemeralContainers"};

std::vector<std::string> NamesIn(const api::Object& pod, std::string_view list) {
  std::vector<std::string> out;
  for (const Value& c : pod.spec().Get(list).items()) out.emplace_back(c.Get("name").AsString());
  return out;
}

// AllContainerNames.
std::string AllContainerNames(const api::Object& pod) {
  std::vector<std::string> out = NamesIn(pod, "containers");
  for (const std::string& name : NamesIn(pod, "ephemeralContainers"))
    out.push_back(name + " (ephem)");
  for (const std::string& name : NamesIn(pod, "initContainers")) out.push_back(name + " (init)");
  return fmt::format("{}", fmt::join(out, ", "));
}

bool HasContainer(const api::Object& pod, std::string_view name) {
  return std::any_of(kLists.begin(), kLists.end(), [&](std::string_view list) {
    const std::vector<std::string> names = NamesIn(pod, list);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

// prefixingWriter: before each line.
std::string WithPrefix(std::string_view text, std::string_view prefix) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out += prefix;
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

// Prints one container's log. False: it cannot, and the error stops the command.
bool PrintContainer(const api::Object& pod, const std::string& container, const LogOptions& options,
                    const ContainerLogs& logs, LogOutput* output) {
  // LogLocation: a pod without a node has no log, and that is no error.
  if (pod.spec().Get("nodeName").AsString().empty()) return true;
  std::string error;
  const std::optional<apiserver::LogRun> run =
      apiserver::FindLogRun(pod, container, options.previous, &error);
  if (!run && !options.ignore_errors) {
    // The API server makes a Status of the kubelet's answer.
    output->error = "Error from server (BadRequest): " + error;
    return false;
  }
  if (!run) {
    output->out += fmt::format("error: {}\n", error);
    return true;
  }
  const std::string text = WriteLines(logs.Of(pod, container, run->started, run->ended), options);
  output->out +=
      options.prefix ? WithPrefix(text, fmt::format("[pod/{}/{}] ", pod.name(), container)) : text;
  return true;
}

// The containers whose logs are asked for; an error if the pod has none of that name
// (logsForObjectWithClient).
std::vector<std::string> ContainersOf(const api::Object& pod, const LogOptions& options,
                                      LogOutput* output) {
  std::vector<std::string> out;
  if (options.all_containers) {
    for (const std::string_view list : kLists)
      for (std::string& name : NamesIn(pod, list)) out.push_back(std::move(name));
    return out;
  }
  std::string chosen = options.container;
  const std::string_view preset = pod.Annotation(kDefaultContainer);
  if (chosen.empty() && !preset.empty()) {
    if (HasContainer(pod, preset))
      chosen = std::string(preset);
    else
      output->notes += fmt::format("Default container name {} not found in pod {}\n",
                                   GoQuote(preset), pod.name());
  }
  if (chosen.empty()) {
    const std::vector<std::string> names = NamesIn(pod, "containers");
    if (names.empty()) return out;
    chosen = names.front();
    const bool several = names.size() > 1 || !NamesIn(pod, "initContainers").empty() ||
                         !NamesIn(pod, "ephemeralContainers").empty();
    if (several && !options.all_pods)
      output->notes += fmt::format("Defaulted container {} out of: {}\n", GoQuote(chosen),
                                   AllContainerNames(pod));
  }
  if (!HasContainer(pod, chosen))
    output->error = fmt::format("error: container {} is not valid for pod {} out of: {}", chosen,
                                pod.name(), AllContainerNames(pod));
  out.push_back(std::move(chosen));
  return out;
}

// ByLogging compares these, the smaller first; a pod that was ready longer goes first, one that
// never was goes last.
auto LoggingRank(const api::Object& pod) {
  const std::string_view phase = pod.status().Get("phase").AsString();
  const int by_phase = phase == "Unknown" ? 1 : phase == "Pending" ? 2 : 0;
  bool ready = false;
  std::string since;
  for (const Value& c : pod.status().Get("conditions").items()) {
    if (c.Get("type").AsString() != "Ready" || c.Get("status").AsString() != "True") continue;
    ready = true;
    since = std::string(c.Get("lastTransitionTime").AsString());
  }
  std::int64_t restarts = 0;
  for (const Value& s : pod.status().Get("containerStatuses").items())
    restarts = std::max(restarts, s.Get("restartCount").AsInt());
  return std::tuple(pod.spec().Get("nodeName").AsString().empty(), by_phase, !ready, since,
                    -restarts,
                    std::string(pod.tree().Get("metadata").Get("creationTimestamp").AsString()));
}

}  // namespace

std::string WriteLines(const std::vector<LogLine>& lines, const LogOptions& options) {
  apiserver::LogReading reading;
  reading.timestamps = options.timestamps;
  reading.since = options.since;
  reading.tail = options.tail;
  reading.limit = options.limit;
  return apiserver::WriteLog(lines, reading);
}

LogOutput PrintLogs(const std::vector<api::Object>& pods, const LogOptions& options,
                    const ContainerLogs& logs) {
  LogOutput output;
  // All requests are made before the first is sent.
  std::vector<std::pair<const api::Object*, std::string>> wanted;
  for (const api::Object& pod : pods) {
    for (std::string& container : ContainersOf(pod, options, &output))
      wanted.emplace_back(&pod, std::move(container));
    if (!output.error.empty()) return output;
  }
  for (const auto& [pod, container] : wanted)
    if (!PrintContainer(*pod, container, options, logs, &output)) break;
  return output;
}

void SortByLogging(std::vector<api::Object>* pods) {
  std::stable_sort(pods->begin(), pods->end(), [](const api::Object& a, const api::Object& b) {
    return LoggingRank(a) < LoggingRank(b);
  });
}

}  // namespace ksim::kubectl
