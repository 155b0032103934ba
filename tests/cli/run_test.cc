#include <gtest/gtest.h>

#include <set>

#include "ksim/base/os.h"
#include "ksim/trace/trace.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

value::Value Json(const std::string& text) {
  const absl::StatusOr<value::Value> v = value::ParseJson(text);
  return v.ok() ? *v : value::Value();
}

// Names of the running pods in a result.
std::set<std::string> RunningPods(const value::Value& result) {
  std::set<std::string> out;
  for (const value::Value& o : result.Get("objects").items())
    if (o.Get("kind").AsString() == "Pod" && o.Get("status").Get("phase").AsString() == "Running")
      out.emplace(o.Get("metadata").Get("name").AsString());
  return out;
}

TEST(Run, ReplicaSetScenarioEndsWithTwoRunningPods) {
  const CliResult r = RunCli({"run", "scenarios/replicaset.yaml", "-o", "json"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  const value::Value result = Json(r.out);
  EXPECT_EQ(result.Get("result").AsString(), "ok");
  EXPECT_EQ(RunningPods(result).size(), 2u);
}

TEST(Run, ScaleUpAndDownEndsWithOnePod) {
  const CliResult r = RunCli({"run", "scenarios/scale.yaml", "-o", "json"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(RunningPods(Json(r.out)).size(), 1u);
}

TEST(Run, TellsWhatAnotherVersionDoesOtherwise) {
  const std::vector<std::string> args{
      "run", "scenarios/deployment.yaml", "--compat", "1.30", "--against", "1.36"};
  const CliResult r = RunCli(args);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("Kubernetes 1.30 against 1.36"), std::string::npos);
  EXPECT_NE(r.out.find("! deployments/default/web\n    status.terminatingReplicas: (nothing) -> 0"),
            std::string::npos)
      << r.out;
  EXPECT_EQ(r.out.find("kubeletVersion"), std::string::npos) << "it is no difference";
  std::vector<std::string> json = args;
  json.insert(json.end(), {"-o", "json"});
  const value::Value tree = Json(RunCli(json).out);
  EXPECT_EQ(tree.Get("kind").AsString(), "VersionDiff");
  EXPECT_EQ((tree.Get("runs").items().end() - 1)->Get("compat").AsString(), "1.36");
}

TEST(Run, AnotherVersionThatIsTheSameOrUnknownIsWrongUsage) {
  const CliResult same = RunCli({"run", "scenarios/replicaset.yaml", "--against", "1.30"});
  EXPECT_EQ(same.code, 2);
  EXPECT_EQ(same.err,
            "error: replicaset runs in 1.30 already\nhint: --compat VERSION names the other\n");
  EXPECT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "--against", "2"}).code, 2);
  const CliResult trace =
      RunCli({"run", "scenarios/replicaset.yaml", "--against", "1.36", "--trace", "-"});
  EXPECT_EQ(trace.code, 2);
  EXPECT_EQ(trace.out, "");
  for (const std::vector<std::string>& flag :
       {std::vector<std::string>{"-o", "name"}, {"--strict"}, {"--log", "kubectl"}}) {
    std::vector<std::string> args{"run", "scenarios/replicaset.yaml", "--against", "1.36"};
    args.insert(args.end(), flag.begin(), flag.end());
    EXPECT_EQ(RunCli(args).code, 2) << flag[0];
  }
}

TEST(Run, ADeletedPodIsReplaced) {
  const CliResult before = RunCli({"run", "scenarios/replicaset.yaml", "-o", "json"});
  const CliResult after = RunCli({"run", "scenarios/delete-pod.yaml", "-o", "json"});
  EXPECT_EQ(after.code, 0) << after.err;
  const std::set<std::string> pods = RunningPods(Json(after.out));
  EXPECT_EQ(pods.size(), 2u);
  EXPECT_NE(pods, RunningPods(Json(before.out)));
}

