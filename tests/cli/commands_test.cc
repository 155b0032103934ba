// replay, diff, get, describe, events, explain, version and completion.
#include <gtest/gtest.h>

#include "docs/examples/website/website_controller.h"
#include "ksim/base/os.h"
#include "ksim/cluster.h"
#include "ksim/trace/trace.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

// Traces of one run, made once.
class Traces : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "--trace", Jsonl()}).code, 0);
    ASSERT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "--trace", Binary()}).code, 0);
    ASSERT_EQ(
        RunCli({"run", "scenarios/replicaset.yaml", "-q", "--seed", "2", "--trace", Other()}).code,
        0);
  }
  static std::string Jsonl() { return testing::TempDir() + "commands.jsonl"; }
  static std::string Binary() { return testing::TempDir() + "commands.ktrace"; }
  static std::string Other() { return testing::TempDir() + "commands-2.jsonl"; }
  static std::string Read(const std::string& path) {
    const absl::StatusOr<std::string> text = os::ReadFile(path);
    return text.ok() ? *text : "";
  }
  static std::string Write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + name;
    EXPECT_TRUE(os::WriteFile(path, text).ok());
    return path;
  }
};

TEST_F(Traces, BothFormatsHoldTheSame) {
  const absl::StatusOr<trace::Trace> a = trace::ReadTrace(Jsonl());
  const absl::StatusOr<trace::Trace> b = trace::ReadTrace(Binary());
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(trace::FormatTrace(*a, false), trace::FormatTrace(*b, false));
  EXPECT_LT(Read(Binary()).size() * 3, Read(Jsonl()).size());
}

TEST_F(Traces, AGoodTraceReplays) {
  for (const std::string& path : {Jsonl(), Binary()}) {
    const CliResult r = RunCli({"replay", path});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("same as recorded, digest "), std::string::npos);
  }
  EXPECT_EQ(RunCli({"replay", Jsonl(), "--until", "1.43s"}).code, 0);
  EXPECT_EQ(RunCli({"replay", Jsonl(), "--until", "100"}).out.substr(0, 16), "replayed 100 of ");
}

TEST_F(Traces, AnAlteredEventIsCodeFourAndNamed) {
  std::string text = Read(Jsonl());
  const std::size_t at = text.find("\"kind\":\"handler\"");
  const std::size_t type = text.find("\"type\":\"add\"", at);
  text.replace(type, 12, "\"type\":\"update\"");
  const CliResult r = RunCli({"replay", Write("altered.jsonl", text)});
  EXPECT_EQ(r.code, 4);
  EXPECT_NE(r.err.find("replay diverged at event "), std::string::npos);
  EXPECT_NE(r.err.find("handler update"), std::string::npos);
}

TEST_F(Traces, ACutTraceIsCodeSixWithWhatIsMissing) {
  const std::string text = Read(Jsonl());
  const CliResult r = RunCli({"replay", Write("cut.jsonl", text.substr(0, text.size() / 2))});
  EXPECT_EQ(r.code, 6);
  EXPECT_NE(r.err.find("the last line (digest and result) is missing"), std::string::npos);
}

// A changed name or mode in the first line leaves the run as it is, and yet the replay notices it.
TEST_F(Traces, AnAlteredFirstLineIsCodeFour) {
  std::string text = Read(Jsonl());
  const std::size_t name = text.find("\"name\":\"replicaset\"");
  text.replace(name, 19, "\"name\":\"replicasex\"");
  const CliResult r = RunCli({"replay", Write("first-line.jsonl", text)});
  EXPECT_EQ(r.code, 4);
  EXPECT_EQ(r.err, "error: the first line was altered since the trace was written\n");
  text = Read(Jsonl());
  text.replace(text.find("\"mode\":\"run\""), 12, "\"mode\":\"ran\"");
  const CliResult mode = RunCli({"replay", Write("first-line.jsonl", text)});
  EXPECT_EQ(mode.code, 4);
  EXPECT_EQ(mode.err,
            "error: replay diverged in the first line\n  mode: recorded \"ran\", now \"run\"\n");
}

