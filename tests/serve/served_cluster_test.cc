#include "ksim/serve/served_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ksim/check/verdict.h"
#include "ksim/trace/trace.h"
#include "tests/serve/world.h"

namespace ksim::serve {
namespace {

using What = Input::What;
using Stop = sim::Simulation::Stop;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kWatchA =
    "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0"
    "&fieldSelector=metadata.name%3Da";
const std::string kMapA = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})";

TEST(ServedCluster, AnswersReadsAndWrites) {
  Served served;
  EXPECT_EQ(served.Ask("POST", kMaps, kMapA).code, 201);
  EXPECT_EQ(served.Ask("POST", kMaps, kMapA).code, 409);
  const Reader::Answer got = served.Ask("GET", std::string(kMaps) + "/a");
  EXPECT_EQ(got.code, 200);
  EXPECT_EQ(Json(got.body).Get("kind").AsString(), "ConfigMap");
  const Reader::Answer patched = served.Ask(
      "PATCH", std::string(kMaps) + "/a", R"({"data":{"k":"v"}})", "application/merge-patch+json");
  EXPECT_EQ(Json(patched.body).Get("data").Get("k").AsString(), "v");
  EXPECT_EQ(served.Ask("DELETE", std::string(kMaps) + "/a").code, 200);
  EXPECT_EQ(served.Ask("GET", std::string(kMaps) + "/a").code, 404);
  EXPECT_EQ(served.Ask("GET", "/api/v1/nothings").code, 404);
  EXPECT_EQ(served.Ask("POST", kMaps, "{").code, 400);
  EXPECT_EQ(served.cluster.unanswered(), 0u);
}

// A client that waits without a timeout of its own finds its connection dead (client-go's health
// check).
TEST(ServedCluster, AnAnswerThatIsLostBreaksTheConnection) {
  for (const char* applied : {"true", "false"}) {
    Served served;
    served.Ask("GET", kMaps);  // its process is there from its first request on
    served.Act(What::kFault, 0,
               fmt::format("timeoutWrite: {{client: outside-kubectl, applied: {}}}", applied));
    const auto write = served.Send("POST", kMaps, kMapA);
    served.Advance(Seconds(40));
    EXPECT_FALSE(served.reader.answers[write].reset);
    served.Advance(Seconds(10));
    EXPECT_TRUE(served.reader.answers[write].reset);
    EXPECT_EQ(served.reader.answers[write].code, 0);
    EXPECT_EQ(served.Ask("GET", std::string(kMaps) + "/a").code,
              std::string_view(applied) == "true" ? 200 : 404);
  }
}

TEST(ServedCluster, TellsAWatchWhatHappensAndNoMoreOnceItIsGone) {
  Served served;
  const auto watch = served.Send("GET", kWatchA);
  served.Advance(Seconds(1));
  EXPECT_EQ(served.reader.answers[watch].code, 200);
  served.Ask("POST", kMaps, kMapA);
  served.Ask("DELETE", std::string(kMaps) + "/a");
  EXPECT_EQ(EventsOf(served.reader.answers[watch].body), "ADDED a, DELETED a");
  EXPECT_EQ(served.cluster.watches().size(), 1u);
  served.Act(What::kGone, watch);
  served.Advance(Seconds(1));
  EXPECT_TRUE(served.cluster.watches().empty());
  const std::string told = served.reader.answers[watch].body;
  served.Ask("POST", kMaps, kMapA);
  EXPECT_EQ(served.reader.answers[watch].body, told);
}

TEST(ServedCluster, ClosesAWatchThatWasGivenUpBeforeItOpened) {
  Served served;
  const auto watch = served.Send("GET", std::string(kMaps) + "?watch=1");
  served.cluster.AdvanceTo(served.cluster.now());
  served.Act(What::kGone, watch);
  served.Advance(Seconds(1));
  EXPECT_EQ(served.reader.answers[watch].code, 0);
  EXPECT_TRUE(served.cluster.watches().empty());
}

TEST(ServedCluster, AWatchThatPausesGoesOnWithWhatCameMeanwhile) {
  Served served;
  const auto watch = served.Send("GET", kWatchA);
  served.Advance(Seconds(1));
  served.Act(What::kPause, watch);
  served.Ask("POST", kMaps, kMapA);  // is still told: the pause shows only then
  served.Ask("DELETE", std::string(kMaps) + "/a");
  EXPECT_EQ(EventsOf(served.reader.answers[watch].body), "ADDED a");
  served.Act(What::kResume, watch);
  served.Advance(Seconds(1));
  EXPECT_EQ(EventsOf(served.reader.answers[watch].body), "ADDED a, DELETED a");
}