TEST(Run, WritesTheAuditLogOfTheApiServers) {
  const std::string path = testing::TempDir() + "audit.log";
  const std::vector<std::string> plain{"run", "scenarios/replicaset.yaml", "-o", "json"};
  const CliResult without = RunCli(plain);
  const CliResult with = RunCli({"run", "scenarios/replicaset.yaml", "-o", "json", "--audit-log",
                                 path, "--audit-level", "Request"});
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(with.out, without.out) << "a record changes nothing";
  const absl::StatusOr<std::string> log = os::ReadFile(path);
  ASSERT_TRUE(log.ok());
  int binding = 0;
  std::size_t begin = 0;
  for (std::size_t end; (end = log->find('\n', begin)) != std::string::npos; begin = end + 1) {
    const value::Value event = Json(log->substr(begin, end - begin));
    ASSERT_EQ(event.Get("apiVersion").AsString(), "audit.k8s.io/v1");
    ASSERT_EQ(event.Get("level").AsString(), "Request");
    const bool bound = event.Get("objectRef").Get("subresource").AsString() == "binding" &&
                       event.Get("stage").AsString() == "ResponseComplete";
    if (!bound) continue;
    ++binding;
    EXPECT_EQ(event.Get("user").Get("username").AsString(), "system:kube-scheduler");
    EXPECT_EQ(event.Get("requestObject").Get("kind").AsString(), "Binding");
    EXPECT_EQ(event.Get("responseStatus").Get("code").AsInt(), 201);
  }
  EXPECT_EQ(binding, 2);
  EXPECT_EQ(
      RunCli({"run", "scenarios/replicaset.yaml", "scenarios/scale.yaml", "--audit-log", path})
          .code,
      2);
}

// The causal order of spec section 15 for many seeds: the ReplicaSet is created, then each pod is
// created, bound and running.
TEST(Run, EverySeedEndsWellAndInCausalOrder) {
  for (int seed = 1; seed <= 25; ++seed) {
    const std::string path = testing::TempDir() + "seed.jsonl";
    const CliResult r = RunCli({"run", "scenarios/replicaset.yaml", "-q", "--seed",
                                std::to_string(seed), "--trace", path});
    ASSERT_EQ(r.code, 0) << "seed " << seed << r.err;
    const absl::StatusOr<trace::Trace> trace = trace::ReadTrace(path);
    ASSERT_TRUE(trace.ok());
    std::map<std::string, int> stage;  // of each pod: 1 created, 2 bound, 3 running
    bool set_created = false;
    for (const trace::Record& e : trace->events) {
      if (e.kind != sim::EventKind::kCommit) continue;
      if (e.Text("resource") == "replicasets" && e.Text("op") == "create") set_created = true;
      if (e.Text("resource") != "pods") continue;
      int& at = stage[std::string(e.Text("name"))];
      const std::string changed = value::ToJson(e.Get("changed"));
      if (e.Text("op") == "create") {
        EXPECT_TRUE(set_created);
        at = 1;
      } else if (changed.find("\"spec.nodeName\"") != std::string::npos) {
        EXPECT_EQ(at, 1);
        at = 2;
      } else if (changed.find("\"Running\"") != std::string::npos) {
        EXPECT_EQ(at, 2);
        at = 3;
      }
    }
    ASSERT_EQ(stage.size(), 2u);
    for (const auto& [pod, at] : stage) EXPECT_EQ(at, 3) << pod;
  }
}

TEST(Run, TheStoryHasTheTwelveStepsAndTheTable) {
  const CliResult r = RunCli({"run", "scenarios/replicaset.yaml"});
  EXPECT_EQ(r.code, 0);
  std::size_t at = 0;
  for (int step = 1; step <= 12; ++step) {
    const std::size_t heading =
        r.out.find((step < 10 ? "\n " : "\n") + std::to_string(step) + ". ");
    EXPECT_NE(heading, std::string::npos) << "step " << step;
    EXPECT_GT(heading, at) << "step " << step;
    at = heading;
  }
  EXPECT_NE(r.out.find("replicaset.apps/my-replicaset   2         2         2"), std::string::npos);
  EXPECT_NE(r.out.find("\nok: "), std::string::npos);
  EXPECT_EQ(r.out.find('\x1b'), std::string::npos);
}