TEST_F(Traces, ATraceWithoutItsLastNewlineIsCutShort) {
  const std::string text = Read(Jsonl());
  const std::string path = Write("newline.jsonl", text.substr(0, text.size() - 1));
  const CliResult r = RunCli({"replay", path});
  EXPECT_EQ(r.code, 6);
  EXPECT_EQ(r.err, path + ": warning: the newline at its end is missing\n");
  EXPECT_EQ(RunCli({"diff", path, Jsonl()}).code, 0) << "all events are there";
}

TEST_F(Traces, AnotherFormatIsToldAndReadAsFarAsItGoes) {
  std::string text = Read(Jsonl());
  const std::size_t version = text.find("\"version\":1");
  text.replace(version, 11, "\"version\":2");
  const std::string path = Write("format.jsonl", text);
  const std::string told = path + ": warning: a trace of format 2, this ksim reads format 1\n";
  EXPECT_EQ(RunCli({"get", path, "pods"}).err, told);
  const CliResult refused = RunCli({"replay", path});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, path +
                             ": error: a trace of format 2, this ksim reads format 1; --force "
                             "compares anyway\n");
  EXPECT_EQ(RunCli({"replay", "--force", path}).code, 0);
}

TEST_F(Traces, AFileThatIsNoTraceIsReportedWithItsPlace) {
  const std::string line = Read(Jsonl()).substr(0, 100);
  const std::string path = Write("no-trace.jsonl", line);
  const CliResult r = RunCli({"replay", path});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.err, path + ":1:95: error: no trace of ksim: string is not closed\n    1 | " + line +
                       "\n      | " + std::string(94, ' ') + "^\n");
}

TEST_F(Traces, ARunWithoutNodesReplays) {
  const std::string path = testing::TempDir() + "no-nodes.jsonl";
  RunCli({"run", "scenarios/replicaset.yaml", "-q", "--set", "cluster.nodes=0", "--trace", path});
  EXPECT_EQ(RunCli({"replay", path}).code, 0);
}

TEST_F(Traces, ATraceOfAnotherVersionNeedsForce) {
  std::string text = Read(Jsonl());
  const std::size_t at = text.find("\"ksimVersion\":\"");
  text.insert(at + 15, "9");
  const std::string path = Write("version.jsonl", text);
  EXPECT_EQ(RunCli({"replay", path}).code, 2);
  EXPECT_EQ(RunCli({"replay", path, "--force"}).code, 0);
  const std::size_t type = text.find("\"type\":\"add\"");
  text.replace(type, 12, "\"type\":\"update\"");
  EXPECT_EQ(RunCli({"replay", Write("version.jsonl", text), "--force"}).code, 1);
}

// The trace of a program that links ksim is not "not deterministic": ksim lacks what it had.
TEST_F(Traces, ATraceOfAProgramNeedsThatProgram) {
  const auto write = [](std::uint64_t seed, bool own, const std::string& path) {
    ClusterOptions options;
    options.seed = seed;
    Cluster cluster(options);
    if (own) cluster.AddController("website-controller", MakeWebsiteController);
    ASSERT_TRUE(cluster.Run().ok());
    ASSERT_TRUE(cluster.WriteTrace(path).ok());
  };
  const std::string path = testing::TempDir() + "own.jsonl";
  const std::string plain = testing::TempDir() + "own-plain.ktrace";
  write(3, true, path);
  write(4, false, plain);
  const std::string hint = "\nhint: ksim cannot run it again; let the program do so with seed ";
  const std::string rest = ", and compare the two traces by `ksim diff`\n";
  for (const char* command : {"replay", "shrink"}) {
    const CliResult r = RunCli({command, path});
    EXPECT_EQ(r.code, 2) << command;
    EXPECT_EQ(r.err, path +
                         ": error: a program made this trace with controllers of its own: "
                         "website-controller" +
                         hint + "3" + rest);
  }
  EXPECT_EQ(RunCli({"replay", plain}).err,
            plain + ": error: a program made this trace" + hint + "4" + rest);
  EXPECT_EQ(RunCli({"get", path, "nodes"}).code, 0);
  EXPECT_EQ(RunCli({"check", path}).code, 0);
  // Made again, it is the same.
  write(3, true, plain);
  EXPECT_EQ(RunCli({"diff", path, plain}).code, 0);
}