TEST(ServedCluster, FaultsActOnClientsOutside) {
  Served served;
  const auto watch = served.Send("GET", kWatchA);
  served.Advance(Seconds(1));
  const std::string drop = "dropWatch: {client: outside-kubectl, resource: configmaps}";
  EXPECT_TRUE(served.cluster.ParseFault(drop).ok());
  served.Act(What::kFault, 0, drop);
  served.Advance(Seconds(1));
  EXPECT_TRUE(served.reader.answers[watch].ended || served.reader.answers[watch].reset);
  EXPECT_TRUE(served.cluster.watches().empty());
}

// It may come later than the fault.
TEST(ServedCluster, AFaultWaitsForTheClientThatItNames) {
  Served served;
  served.Act(What::kFault, 0, "rejectWrite: {client: outside-kubectl, code: 500}");
  served.Advance(Seconds(1));
  EXPECT_EQ(served.cluster.skipped(), "");
  EXPECT_EQ(served.Ask("POST", kMaps, kMapA).code, 500);
  EXPECT_EQ(served.Ask("POST", kMaps, kMapA).code, 201);
  served.Act(What::kFault, 0, "dropWatch: {client: outside-kubectl, resource: pods}");
  served.Advance(Seconds(1));
  EXPECT_EQ(served.cluster.skipped(), "outside-kubectl has no open watch of pods");
  Served scripted("  faults: [{at: 0s, rejectWrite: {client: outside-kubectl, code: 500}}]\n");
  EXPECT_EQ(scripted.Ask("POST", kMaps, kMapA).code, 500);
}

TEST(ServedCluster, AClientReadsWhatAnotherServerHasThatIsBehind) {
  Served served("  cluster: {nodes: 1, apiServers: 2}\n");
  const std::string from_cache = std::string(kMaps) + "?resourceVersion=0";
  served.Act(What::kFault, 0, "freezeCache: {server: kube-apiserver-1, resource: configmaps}");
  EXPECT_EQ(served.Ask("POST", kMaps, kMapA).code, 201);
  const auto watch = served.Send("GET", kWatchA);
  served.Advance(Seconds(1));
  EXPECT_NE(served.Ask("GET", from_cache).body.find("\"name\":\"a\""), std::string::npos);
  served.Act(What::kFault, 0, "connect: {client: outside-kubectl, server: kube-apiserver-1}");
  served.Advance(Seconds(1));
  EXPECT_TRUE(served.reader.answers[watch].ended || served.reader.answers[watch].reset);
  EXPECT_EQ(served.Ask("GET", from_cache).body.find("\"name\":\"a\""), std::string::npos);
  served.Act(What::kFault, 0, "serverDown: {server: kube-apiserver-1}");
  served.Advance(Seconds(1));
  apiserver::http::HttpRequest request;
  request.headers.Add("User-Agent", "kubectl/v1.30");
  EXPECT_FALSE(served.cluster.accepting(request));
  request.headers.Set("User-Agent", "curl/8");
  EXPECT_TRUE(served.cluster.accepting(request));
}

