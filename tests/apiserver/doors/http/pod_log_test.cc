#include "ksim/apiserver/doors/http/pod_log.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::apiserver::http {
namespace {

value::Value Json(std::string_view text) { return value::ParseJson(text).value(); }

// Three lines a second apart, of the run that began at 0 s.
class ThreeLines final : public NodeLogs {
 public:
  std::vector<LogLine> Lines(const api::Object&, std::string_view container,
                             const LogRun& run) const override {
    if (container != "c" || run.started != VirtualTime()) return {};
    return {LogLine(VirtualTime(0), "one"), LogLine(VirtualTime(1'000'000'000), "two"),
            LogLine(VirtualTime(2'000'000'005), "three")};
  }
  bool Follow(const api::Object&, std::string_view, const LogRun&,
              std::weak_ptr<Follower>) override {
    return false;
  }
};

constexpr const char* kRunning = R"({"containerStatuses":[{"name":"c","state":{"running":)"
                                 R"({"startedAt":"2025-01-01T00:00:00Z"}}}]})";

// The code and the text of the log of a pod with this status; `<` ends the line.
std::string LogOf(const std::string& query, const std::string& status,
                  api::Compat compat = api::Compat::k1_36) {
  const value::Value tree =
      Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},)"
           R"("spec":{"nodeName":"n","initContainers":[{"name":"i"}],"containers":[{"name":"c"}]},)"
           R"("status":)" +
           status + "}");
  PodLogQuery options;
  api::Status problem = ReadPodLogOptions(ParseTarget("/log?" + query)->query, &options);
  if (problem.ok()) problem = CheckPodLogQuery(options, "p", compat);
  if (!problem.ok()) return std::to_string(problem.code) + " " + problem.message.str();
  const ThreeLines lines;
  const VirtualTime now(3'000'000'000);
  PodLogAnswer answer = AnswerPodLog(options, api::Object::FromTree(tree, 1), &lines, now);
  if (!answer.run)
    return std::to_string(answer.response.code) + " " +
           std::string(Json(answer.response.body).Get("message").AsString());
  return std::to_string(answer.response.code) + " " + WriteLog(answer.lines, answer.reading);
}

// API-282
TEST(PodLog, WaitsForTheContainerToStart) {
  EXPECT_EQ(LogOf("", "{}"), R"(400 container "c" in pod "p" is not available)");
  const auto waiting = [](const std::string& reason) {
    return R"({"containerStatuses":[{"name":"c","state":{"waiting":{"reason":")" + reason +
           R"("}}}]})";
  };
  const std::string starts = R"(400 container "c" in pod "p" is waiting to start: )";
  EXPECT_EQ(LogOf("", waiting("ContainerCreating")), starts + "ContainerCreating");
  EXPECT_EQ(LogOf("", waiting("ImagePullBackOff")), starts + "trying and failing to pull image");
  EXPECT_EQ(LogOf("", waiting("ErrImagePull")), starts + "image can't be pulled");
  EXPECT_EQ(LogOf("previous=true", kRunning),
            R"(400 previous terminated container "c" in pod "p" not found)");
}

// API-282
TEST(PodLog, HasTheLinesThatAreAskedFor) {
  EXPECT_EQ(LogOf("", kRunning), "200 one\ntwo\nthree\n");
  EXPECT_EQ(LogOf("container=c&tailLines=1", kRunning), "200 three\n");
  EXPECT_EQ(LogOf("tailLines=0", kRunning), "200 ");
  EXPECT_EQ(LogOf("sinceSeconds=1", kRunning), "200 three\n");
  EXPECT_EQ(LogOf("sinceTime=2025-01-01T00:00:01Z", kRunning), "200 two\nthree\n");
  EXPECT_EQ(LogOf("sinceTime=null", kRunning), "200 one\ntwo\nthree\n");
  EXPECT_EQ(LogOf("limitBytes=5", kRunning), "200 one\nt");
  EXPECT_EQ(LogOf("timestamps&tailLines=1", kRunning),
            "200 2025-01-01T00:00:02.000000005Z three\n");
}

// API-282
TEST(PodLog, OfAContainerThatRanBeforeIsThere) {
  const std::string again =
      R"({"containerStatuses":[{"name":"c","state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
      R"("lastState":{"terminated":{"exitCode":1,"startedAt":"2025-01-01T00:00:00Z",)"
      R"("containerID":"x"}}}]})";
  EXPECT_EQ(LogOf("", again), "200 one\ntwo\nthree\n");
  EXPECT_EQ(LogOf("previous=true", again), "200 one\ntwo\nthree\n");
}

// API-282
TEST(PodLog, RefusesWhatCannotBe) {
  const std::string invalid = "422 PodLogOptions \"p\" is invalid: ";
  const struct {
    std::string query, text;
  } rows[] = {
      {"tailLines=-1",
       invalid + "tailLines: Invalid value: -1: must be greater than or equal to 0"},
      {"limitBytes=0", invalid + "limitBytes: Invalid value: 0: must be greater than 0"},
      {"sinceSeconds=0", invalid + "sinceSeconds: Invalid value: 0: must be greater than 0"},
      {"sinceSeconds=1&sinceTime=2025-01-01T00:00:01Z",
       invalid + "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"},
      {"tailLines=-1&limitBytes=0",
       invalid + "[tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: "
                 "Invalid value: 0: must be greater than 0]"},
      {"tailLines=x", "400 strconv.ParseInt: parsing \"x\": invalid syntax"},
      {"sinceTime=x",
       "400 parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""},
      {"container=x", "400 container x is not valid for pod p"},
  };
  for (const auto& row : rows) EXPECT_EQ(LogOf(row.query, kRunning), row.text);
  EXPECT_EQ(LogOf("stream=Stdout", kRunning), invalid + "stream: Forbidden: may not be specified");
  EXPECT_EQ(LogOf("stream=Stdout&tailLines=1", kRunning, api::Compat::k1_30), "200 three\n");
}

}  // namespace
}  // namespace ksim::apiserver::http
