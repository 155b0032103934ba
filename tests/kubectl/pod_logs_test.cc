// PodLogs prints as `kubectl logs` does: logs.go, logsforobject.go, kubelet_pods.go.
#include "ksim/kubectl/logs/pod_logs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Tells which run was asked for, and when.
class Runs final : public ContainerLogs {
 public:
  std::vector<LogLine> Of(const api::Object& pod, std::string_view container, VirtualTime started,
                          bool ended) const override {
    std::vector<LogLine> out(3);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].time = VirtualTime(started.ns() + static_cast<std::int64_t>(i) * kSecond);
      out[i].text = std::string(pod.name()) + "/" + std::string(container) + " " +
                    std::to_string(started.ns() / kSecond) + (ended ? " ended " : " ") +
                    std::to_string(i);
    }
    return out;
  }
};

api::Object Pod(const std::string& spec, const std::string& statuses,
                const std::string& annotations = "{}") {
  return api::Object::FromTree(*value::ParseJson(
      R"({"kind": "Pod", "metadata": {"name": "p", "namespace": "default", "annotations": )" +
      annotations + R"(}, "spec": {"nodeName": "n", )" + spec + R"(}, "status": )" + statuses +
      "}"));
}

const std::string kOne = R"("containers": [{"name": "c"}])";
const std::string kTwo = R"("containers": [{"name": "c"}, {"name": "d"}])";

std::string Status(const std::string& state, const std::string& last = "{}") {
  return R"({"containerStatuses": [{"name": "c", "state": )" + state + R"(, "lastState": )" + last +
         R"(}, {"name": "d", "state": )" + state + "}]}";
}

std::string Ended(const std::string& second, const std::string& id = "containerd://1") {
  return R"({"terminated": {"containerID": ")" + id + R"(", "startedAt": "2025-01-01T00:00:)" +
         second + R"(Z"}})";
}

const std::string kRunning = R"({"running": {"startedAt": "2025-01-01T00:00:05Z"}})";

LogOutput Print(const api::Object& pod, const LogOptions& options = {}) {
  return PrintLogs({pod}, options, Runs());
}

// KUBELET-171
TEST(PodLogs, ArePrintedOfTheRunThatTheStatusNames) {
  EXPECT_EQ(Print(Pod(kOne, Status(kRunning))).out, "p/c 5 0\np/c 5 1\np/c 5 2\n");
  EXPECT_EQ(Print(Pod(kOne, Status(Ended("03")))).out, "p/c 3 0\np/c 3 1\np/c 3 2\n");
  LogOptions previous;
  previous.previous = true;
  EXPECT_EQ(Print(Pod(kOne, Status(kRunning, Ended("01"))), previous).out,
            "p/c 1 ended 0\np/c 1 ended 1\np/c 1 ended 2\n");
  // In a crash loop both are the run that ended last.
  const api::Object waits =
      Pod(kOne, Status(R"({"waiting": {"reason": "CrashLoopBackOff"}})", Ended("02")));
  EXPECT_EQ(Print(waits).out, "p/c 2 0\np/c 2 1\np/c 2 2\n");
  EXPECT_EQ(Print(waits, previous).out, Print(waits).out);
}

TEST(PodLogs, RefusalsAreTheKubelets) {
  LogOptions previous;
  previous.previous = true;
  const std::string refused = "Error from server (BadRequest): ";
  EXPECT_EQ(Print(Pod(kOne, Status(kRunning)), previous).error,
            refused + "previous terminated container \"c\" in pod \"p\" not found");
  EXPECT_EQ(Print(Pod(kOne, "{}")).error,
            refused + "container \"c\" in pod \"p\" is not available");
  EXPECT_EQ(Print(Pod(kOne, Status(Ended("03", "")))).error,
            refused + "container \"c\" in pod \"p\" is terminated");
  for (const auto& [reason, text] : std::vector<std::pair<std::string, std::string>>{
           {"ContainerCreating", "ContainerCreating"},
           {"PodInitializing", "PodInitializing"},
           {"ErrImagePull", "image can't be pulled"},
           {"ImagePullBackOff", "trying and failing to pull image"}})
    EXPECT_EQ(
        Print(Pod(kOne, Status(fmt::format(R"({{"waiting": {{"reason": "{}"}}}})", reason)))).error,
        fmt::format("{}container \"c\" in pod \"p\" is waiting to start: {}", refused, text));
  EXPECT_EQ(Print(Pod(kOne, Status("{}"))).error,
            refused + "container \"c\" in pod \"p\" is waiting to start - no logs yet");
  // A pod that is not placed has nothing to say.
  const api::Object placed_nowhere = api::Object::FromTree(
      *value::ParseJson(R"({"kind": "Pod", "metadata": {"name": "p"}, "spec": {)" + kOne + "}}"));
  EXPECT_EQ(Print(placed_nowhere).error + Print(placed_nowhere).out, "");
}