// A client outside is told of nothing, so whoever serves the cluster is.
TEST(ServedCluster, WhatClientsAskForAndNobodyDoesIsNoted) {
  constexpr const char* kPods = "/api/v1/namespaces/default/pods";
  constexpr const char* kSets = "/apis/apps/v1/namespaces/default/replicasets";
  const auto pod = [](const std::string& name, const std::string& spec) {
    return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{)"
                       R"("containers":[{{"name":"c","image":"i"{}}}]}}}})",
                       name, spec);
  };
  const std::string from_a = R"(,"envFrom":[{"configMapRef":{"name":"a"}}])";
  Served served("  cluster: {nodes: 1, controllers: [replicaset]}\n");
  std::size_t told = 0;
  // Does it, and says what was noted because of it.
  const auto noted = [&](const std::string& method, const std::string& target,
                         const std::string& body = "") {
    EXPECT_LT(served.Ask(method, target, body).code, 300) << method << " " << target;
    std::string out;
    for (const auto& all = served.cluster.not_simulated(); told < all.size(); ++told)
      out += fmt::format("{}: {}: {}\n", all[told].file, all[told].subject, all[told].message);
    return out;
  };
  EXPECT_EQ(noted("POST", kMaps, kMapA), "");
  EXPECT_EQ(noted("POST", kPods, pod("p", from_a)), "");
  EXPECT_EQ(noted("DELETE", std::string(kMaps) + "/a"), "");
  EXPECT_EQ(noted("POST", kPods, pod("q", from_a)), "") << "its kubelet waits for it";
  const std::string deployment =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":)"
      R"({"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{)"
      R"("containers":[{"name":"c","image":"i"}]}}}})";
  EXPECT_EQ(noted("POST", "/apis/apps/v1/namespaces/default/deployments", deployment),
            "outside-kubectl: Deployment: no controller for Deployment in this run "
            "(spec.cluster.controllers leaves deployment out): nothing will follow\n");
  EXPECT_EQ(noted("DELETE", "/apis/apps/v1/namespaces/default/deployments/d"), "");
  EXPECT_EQ(noted("POST", "/apis/apps/v1/namespaces/default/deployments", deployment), "")
      << "once";
  const std::string set =
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r"},"spec":{"selector":)"
      R"({"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{)"
      R"("containers":[{"name":"c","image":"i"}]}}}})";
  EXPECT_EQ(noted("POST", kSets, set), "");
  EXPECT_EQ(noted("DELETE", std::string(kSets) + "/r"),
            "outside-kubectl: delete ReplicaSet/r: no garbage collector in this run: what a "
            "deleted ReplicaSet owns stays\n");
  EXPECT_EQ(noted("POST", kSets, set), "");
  EXPECT_EQ(noted("DELETE", std::string(kSets) + "/r?propagationPolicy=Orphan"),
            "outside-kubectl: delete ReplicaSet/r: no garbage collector in this run: a ReplicaSet "
            "deleted with cascade: orphan keeps its finalizer\n");
}

TEST(ServedCluster, ASaidFaultMustBeOne) {
  Served served;
  const auto why = [&served](const std::string& text) {
    return std::string(served.cluster.ParseFault(text).status().message());
  };
  EXPECT_EQ(why("dropWach: {client: kubectl, resource: pods}"),
            "unknown fault \"dropWach\"; did you mean \"dropWatch\"?");
  EXPECT_EQ(why("[1]"), "a fault is a mapping");
  EXPECT_EQ(why("{at: 3s, heal: {}}"), "a fault that is injected happens at once");
  EXPECT_NE(why("dropWatch: {client: nobody, resource: pods}").find("there is no"),
            std::string::npos);
  // Whoever is outside may define a kind.
  EXPECT_EQ(why("dropWatch: {client: outside-a, resource: books.example.com}"), "");
  EXPECT_NE(why("dropWatch: {client: outside-a, resource: books}").find("unknown resource type"),
            std::string::npos);
  EXPECT_NE(why("dropWatch: {client: kube-scheduler, resource: books.example.com}")
                .find("unknown resource type"),
            std::string::npos);
}

TEST(ServedCluster, ClientsHaveTheNameOfTheirProgram) {
  const auto name = [](const std::string& agent) {
    apiserver::http::HttpRequest request;
    if (!agent.empty()) request.headers.Add("User-Agent", agent);
    return ProcessNameOf(request);
  };
  EXPECT_EQ(name("kubectl/v1.30.1 (linux/amd64) kubernetes/abc"), "outside-kubectl");
  EXPECT_EQ(name("OpenAPI-Generator/29.0.0/python"), "outside-OpenAPI-Generator");
  EXPECT_EQ(name(""), "outside-client");
  EXPECT_EQ(name("\"';\n"), "outside-client");
  EXPECT_EQ(name(std::string(100, 'x')), "outside-" + std::string(40, 'x'));
}

// Everything that check tells of a trace of the run, which ends.
std::string Contradictions(Served& served) {
  served.cluster.Finish(Stop::kTimeReached);
  const auto read =
      trace::ParseTrace(trace::FormatTrace(served.cluster.runner().MakeTrace({}), false));
  if (!read.ok()) return std::string(read.status().message());
  const auto checker = check::CheckTrace(*read, {"*"});
  if (!checker.ok()) return std::string(checker.status().message());
  std::string out;
  for (const check::Verdict& verdict : check::VerdictsOf(**checker, *read))
    for (const check::Finding& finding : verdict.findings)
      out += verdict.oracle + ": " + finding.violation.message + "\n";
  return out;
}