TEST_F(Traces, DiffTellsEqualFromDifferent) {
  EXPECT_EQ(RunCli({"diff", Jsonl(), Binary()}).code, 0);
  const CliResult r = RunCli({"diff", Jsonl(), Other()});
  EXPECT_EQ(r.code, 1);
  // The second pod runs on another node: that comes first, and not what differs in the start-up.
  EXPECT_TRUE(
      r.out.starts_with("the runs, from A to B:\n    seed: 1 -> 2\nin the end:\n"
                        "! replicasets/default/my-replicaset>pods#2\n    spec.nodeName: "))
      << r.out;
  const std::size_t first = r.out.find("first difference:\n");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(r.out.find("    spec.nodeName: ", first), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(", as in A\n", first), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("names that were paired:\n"), std::string::npos);
  EXPECT_EQ(RunCli({"diff", Jsonl(), "no-such-file"}).code, 2);
}

TEST_F(Traces, GetShowsAMoment) {
  EXPECT_EQ(RunCli({"get", Jsonl(), "pods", "--at", "1s"}).code, 0) << "none is no error";
  const CliResult end = RunCli({"get", Jsonl(), "rs,pods"});
  EXPECT_EQ(end.code, 0);
  EXPECT_NE(end.out.find("replicaset.apps/my-replicaset   2         2         2"),
            std::string::npos);
  EXPECT_EQ(RunCli({"get", Jsonl(), "rs/my-replicaset", "-o", "name"}).out,
            "replicaset.apps/my-replicaset\n");
  EXPECT_EQ(RunCli({"get", Jsonl(), "rs", "nope"}).code, 5);
  EXPECT_EQ(RunCli({"get", Jsonl(), "podz"}).code, 2);
  EXPECT_EQ(RunCli({"get", Jsonl(), "pods", "--at", "soon"}).code, 2);
}

TEST_F(Traces, GetShowsWhatAProcessBelieved) {
  // The moment lies between the commit of the first pod and its delivery.
  std::string written;
  const absl::StatusOr<trace::Trace> trace = trace::ReadTrace(Jsonl());
  for (const trace::Record& r : trace->events)
    if (written.empty() && r.kind == sim::EventKind::kCommit && r.Text("resource") == "pods")
      written = "seq:" + std::to_string(r.seq);
  const auto seen = [&](const std::string& at, const std::string& process) {
    return RunCli({"get", Jsonl(), "pods", "-o", "name", "--at", at, "--as-seen-by", process});
  };
  EXPECT_EQ(RunCli({"get", Jsonl(), "pods", "-o", "name", "--at", written}).code, 0);
  EXPECT_EQ(seen(written, "kube-scheduler").out, "");
  EXPECT_EQ(seen("end", "kube-scheduler").out, RunCli({"get", Jsonl(), "pods", "-o", "name"}).out);
  EXPECT_EQ(seen("end", "kubelet/node-2").out, "");  // no pod runs there
  const CliResult unknown = seen("end", "kube-schedular");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"kube-scheduler\"?"), std::string::npos);
}

TEST_F(Traces, GetTellsWhatAProcessHasNoCacheOf) {
  const auto seen = [&](std::vector<std::string> words) {
    std::vector<std::string> args{"get", Jsonl()};
    args.insert(args.end(), words.begin(), words.end());
    args.insert(args.end(), {"--as-seen-by", "kubelet/node-1"});
    return RunCli(args);
  };
  const std::string_view warning =
      "kubelet/node-1 has no cache of replicasets; it has: nodes, pods";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"rs"}, {"rs/my-replicaset"}, {"nodes,rs"}})
    EXPECT_NE(seen(words).err.find(warning), std::string::npos) << words.front();
  EXPECT_EQ(seen({"rs"}).code, 5);
  EXPECT_EQ(seen({"nodes"}).err, "");
  EXPECT_EQ(seen({"all"}).err.find("no cache"), std::string::npos) << "nobody asked for each";
}