TEST(Run, PlainManifestsRunOnADefaultCluster) {
  const std::string path = testing::TempDir() + "pod.yaml";
  ASSERT_TRUE(os::WriteFile(path,
                            "apiVersion: v1\nkind: Pod\nmetadata: {name: solo}\n"
                            "spec: {containers: [{name: c, image: nginx}]}\n")
                  .ok());
  const CliResult r = RunCli({"run", path, "-o", "name"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "pod/solo\n");
}

TEST(Run, UnmetExpectationsAndFailedStepsAreCodeOne) {
  const std::string path = testing::TempDir() + "unmet.yaml";
  ASSERT_TRUE(os::WriteFile(path,
                            "apiVersion: ksim.dev/v1\nkind: Scenario\nspec:\n"
                            "  expect: [{eventually: {resource: pods, count: 1}}]\n")
                  .ok());
  CliResult r = RunCli({"run", path});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.err, "violation: expect: eventually 1 pods: there are 0\n");
  ASSERT_TRUE(os::WriteFile(path,
                            "apiVersion: ksim.dev/v1\nkind: Scenario\nspec:\n"
                            "  steps: [{at: 0s, scale: {resource: rs/no, replicas: 2}}]\n")
                  .ok());
  r = RunCli({"run", path});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.err,
            "error: step 1: Error from server (NotFound): replicasets.apps \"no\" not found\n");
}

TEST(Run, WhatNeverComesIsNotOkWhenStrict) {
  const std::string path = testing::TempDir() + "strict.yaml";
  ASSERT_TRUE(os::WriteFile(path,
                            "apiVersion: ksim.dev/v1\nkind: Scenario\nspec:\n  faults:\n"
                            "  - {when: {event: commit, resource: pods, count: 9}, "
                            "dropWatch: {client: kube-scheduler, resource: pods}}\n")
                  .ok());
  const std::string trace = testing::TempDir() + "strict.jsonl";
  const struct {
    std::vector<std::string> flags;
    int code;
    std::string result;
  } cases[] = {{{}, 0, "ok"}, {{"--strict", "--trace", trace}, 1, "neverCame"}};
  for (const auto& c : cases) {
    std::vector<std::string> args{"run", path, "-o", "json"};
    args.insert(args.end(), c.flags.begin(), c.flags.end());
    const CliResult r = RunCli(args);
    EXPECT_EQ(r.code, c.code) << r.err;
    EXPECT_EQ(Json(r.out).Get("result").AsString(), c.result);
    EXPECT_EQ(Json(r.out).Get("exitCode").AsInt(), c.code);
  }
  EXPECT_TRUE(RunCli({"run", path, "-q", "--strict"}).out.starts_with("neverCame: "));
  EXPECT_EQ(RunCli({"replay", trace}).code, 0) << "the run was the same";
}

const char* const kScalerManifest =
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: j}\nspec: "
    "{maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: w}}\n";

TEST(Run, WhatIsNotSimulatedIsToldAndAnErrorWhenStrict) {
  const std::string path = testing::TempDir() + "job.yaml";
  ASSERT_TRUE(os::WriteFile(path, kScalerManifest).ok());
  const std::string said =
      " no metrics in this run (spec.cluster.metrics has none): a HorizontalPodAutoscaler keeps to "
      "its bounds, and scales by no load\n";
  const struct {
    const char* command;
    bool strict;
    int code;
  } cases[] = {{"run", false, 0}, {"run", true, 1}, {"validate", false, 0}, {"validate", true, 1}};
  for (const auto& c : cases) {
    std::vector<std::string> args{c.command, path, "-q"};
    if (c.strict) args.emplace_back("--strict");
    const CliResult text = RunCli(args);
    EXPECT_EQ(text.code, c.code) << c.command;
    EXPECT_EQ(text.err, path + ":2:1: " + (c.strict ? "error:" : "warning:") + said) << c.command;
    args.insert(args.end(), {"-o", "json"});
    const CliResult json = RunCli(args);
    EXPECT_EQ(json.code, c.code) << c.command;
    const value::Value list = Json(json.out).Get("notSimulated");
    ASSERT_EQ(list.size(), 1u) << c.command << json.out;
    EXPECT_EQ(value::ToJson(list.at(0)),
              "{\"column\":1,\"controller\":\"\",\"file\":\"" + path +
                  "\",\"line\":2,\"message\":\"no metrics in this run (spec.cluster.metrics has "
                  "none): a HorizontalPodAutoscaler keeps to its bounds, and scales by no load\","
                  "\"subject\":\"HorizontalPodAutoscaler\"}");
  }
  const CliResult strict = RunCli({"run", path, "--strict", "-o", "json"});
  EXPECT_EQ(Json(strict.out).Get("result").AsString(), "notSimulated");
  EXPECT_EQ(Json(strict.out).Get("exitCode").AsInt(), 1);
}

