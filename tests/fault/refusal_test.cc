// A fault that refuses a write answers in the API server's words and names the object of the write.
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

TEST(Refusal, OfACreateNamesTheObject) {
  struct Case {
    const char *code, *metadata, *says;
  };
  const Case cases[] = {
      {"403", "name: a", "pods \"a\" is forbidden: a fault refuses it"},
      {"403", "generateName: a-", "pods \"a-\" is forbidden: a fault refuses it"},
      {"404", "name: a", "pods \"a\" not found"},
      {"409", "name: a", "pods \"a\" already exists"},
      {"409", "generateName: a-",
       "pods \"a-\" already exists, the server was not able to generate a unique name for the "
       "object"},
  };
  for (const Case& c : cases) {
    const std::string error = ErrorOf(c.code, c.metadata);
    EXPECT_TRUE(error.ends_with(c.says)) << error;
  }
}

// api/errors/errors.go: the server has a reason for the codes that it knows, and none for the
// others.
TEST(Refusal, HasTheReasonOfAServer) {
  const std::pair<const char*, const char*> cases[] = {{"400", "BadRequest"},
                                                       {"401", "Unauthorized"},
                                                       {"403", "Forbidden"},
                                                       {"404", "NotFound"},
                                                       {"405", "MethodNotAllowed"},
                                                       {"409", "AlreadyExists"},
                                                       {"410", "Expired"},
                                                       {"413", "RequestEntityTooLarge"},
                                                       {"415", "UnsupportedMediaType"},
                                                       {"418", ""},
                                                       {"422", "Invalid"},
                                                       {"429", "TooManyRequests"},
                                                       {"500", "InternalError"},
                                                       {"503", "ServiceUnavailable"},
                                                       {"504", "Timeout"},
                                                       {"599", ""}};
  for (const auto& [code, reason] : cases) {
    const FaultRun run = Refused(code, "name: a");
    const trace::Record& answer =
        run.First(sim::EventKind::kResponse, {{"actor", "kubectl"}, {"code", code}});
    ASSERT_NE(answer.seq, 0u) << code;
    EXPECT_EQ(answer.Text("reason"), reason) << code;
  }
}

}  // namespace
}  // namespace ksim::fault
