// What a refused write is told: the words of the API server, about the object that was meant.
#include "tests/fault/told.h"

namespace ksim::fault {
namespace {

std::string ErrorOf(const std::string& code, const std::string& metadata) {
  Told told(Told::Load(
      "  cluster: {nodes: 1}\n  steps:\n"
      "  - {at: 0s, create: {document: ReplicaSet/web}}\n"
      "  - {at: 10s, create: {object: {apiVersion: v1, kind: Pod, metadata: {" +
      metadata +
      "}, spec: {containers: [{name: c, image: nginx}]}}}}\n"
      "  faults:\n"
      "  - {at: 5s, rejectWrite: {client: kubectl, verb: create, resource: pods, code: " +
      code + "}}\n"));
  return told.report.failures.size() == 1 ? told.report.failures[0].error : "";
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

}  // namespace
}  // namespace ksim::fault