TEST_F(Traces, GetHintsThatTheTraceComesFirst) {
  EXPECT_EQ(RunCli({"get", "pods", Jsonl()}).err,
            "pods: error: cannot read it: no such file or directory\n"
            "      hint: the trace comes first, before the type\n");
  EXPECT_EQ(RunCli({"get", "nowhere.jsonl", "pods"}).err.find("hint"), std::string::npos);
}

// The missing part of a cut trace may hold the object that was not found.
TEST_F(Traces, ACutTraceIsUndecidedAlsoWhenNothingIsFound) {
  const std::string text = Read(Jsonl());
  const std::string path = Write("early.jsonl", text.substr(0, text.find("\n{\"seq\":20,") + 1));
  EXPECT_EQ(RunCli({"get", path, "pods"}).code, 6);
  EXPECT_EQ(RunCli({"shrink", path}).code, 6);
}

TEST_F(Traces, AMomentThatACutTraceDoesNotReachIsUndecided) {
  const std::string text = Read(Jsonl());
  const std::string cut = Write("moment.jsonl", text.substr(0, text.find("\n{\"seq\":200,") + 1));
  const std::vector<std::vector<std::string>> cases{
      {"get", "pods", "--at", "1h"},
      {"get", "pods", "--at", "1h", "--as-seen-by", "kube-scheduler"},
      {"describe", "pods", "--at", "seq:9999"},
      {"events", "--at", "rv:999"},
      {"etcd", "get", "/", "--prefix", "--at", "rv:999"},
      {"etcd", "get", "/", "--prefix", "--rev", "999"}};
  for (std::vector<std::string> args : cases) {
    const std::string words = testing::PrintToString(args);
    args.insert(args.begin() + 1, cut);
    EXPECT_EQ(RunCli(args).code, 6) << words;
    args[1] = Jsonl();
    EXPECT_EQ(RunCli(args).code, 5) << words;
  }
  EXPECT_NE(RunCli({"get", cut, "pods", "--at", "1h"}).err.find("error: the trace is cut short"),
            std::string::npos);
}

TEST_F(Traces, DiffTrustsNoDigest) {
  std::string text = Read(Jsonl());
  const std::size_t type = text.find("\"type\":\"add\"");
  text.replace(type, 12, "\"type\":\"update\"");
  const CliResult r = RunCli({"diff", Jsonl(), Write("one-edit.jsonl", text)});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(r.out.starts_with("what the traces say of themselves:\n    both say digest "))
      << r.out;
  EXPECT_NE(r.out.find("    type: \"add\" -> \"update\"\n"), std::string::npos) << r.out;
}

TEST_F(Traces, EventsTellsWhatAProcessHasNoCacheOf) {
  const CliResult r = RunCli({"events", Jsonl(), "--as-seen-by", "kube-scheduler"});
  EXPECT_EQ(r.code, 5);
  EXPECT_TRUE(r.err.starts_with("warning: kube-scheduler has no cache of events; it has: "))
      << r.err;
}

TEST_F(Traces, DiffAsATreeHasTheCausesOfTheFirstDifference) {
  const auto tree = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"diff", Jsonl(), Other(), "-o", "json"});
    const CliResult r = RunCli(more);
    EXPECT_EQ(r.code, 1);
    return value::ParseJson(r.out).value();
  };
  const value::Value all = tree({}), first = tree({"--first"});
  const value::Value& differences = all.Get("differences");
  ASSERT_GT(differences.size(), 1u);
  EXPECT_TRUE(differences.at(0).Has("causes"));
  EXPECT_FALSE(differences.at(1).Has("causes"));
  EXPECT_GT(all.Get("following").AsInt(), 0);
  EXPECT_EQ(first.Get("following"), all.Get("following"));
  ASSERT_EQ(first.Get("differences").size(), 1u);
  EXPECT_EQ(first.Get("differences").at(0), differences.at(0));
  for (const char* side : {"left", "right"}) {
    std::int64_t cause = differences.at(0).Get(side).Get("cause").AsInt();
    for (const value::Value& event : differences.at(0).Get("causes").Get(side).items()) {
      EXPECT_EQ(event.Get("seq").AsInt(), cause) << side;
      cause = event.Get("cause").AsInt();
    }
    EXPECT_EQ(cause, 0) << side;
  }
}

