// The step apply: the field managers on the server, and the texts of conflicts.
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

Loaded Read(const std::string& steps) {
  return LoadSpec("  cluster: {nodes: 1}\n  steps:\n" + steps);
}

// A step that applies data.k = `value` as `options` say.
std::string Apply(const std::string& value, const std::string& options) {
  return "  - {apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: " +
         value + "}}, " + options + "}}\n";
}

struct ScenarioRun {
  explicit ScenarioRun(const std::string& steps)
      : runner(Read(steps).scenarios.at(0), RunnerOptions()) {
    report = runner.Run();
  }
  std::string Data() {
    const api::ResourceInfo& maps = *runner.world().kinds().ByName("configmaps");
    for (const api::Object& o : runner.world().Objects(maps))
      if (o.name() == "m") return std::string(o.Get(value::Path{"data", "k"}).AsString());
    return "";
  }
  Runner runner;
  RunReport report;
};

// API-92
TEST(ServerSideApply, AConflictFailsTheStep) {
  ScenarioRun run(Apply("a", "serverSide: true, fieldManager: argo") +
                  Apply("b", "serverSide: true"));
  ASSERT_EQ(run.report.failures.size(), 1u);
  EXPECT_EQ(run.report.failures[0].error,
            "error: Apply failed with 1 conflict: conflict with \"argo\": .data.k\n"
            "Please review the fields above--they currently have other managers. Here\n"
            "are the ways you can resolve this warning:\n"
            "* If you intend to manage all of these fields, please re-run the apply\n"
            "  command with the `--force-conflicts` flag.\n"
            "* If you do not intend to manage all of the fields, please edit your\n"
            "  manifest to remove references to the fields that should keep their\n"
            "  current managers.\n"
            "* You may co-own fields by updating your manifest to match the existing\n"
            "  value; in this case, you'll become the manager if the other manager(s)\n"
            "  stop managing the field (remove it from their configuration).\n"
            "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts");
  EXPECT_EQ(run.Data(), "a");
}

// API-92
TEST(ServerSideApply, ForceConflictsTakesTheField) {
  ScenarioRun run(Apply("a", "serverSide: true, fieldManager: argo") +
                  Apply("b", "serverSide: true, forceConflicts: true"));
  EXPECT_EQ(run.report.exit_code, 0);
  EXPECT_EQ(run.Data(), "b");
}

// apply.go applyOneObject, client side and server side.
TEST(Apply, WantsAName) {
  for (const char* options : {"serverSide: false", "serverSide: true"}) {
    ScenarioRun run(
        "  - {apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}, " +
        std::string(options) + "}}\n");
    ASSERT_EQ(run.report.failures.size(), 1u) << options;
    EXPECT_EQ(run.report.failures[0].error, "error: from x-: cannot use generate name with apply")
        << options;
  }
}

// The record of a client-side apply, of an object of the kind.
std::string Record(ScenarioRun& run, const char* kind) {
  for (const api::Object& o :
       run.runner.world().Objects(*run.runner.world().kinds().ByName(kind))) {
    const std::string_view record =
        o.Annotation("kubectl.kubernetes.io/last-applied-configuration");
    if (!record.empty()) return std::string(record);
  }
  return "";
}

// API-170. util/apply.go GetModifiedConfiguration; visitor.go SetNamespace, FilterNamespace.
TEST(Apply, RecordsTheObjectWithAnnotationsAndItsOwnNamespace) {
  const struct {
    const char* kind;
    const char* object;
    const char* record;
  } rows[] = {
      {"configmaps", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: <&>}}",
       R"({"apiVersion":"v1","data":{"k":"\u003c\u0026\u003e"},"kind":"ConfigMap",)"
       R"("metadata":{"annotations":{},"name":"a","namespace":"default"}})"},
      {"configmaps",
       "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {x: y, "
       "kubectl.kubernetes.io/last-applied-configuration: old}}}",
       R"({"apiVersion":"v1","kind":"ConfigMap",)"
       R"("metadata":{"annotations":{"x":"y"},"name":"a","namespace":"default"}})"},
      {"clusterroles",
       "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, "
       "metadata: {name: cr, namespace: foo}, rules: []}",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
       R"("metadata":{"annotations":{},"name":"cr"},"rules":[]})"},
  };
  for (const auto& row : rows) {
    ScenarioRun run("  - {apply: {object: " + std::string(row.object) + "}}\n");
    EXPECT_EQ(Record(run, row.kind), row.record + std::string("\n"));
  }
}

// API-171. k/k#105610: of ports with one merge key the patch has what Go's sort makes of them.
TEST(Apply, MergesPortsWithEqualKeysInTheOrderOfGosSort) {
  const auto apply = [](const std::string& ports) {
    return "  - {apply: {object: {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: "
           "NodePort, ports: [" +
           ports + "]}}}}\n";
  };
  const std::string udp = "{name: udp, protocol: UDP, port: 31337, nodePort: 31337}";
  const std::string tcp = "{name: tcp, protocol: TCP, port: 31337, nodePort: 31337}";
  ScenarioRun run(apply(udp) + apply(tcp + ", " + udp));
  const auto services = run.runner.world().Objects(*run.runner.world().kinds().ByName("services"));
  std::string ports;
  for (const api::Object& o : services)
    if (o.name() == "s") ports = value::ToJson(o.Get(value::Path{"spec", "ports"}));
  EXPECT_EQ(
      ports,
      R"([{"name":"tcp","nodePort":31337,"port":31337,"protocol":"TCP","targetPort":31337}])");
}

TEST(ServerSideApply, ItsOptionsNeedIt) {
  const Loaded loaded = Read(Apply("a", "fieldManager: argo"));
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_EQ(loaded.errors[0].message, "fieldManager needs serverSide: true");
}

}  // namespace
}  // namespace ksim::scenario
