// A fault that refuses a write answers in the API server's words, and no answer is accepted in a
// scenario that no server gives by chance.
#include <fmt/format.h>

#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

FaultRun Refused(const std::string& code, const std::string& metadata) {
  return FaultRun(FaultRun::Load(
      "  cluster: {nodes: 1}\n  steps:\n"
      "  - {at: 0s, create: {document: ReplicaSet/web}}\n"
      "  - {at: 10s, create: {object: {apiVersion: v1, kind: Pod, metadata: {" +
      metadata +
      "}, spec: {containers: [{name: c, image: nginx}]}}}}\n"
      "  faults:\n"
      "  - {at: 5s, rejectWrite: {client: kubectl, verb: create, resource: pods, code: " +
      code + "}}\n"));
}

std::string ErrorOf(const std::string& code, const std::string& metadata) {
  const FaultRun run = Refused(code, metadata);
  return run.report.failures.size() == 1 ? run.report.failures[0].error : "";
}

// API-137
TEST(Refusal, OfACreateSaysWhatAServerSays) {
  struct Case {
    const char *code, *metadata, *says;
  };
  const Case cases[] = {
      {"401", "name: a", "Unauthorized"},
      {"403", "name: a",
       "pods is forbidden: User \"kubernetes-admin\" cannot create resource \"pods\" in API group "
       "\"\" in the namespace \"default\""},
      {"500", "name: a", "etcdserver: too many requests"},
      {"504", "name: a",
       "Timeout: request did not complete within requested timeout - context deadline exceeded"},
  };
  for (const Case& c : cases) {
    const std::string error = ErrorOf(c.code, c.metadata);
    EXPECT_NE(error.find(c.says), std::string::npos) << c.code << ": " << error;
  }
}

// API-27
// The ReplicaSet has two pods of this prefix, one of which names was generated anew.
TEST(Refusal, OfAGeneratedNameNamesAnObjectThatIsThere) {
  const FaultRun run = Refused("409", "generateName: web-");
  const std::string error = run.report.failures.empty() ? "" : run.report.failures[0].error;
  EXPECT_NE(error.find(", the server was not able to generate a unique name for the object"),
            std::string::npos)
      << error;
  const std::size_t quote = error.find("pods \"");
  ASSERT_NE(quote, std::string::npos) << error;
  const std::string name = error.substr(quote + 6, 9);
  EXPECT_EQ(run.Count(sim::EventKind::kCommit, {{"name", name}, {"op", "create"}}), 1) << error;
}

// The answers that a server gives only where they are so need no fault.
TEST(Refusal, NoOtherCodeIsAccepted) {
  for (const char* verb : {"rejectWrite", "timeoutWrite"}) {
    for (const int code : {299, 400, 404, 405, 410, 413, 415, 418, 422, 502, 503, 599}) {
      const scenario::Loaded loaded = scenario::LoadText(ScenarioText(
          fmt::format("  cluster: {{nodes: 1}}\n  faults:\n  - {{at: 5s, {}: {{client: "
                      "kube-scheduler, code: {}}}}}\n",
                      verb, code)));
      ASSERT_EQ(loaded.errors.size(), 1u) << verb << " " << code;
      EXPECT_EQ(
          loaded.errors[0].message,
          fmt::format("spec.faults[0].{}.code: no API server answers a write that it could do "
                      "with {}",
                      verb, code));
    }
  }
}

std::string ErrorsOf(const std::string& fault) {
  const scenario::Loaded loaded = scenario::LoadText(
      ScenarioText("  cluster: {nodes: 1}\n  faults:\n  - {at: 5s, " + fault + "}\n"));
  std::string all;
  for (const auto& error : loaded.errors) all += error.message + "; ";
  return all;
}

TEST(Refusal, OfArgumentsThatMeanNothing) {
  EXPECT_EQ(ErrorsOf("skewClock: {process: kube-scheduler}"),
            "spec.faults[0].skewClock.by or rate is missing; ");
  EXPECT_EQ(ErrorsOf("skewClock: {process: kube-scheduler, rate: fast}"),
            "spec.faults[0].skewClock.rate must be a percentage or a fraction, got \"fast\"; ");
  EXPECT_EQ(ErrorsOf("skewClock: {process: kube-scheduler, rate: 98%}"), "");
  EXPECT_EQ(ErrorsOf("rejectRead: {client: kube-scheduler, code: 404}"),
            "spec.faults[0].rejectRead.code: no API server answers a read that it could do with "
            "404; ");
  EXPECT_EQ(ErrorsOf("rejectRead: {client: kube-scheduler, verb: create}"),
            "spec.faults[0].rejectRead.verb cannot be \"create\"; ");
  EXPECT_EQ(ErrorsOf("watchError: {client: kube-scheduler, resource: pods, reason: Broken}"),
            "spec.faults[0].watchError.reason cannot be \"Broken\"; ");
  EXPECT_EQ(ErrorsOf("slowHandler: {actor: kube-scheduler, resource: pods}"),
            "spec.faults[0].slowHandler.takes is missing; ");
  EXPECT_EQ(ErrorsOf("rival: {client: kube-apiserver-0}"),
            "kube-apiserver-0 is no client of an API server; ");
}

}  // namespace
}  // namespace ksim::fault