TEST_F(Traces, GetTakesWhatKubectlTakes) {
  EXPECT_NE(RunCli({"get", Jsonl(), "all"}).out.find("\nreplicaset.apps/my-replicaset"),
            std::string::npos);
  EXPECT_NE(RunCli({"get", Jsonl(), "pods", "--show-labels"}).out.find("   app=my-app\n"),
            std::string::npos);
  EXPECT_NE(RunCli({"get", Jsonl(), "pods", "-o=json"}).out.find("\"resourceVersion\": \"\"\n"),
            std::string::npos)
      << "a List says no version of its own";
  EXPECT_EQ(RunCli({"-n=kube-system", "get", Jsonl(), "pods"}).err,
            "No resources found in kube-system namespace.\n");
}

TEST_F(Traces, DescribeTellsAReplicaSetAsKubectlDoes) {
  const CliResult r = RunCli({"describe", Jsonl(), "rs/my-replicaset"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out,
            "Name:         my-replicaset\n"
            "Namespace:    default\n"
            "Selector:     app=my-app\n"
            "Labels:       <none>\n"
            "Annotations:  <none>\n"
            "Replicas:     2 current / 2 desired\n"
            "Pods Status:  2 Running / 0 Waiting / 0 Succeeded / 0 Failed\n"
            "Pod Template:\n"
            "  Labels:  app=my-app\n"
            "  Containers:\n"
            "   my-container:\n"
            "    Image:         nginx\n"
            "    Port:          80/TCP\n"
            "    Host Port:     0/TCP\n"
            "    Environment:   <none>\n"
            "    Mounts:        <none>\n"
            "  Volumes:         <none>\n"
            "  Node-Selectors:  <none>\n"
            "  Tolerations:     <none>\n"
            "Events:\n"
            "  Type    Reason            Age   From                   Message\n"
            "  ----    ------            ----  ----                   -------\n"
            "  Normal  SuccessfulCreate  6s    replicaset-controller  Created pod: "
            "my-replicaset-8pt2v\n"
            "  Normal  SuccessfulCreate  6s    replicaset-controller  Created pod: "
            "my-replicaset-7l6pd\n");
}

TEST_F(Traces, DescribeTellsPodsByTheirOwnFormatAndOthersByTheGeneralOne) {
  const std::string pod = RunCli({"describe", Jsonl(), "pod", "my-replicaset-7l6pd"}).out;
  for (const char* line :
       {"Name:             my-replicaset-7l6pd\n", "Service Account:  default\n",
        "Start Time:       Wed, 01 Jan 2025 00:00:02 +0000\n", "Status:           Running\n",
        "Controlled By:  ReplicaSet/my-replicaset\n", "    State:          Running\n",
        "    Restart Count:  0\n", "  ContainersReady             True \n",
        "    TokenExpirationSeconds:  3607\n", "QoS Class:                   BestEffort\n",
        "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\n"})
    EXPECT_NE(pod.find(line), std::string::npos) << line << pod;
  const std::string node = RunCli({"describe", Jsonl(), "node", "node-1"}).out;
  EXPECT_NE(node.find("\n  Kubelet Version:            v1.30.0\n"), std::string::npos) << node;
  const std::string lease =
      RunCli({"describe", Jsonl(), "lease/node-1", "-n", "kube-node-lease"}).out;
  EXPECT_NE(lease.find("API Version:  coordination.k8s.io/v1\nKind:         Lease\n"),
            std::string::npos)
      << lease;
}

TEST_F(Traces, DescribeAndEventsTellWhatWasRecorded) {
  EXPECT_EQ(RunCli({"describe", Jsonl(), "pods", "-l", "app=other"}).code, 0);
  const CliResult e = RunCli({"events", Jsonl(), "--for", "rs/my-replicaset"});
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.out.find("Scheduled"), std::string::npos);
  EXPECT_EQ(RunCli({"events", Jsonl(), "--types", "Warning"}).code, 0);
  EXPECT_EQ(RunCli({"events", Jsonl(), "--types", "Bad"}).code, 2);
  EXPECT_EQ(RunCli({"events", Jsonl(), "--no-headers"}).out.find("LAST SEEN"), std::string::npos);
  EXPECT_EQ(RunCli({"events", Jsonl(), "-o", "name"}).out.substr(0, 6), "event/");
  EXPECT_NE(RunCli({"events", Jsonl(), "-o", "wide"}).out.find("   SOURCE"), std::string::npos);
}