// The oracles hold a write against the object that its client has read.
TEST(ServedCluster, AWriteNamesTheUidThatItsClientHasRead) {
  Served served;
  const std::string map = std::string(kMaps) + "/a";
  const std::string uid(
      Json(served.Ask("POST", kMaps, kMapA).body).Get("metadata").Get("uid").AsString());
  const auto with = [](const std::string& of) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":")" + of +
           R"("}})";
  };
  const auto only = [](const std::string& of) {
    return R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":")" + of + R"("}})";
  };
  EXPECT_EQ(served.Ask("PUT", map, with("nobody's")).code, 409);
  EXPECT_EQ(served.Ask("PUT", map, with(uid)).code, 200);
  EXPECT_EQ(served.Ask("DELETE", map, only("nobody's")).code, 409);
  EXPECT_EQ(served.Ask("DELETE", map, only(uid)).code, 200);
  EXPECT_EQ(Contradictions(served), "");
  std::string believed;
  for (const trace::Record& r : served.cluster.runner().MakeTrace({}).events)
    if (r.kind == sim::EventKind::kRequest && r.actor == "outside-kubectl")
      believed += std::string(r.Text("verb")) + " " + std::string(r.Text("uid")) + ", ";
  EXPECT_EQ(believed,
            "create , update nobody's, update " + uid + ", delete nobody's, delete " + uid + ", ");
}

// A refusal of options is a step that check knows.
TEST(ServedCluster, ATraceWithRefusedOptionsContradictsNothing) {
  const std::string refused[] = {"limit=1&continue=x",
                                 "resourceVersionMatch=Exact",
                                 "resourceVersion=1&resourceVersionMatch=Other",
                                 "sendInitialEvents=true",
                                 "fieldSelector=spec.nope%3Da",
                                 "fieldSelector=%3D",
                                 "labelSelector=%3D",
                                 "timeoutSeconds=x"};
  Served served;
  served.Ask("POST", kMaps, kMapA);
  for (const std::string& options : refused) {
    for (const std::string method : {"GET", "DELETE"})
      EXPECT_NE(served.Ask(method, std::string(kMaps) + "?" + options).code, 500) << options;
    served.Ask("GET", std::string(kMaps) + "?watch=1&" + options);
    served.Ask("GET", std::string(kMaps) + "/a?" + options);
  }
  for (const std::string body :
       {R"({"kind":"DeleteOptions","apiVersion":"v1","orphanDependents":true,)"
        R"("propagationPolicy":"Orphan"})",
        R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"x"})"})
    for (const std::string target : {"", "/a"})
      EXPECT_GE(served.Ask("DELETE", kMaps + target, body).code, 400) << target << body;
  EXPECT_EQ(Contradictions(served), "");
}

// The inputs of a trace make the same trace without the clients, to the byte.
TEST(ServedCluster, ARecordedRunReplaysWithoutItsClients) {
  std::string served_bytes;
  trace::Trace recorded;
  {
    Served served;
    const auto watch = served.Send("GET", kWatchA);
    served.Ask("POST", kMaps, kMapA);
    served.Act(What::kPause, watch);
    served.Ask("PUT", std::string(kMaps) + "/a", kMapA);
    served.Ask("POST", kMaps, "\xff\xfe", "application/vnd.kubernetes.protobuf");
    served.Act(What::kResume, watch);
    served.Act(What::kFault, 0, "dropWatch: {client: outside-kubectl, resource: configmaps}");
    served.Act(What::kHeal, 0);
    served.Advance(Seconds(20));
    served.cluster.Finish(Stop::kTimeReached);
    served_bytes = trace::FormatTrace(served.cluster.runner().MakeTrace({}), false);
    recorded = trace::ParseTrace(served_bytes).value();
  }
  EXPECT_EQ(recorded.header.mode, "serve");
  const auto inputs = InputsOf(recorded);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ(inputs->size(), 8u);
  Served again;
  ServedCluster replayed(again.scenario, scenario::RunnerOptions());
  ReplayInputs(replayed, *inputs, VirtualTime(recorded.end->time));
  EXPECT_EQ(trace::FormatTrace(replayed.runner().MakeTrace({}), false), served_bytes);
}

TEST(ServedCluster, TheOraclesJudgeWhatClientsOutsideDo) {
  Served served;
  served.Ask("POST", kMaps, kMapA);
  const scenario::RunReport report = served.cluster.Finish(Stop::kTimeReached);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_FALSE(report.end.judged.empty());
}

}  // namespace
}  // namespace ksim::serve