TEST(PodLogs, AContainerIsChosenAndTold) {
  const std::string all =
      kTwo + R"(, "initContainers": [{"name": "i"}], "ephemeralContainers": [{"name": "e"}])";
  const LogOutput first = Print(Pod(all, Status(kRunning)));
  EXPECT_EQ(first.notes, "Defaulted container \"c\" out of: c, d, e (ephem), i (init)\n");
  EXPECT_TRUE(first.out.starts_with("p/c 5 0\n"));
  EXPECT_EQ(Print(Pod(kOne, Status(kRunning))).notes, "");
  const LogOutput preset =
      Print(Pod(all, Status(kRunning), R"({"kubectl.kubernetes.io/default-container": "d"})"));
  EXPECT_EQ(preset.notes, "");
  EXPECT_TRUE(preset.out.starts_with("p/d 5 0\n"));
  EXPECT_EQ(
      Print(Pod(kOne, Status(kRunning), R"({"kubectl.kubernetes.io/default-container": "x"})"))
          .notes,
      "Default container name \"x\" not found in pod p\n");
  LogOptions named;
  named.container = "x";
  EXPECT_EQ(Print(Pod(all, Status(kRunning)), named).error,
            "error: container x is not valid for pod p out of: c, d, e (ephem), i (init)");
}

TEST(PodLogs, AllContainersStopAtTheFirstThatHasNone) {
  LogOptions all;
  all.all_containers = all.prefix = true;
  all.tail = 1;
  EXPECT_EQ(Print(Pod(kTwo, Status(kRunning)), all).out, "[pod/p/c] p/c 5 2\n[pod/p/d] p/d 5 2\n");
  const api::Object half = Pod(kTwo + R"(, "initContainers": [{"name": "i"}])", Status(kRunning));
  EXPECT_EQ(Print(half, all).error,
            "Error from server (BadRequest): container \"i\" in pod \"p\" is not available");
  all.ignore_errors = true;
  EXPECT_EQ(Print(half, all).out,
            "error: container \"i\" in pod \"p\" is not available\n"
            "[pod/p/c] p/c 5 2\n[pod/p/d] p/d 5 2\n");
}

// KUBELET-172
TEST(PodLogs, LinesAreThoseOfTheOptions) {
  std::vector<LogLine> lines(3);
  for (std::size_t i = 0; i < 3; ++i) {
    lines[i].time = VirtualTime(static_cast<std::int64_t>(i) * kSecond + 5);
    lines[i].text = std::string(1, static_cast<char>('a' + i));
  }
  LogOptions options;
  EXPECT_EQ(WriteLines(lines, options), "a\nb\nc\n");
  options.tail = 2;
  EXPECT_EQ(WriteLines(lines, options), "b\nc\n");
  options.since = VirtualTime(2 * kSecond);
  EXPECT_EQ(WriteLines(lines, options), "c\n");
  options.timestamps = true;
  EXPECT_EQ(WriteLines(lines, options), "2025-01-01T00:00:02.000000005Z c\n");
  options.limit = 4;
  EXPECT_EQ(WriteLines(lines, options), "2025");
  options.tail = 0;
  EXPECT_EQ(WriteLines(lines, options), "");
}

TEST(PodLogs, ThePodThatSaysMostIsTheFirst) {
  const auto pod = [](const std::string& name, const std::string& node, const std::string& status) {
    return api::Object::FromTree(*value::ParseJson(R"({"kind": "Pod", "metadata": {"name": ")" +
                                                   name + R"("}, "spec": {"nodeName": ")" + node +
                                                   R"("}, "status": )" + status + "}"));
  };
  const std::string ready =
      R"({"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
          "lastTransitionTime": "2025-01-01T00:00:0)";
  std::vector<api::Object> pods{
      pod("unplaced", "", R"({"phase": "Pending"})"),
      pod("pending", "n", R"({"phase": "Pending"})"),
      pod("restarted", "n", R"({"phase": "Running", "containerStatuses": [{"restartCount": 2}]})"),
      pod("runs", "n", R"({"phase": "Running"})"),
      pod("young", "n", ready + "9Z\"}]}"),
      pod("old", "n", ready + "2Z\"}]}")};
  SortByLogging(&pods);
  std::vector<std::string> names;
  for (const api::Object& p : pods) names.emplace_back(p.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"old", "young", "restarted", "runs", "pending", "unplaced"}));
}

}  // namespace
}  // namespace ksim::kubectl