TEST_F(Traces, ShrinkTakesAScenarioInJson) {
  const std::string path = Write(
      "shrink.json", R"({"apiVersion": "ksim.dev/v1", "kind": "Scenario", "spec": {"seed": 1}})");
  const CliResult r = RunCli({"shrink", path});
  EXPECT_EQ(r.code, 5);
  EXPECT_EQ(r.err, path + ": error: no violation in it\n");
  const CliResult trace = RunCli({"shrink", Write("trace.json", Read(Jsonl()))});
  EXPECT_EQ(trace.code, 5) << trace.err;
}

TEST(Explain, KnowsEveryTopicOfTheHelp) {
  for (const char* topic : {"scenario", "scenario.spec.steps", "scenario.spec.faults", "faults",
                            "oracles", "sites", "variants", "kinds", "scenario.spec.limit.events"})
    EXPECT_EQ(RunCli({"explain", topic}).code, 0) << topic;
  for (const char* name : {"esr", "oracles.esr", "pods", "kinds.pods", "reflector.tooLargeRV",
                           "dropWatch", "faults.dropWatch", "controllers.replicaset"})
    EXPECT_EQ(RunCli({"explain", name}).code, 0) << name;
  const CliResult loop = RunCli({"explain", "hot.loop"});
  EXPECT_EQ(loop.out.rfind("hot.loop (liveness, exit 3)\n", 0), 0u) << loop.out;
  EXPECT_NE(RunCli({"explain", "oracles"}).out.find("hot.loop (liveness"), std::string::npos);
  const CliResult r = RunCli({"explain", "scenario.spec.stepz"});
  EXPECT_EQ(r.code, 5);
  EXPECT_EQ(r.err, "error: nothing to explain about \"stepz\"; did you mean \"steps\"?\n");
}

TEST(Help, EveryCommandHasExamplesFlagsAndCompletion) {
  const std::string bash = RunCli({"completion", "bash"}).out;
  for (const auto& command : AllCommands()) {
    const CliResult help = RunCli({std::string(command.name), "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Examples:"), std::string::npos) << command.name;
    EXPECT_NE(help.out.find("Exit codes:"), std::string::npos) << command.name;
    EXPECT_NE(bash.find(std::string(command.name) + ") flags="), std::string::npos);
    EXPECT_NE(RunCli({"--help"}).out.find(std::string("\n  ") + std::string(command.name)),
              std::string::npos);
  }
  EXPECT_EQ(RunCli({"completion", "zsh"}).code, 0);
  EXPECT_EQ(RunCli({"completion", "fish"}).code, 0);
  EXPECT_EQ(RunCli({}).code, 0);
  EXPECT_EQ(RunCli({"help", "run"}).out, RunCli({"run", "--help"}).out);
}

TEST(Completion, KnowsTheWordsThatAFlagTakes) {
  const std::string bash = RunCli({"completion", "bash"}).out;
  for (const char* words :
       {"\n    run:--color) values=\"auto always never\" ;;\n",
        "\n    run:--output|run:-o) values=\"text wide json yaml name\" ;;\n",
        "\n    check:--format) values=\"auto trace watch-json watch-table audit\" ;;\n",
        "\n    export:--format|export:-F) values=\"perfetto ",
        "\n    explain:explain) values=\"scenario faults oracles ",
        "\n    completion:completion) values=\"bash zsh fish\" ;;\n"})
    EXPECT_NE(bash.find(words), std::string::npos) << words;
  EXPECT_NE(RunCli({"completion", "zsh"}).out.find(":value:(auto always never)'"),
            std::string::npos);
  EXPECT_NE(RunCli({"completion", "fish"}).out.find(" -x -a 'auto always never'\n"),
            std::string::npos);
}

TEST(Version, IsThatOfTheTree) {
  const absl::StatusOr<std::string> version = os::ReadFile("VERSION");
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(RunCli({"version"}).out, "ksim " + *version);
}

}  // namespace
}  // namespace ksim::cli