TEST(Run, EachScenarioOfSeveralHasItsOwnListOfWhatIsNotSimulated) {
  const std::string job = testing::TempDir() + "job-scenario.yaml";
  ASSERT_TRUE(os::WriteFile(job, std::string("apiVersion: ksim.dev/v1\nkind: Scenario\n---\n") +
                                     kScalerManifest)
                  .ok());
  for (const char* jobs : {"1", "2"}) {
    const CliResult r =
        RunCli({"run", job, "scenarios/replicaset.yaml", "--strict", "-o", "json", "--jobs", jobs});
    EXPECT_EQ(r.code, 1);
    const value::Value items = Json(r.out).Get("items");
    ASSERT_EQ(items.size(), 2u);
    EXPECT_EQ(items.at(0).Get("notSimulated").size(), 1u);
    EXPECT_EQ(items.at(0).Get("result").AsString(), "notSimulated");
    EXPECT_EQ(items.at(1).Get("notSimulated").size(), 0u);
    EXPECT_EQ(items.at(1).Get("result").AsString(), "ok");
  }
}

TEST(Run, AReportForJUnitHasWhatIsNotSimulated) {
  const std::string path = testing::TempDir() + "job-junit.yaml";
  const std::string report = testing::TempDir() + "job-junit.xml";
  ASSERT_TRUE(os::WriteFile(path, kScalerManifest).ok());
  RunCli({"run", path, "-q", "--strict", "--junit", report});
  EXPECT_NE(os::ReadFile(report).value_or("").find("error: no metrics in this run"),
            std::string::npos);
}

TEST(Run, PassingALimitIsCodeThree) {
  const CliResult r = RunCli({"run", "scenarios/replicaset.yaml", "-q", "--set", "limit.time=2s"});
  EXPECT_EQ(r.code, 1) << "the expectation is unmet as well, and worse";
  const CliResult only = RunCli(
      {"run", "scenarios/replicaset.yaml", "-q", "--set", "limit.time=2s", "--set", "expect=[]"});
  EXPECT_EQ(only.code, 3);
  EXPECT_TRUE(
      only.err.starts_with("violation: limit: not quiet when limit.time had passed; busy with: "));
  // The message names each of the other busy actors once.
  const std::size_t also = only.err.find("\n  also busy: ");
  ASSERT_NE(also, std::string::npos) << only.err;
  EXPECT_EQ(only.err.find(only.err.substr(also + 15, 40)), also + 15) << only.err;
}

TEST(Run, VerbosityShowsRequestsAsKubectlDoes) {
  const CliResult r = RunCli({"run", "scenarios/replicaset.yaml", "-q", "-v", "10"});
  EXPECT_NE(r.err.find("kubectl] curl -v -XPOST "), std::string::npos);
  EXPECT_NE(r.err.find("kubectl] Request Body: {\"apiVersion\":\"apps/v1\""), std::string::npos);
  EXPECT_NE(r.err.find("201 Created"), std::string::npos);
  EXPECT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "-v", "6"}).err.find("curl"),
            std::string::npos);
}

TEST(Run, SameBytesTwice) {
  const CliResult a = RunCli({"run", "scenarios/scale.yaml", "--trace", "-"});
  const CliResult b = RunCli({"run", "scenarios/scale.yaml", "--trace", "-"});
  EXPECT_EQ(a.out, b.out);
  EXPECT_GT(a.out.size(), 100000u);
}

}  // namespace
}  // namespace ksim::cli
