// ksim get: kubectl's selections, orders and formats.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

class Get : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "--trace", Path()}).code, 0);
  }
  static std::string Path() { return testing::TempDir() + "get.jsonl"; }
  static CliResult Ask(std::vector<std::string> args) {
    args.insert(args.begin(), {"get", Path()});
    return RunCli(args);
  }
};

TEST_F(Get, PrintsTemplates) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"pods", "-o", R"(jsonpath={range .items[*]}{.metadata.name} {.spec.nodeName}{"\n"}{end})"},
       "my-replicaset-7l6pd node-3\nmy-replicaset-8pt2v node-1\n"},
      {{"pod", "my-replicaset-7l6pd", "-o=jsonpath={.status.podIP}"}, "10.244.2.2"},
      {{"rs/my-replicaset", "-o", "jsonpath={.spec.replicas}"}, "2"},
      {{"pods", "-o", "jsonpath={.items[*].nope}"}, ""},
      {{"secrets", "-o", "jsonpath={.items}"}, "[]"},
      {{"pods", "-o", "jsonpath-as-json={.items[*].spec.nodeName}"},
       "[\n    \"node-3\",\n    \"node-1\"\n]\n"},
      {{"pods", "-o",
        "custom-columns=NAME:.metadata.name,IMAGES:{.spec.containers[*].image},X:nope,"
        "L:metadata.labels"},
       "NAME                  IMAGES   X        L\n"
       "my-replicaset-7l6pd   nginx    <none>   map[app:my-app]\n"
       "my-replicaset-8pt2v   nginx    <none>   map[app:my-app]\n"},
      {{"rs", "my-replicaset", "--no-headers", "-o", "custom-columns=N:.spec.replicas"}, "2\n"},
      {{"secrets", "-o", "custom-columns=NAME:.metadata.name"}, "NAME\n"},
  };
  for (const auto& [args, want] : cases) EXPECT_EQ(Ask(args).out, want) << args.back();
}

TEST_F(Get, WatchesAsKubectlDoes) {
  EXPECT_EQ(Ask({"pods", "--watch"}).out,
            "NAME                  READY   STATUS    RESTARTS   AGE\n"
            "my-replicaset-8pt2v   0/1     Pending   0          0s\n"
            "my-replicaset-7l6pd   0/1     Pending   0          0s\n"
            "my-replicaset-8pt2v   0/1     Pending   0          0s\n"
            "my-replicaset-7l6pd   0/1     Pending   0          0s\n"
            "my-replicaset-8pt2v   0/1     ContainerCreating   0          0s\n"
            "my-replicaset-7l6pd   0/1     ContainerCreating   0          0s\n"
            "my-replicaset-8pt2v   1/1     Running             0          2s\n"
            "my-replicaset-7l6pd   1/1     Running             0          3s\n")
      << "a column grows with what comes, and what was printed stays";
  EXPECT_EQ(Ask({"pod/my-replicaset-7l6pd", "-w", "--no-headers", "--output-watch-events"}).out,
            "ADDED        my-replicaset-7l6pd   0/1   Pending   0     0s\n"
            "MODIFIED     my-replicaset-7l6pd   0/1   Pending   0     0s\n"
            "MODIFIED     my-replicaset-7l6pd   0/1   ContainerCreating   0     0s\n"
            "MODIFIED     my-replicaset-7l6pd   1/1   Running             0     3s\n");
}

TEST_F(Get, AWatchBeginsWithTheListOrWithoutIt) {
  const std::string list = "pod/my-replicaset-7l6pd\npod/my-replicaset-8pt2v\n";
  const std::string changes = "pod/my-replicaset-8pt2v\npod/my-replicaset-7l6pd\n";
  EXPECT_EQ(Ask({"pods", "-w", "-o", "name", "--at", "4s"}).out, list + changes);
  EXPECT_EQ(Ask({"pods", "--watch-only", "-o", "name", "--at", "4s"}).out, changes);
  const CliResult none = Ask({"pods", "-w", "-l", "app=nobody"});
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.code, 5);
}

// cacher: what no longer matches the selector is deleted for whoever watches.
TEST_F(Get, AWatchWithASelectorTellsWhatLeavesIt) {
  const std::vector<std::string> pending = {
      "pods",         "--field-selector",      "status.phase=Pending",
      "--watch-only", "--output-watch-events", "-o",
      "json"};
  const std::string out = Ask(pending).out;
  const std::string last = out.substr(out.rfind('\n', out.size() - 2) + 1);
  EXPECT_TRUE(last.starts_with(R"({"type":"DELETED","object":{"apiVersion":"v1",)")) << last;
  EXPECT_NE(last.find(R"("phase":"Pending")"), std::string::npos) << last;
}

// CRD-27: two kinds with one plural, of a trace that says what the run called them.
TEST(GetOfSharedPlural, SelectsByGroup) {
  const std::string trace = testing::TempDir() + "shared.jsonl";
  const CliResult run =
      RunCli({"run", "tests/regress/two-kinds-of-one-plural.yaml", "-q", "--trace", trace});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err.find("of two groups"), std::string::npos) << run.err;
  const auto names = [&](const char* type) {
    return RunCli({"get", trace, type, "-n", "shop", "--at", "78s", "-o", "name"}).out;
  };
  EXPECT_EQ(names("services"), "service/web\n");
  EXPECT_EQ(names("services.serving.knative.dev"), "service.serving.knative.dev/web\n");
  EXPECT_EQ(names("ksvc"), "service.serving.knative.dev/web\n");
  EXPECT_EQ(names("widgets"), "widget.a.example.com/w\n") << "the first group, as in kubectl";
  EXPECT_EQ(names("widgets.b.example.com"), "widget.b.example.com/w\n");
  const auto label = [&](const char* type) {
    return RunCli({"get", trace, type, "web", "-n", "shop", "--at", "78s", "-o",
                   "jsonpath={.metadata.labels.colour}"})
        .out;
  };
  EXPECT_EQ(label("services"), "blue");
  EXPECT_EQ(label("services.serving.knative.dev"), "red");
  EXPECT_EQ(RunCli({"get", trace, "widgets.b.example.com", "-n", "shop", "-w", "-o", "name"}).out,
            "widget.b.example.com/w\nwidget.b.example.com/w\nwidget.b.example.com/w\n")
      << "made, labelled, deleted";
  EXPECT_EQ(RunCli({"check", trace}).code, 0);
  EXPECT_EQ(RunCli({"replay", trace}).code, 0);
}

// CRD-28: what etcd has is shown at the version that is asked for.
TEST(GetAtAVersion, ShowsWhatAServerWouldGive) {
  const std::string trace = testing::TempDir() + "versions.jsonl";
  const CliResult run =
      RunCli({"run", "tests/regress/a-step-names-a-version.yaml", "-q", "--trace", trace});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto ask = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"get", trace});
    return RunCli(args);
  };
  const std::string json = "jsonpath={.apiVersion} {.spec}";
  EXPECT_EQ(ask({"widgets", "new", "-o", json}).out,
            "example.com/v1 {\"note\":\"kept\",\"size\":4}");
  EXPECT_EQ(ask({"widgets.v1alpha1.example.com", "new", "-o", json}).out,
            "example.com/v1alpha1 {\"size\":4}");
  EXPECT_EQ(ask({"widgets.v1alpha1.example.com/new", "-w", "-o", json}).out,
            "example.com/v1alpha1 {\"size\":1}example.com/v1alpha1 {\"size\":4}");
  const std::string percent = "jsonpath={.spec.targetCPUUtilizationPercentage}";
  EXPECT_EQ(ask({"horizontalpodautoscalers.v1.autoscaling", "php-apache", "-o", percent}).out,
            "70");
  EXPECT_EQ(ask({"hpa", "php-apache", "-o", percent}).out, "");
  const CliResult none = ask({"widgets.v7.example.com"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err.substr(0, 52), "error: the server doesn't have a resource type \"widg")
      << none.err;
}

TEST_F(Get, RefusesWhatKubectlWatchesNot) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"pods,rs", "-w"}, "error: you may only specify a single resource type\n"},
      {{"pods", "a", "b", "-w"},
       "error: watch is only supported on individual resources and resource collections - more "
       "than 1 resource was found\n"},
      {{"pods", "--output-watch-events"},
       "error: --output-watch-events option can only be used with --watch or --watch-only\n"},
      {{"pods", "-w", "--as-seen-by", "kube-scheduler"},
       "error: --watch follows what etcd held: leave out --as-seen-by\n"},
      {{"pods", "a", "-l", "a=b", "-w"},
       "error: name cannot be provided when a selector is specified\n"},
  };
  for (const auto& [args, want] : cases) {
    const CliResult result = Ask(args);
    EXPECT_EQ(result.err, want) << args.back();
    EXPECT_EQ(result.code, 2) << args.back();
  }
  EXPECT_EQ(Ask({"pods", "-w", "-o", "name", "--sort-by", ".metadata.name"}).err,
            "warning: --watch or --watch-only requested, --sort-by will be ignored\n");
}

TEST_F(Get, ReadsTemplatesFromFiles) {
  const std::string path = testing::TempDir() + "get.template";
  ASSERT_TRUE(os::WriteFile(path, "{.items[0].spec.nodeName}").ok());
  EXPECT_EQ(Ask({"pods", "-o", "jsonpath-file=" + path}).out, "node-3");
  ASSERT_TRUE(os::WriteFile(path, "NAME   NODE\nmetadata.name   spec.nodeName\n").ok());
  EXPECT_EQ(Ask({"pods", "-o", "custom-columns-file=" + path}).out,
            "NAME                  NODE\n"
            "my-replicaset-7l6pd   node-3\n"
            "my-replicaset-8pt2v   node-1\n");
  EXPECT_EQ(Ask({"pods", "-o", "jsonpath-file=no-such-file"}).code, 2);
  EXPECT_EQ(Ask({"pods", "-o="}).out, Ask({"pods"}).out) << "as kubectl takes it";
}

TEST_F(Get, SaysWhatIsWrongAsKubectlDoes) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"pods", "-o", "jsonpath"}, "error: template format specified but no template given\n"},
      {{"pods", "-o", "jsonpath={.items[7"},
       "error: error parsing jsonpath {.items[7, unterminated array\n"},
      {{"pods", "-o", "custom-columns"},
       "error: custom-columns format specified but no custom columns given\n"},
      {{"pods", "-o", "custom-columns=NAME"},
       "error: unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>\n"},
      {{"pods", "-o", "custom-columns=NAME:{a}b"},
       "error: unexpected path string, expected a 'name1.name2' or '.name1.name2' or "
       "'{name1.name2}' or '{.name1.name2}'\n"},
      {{"pods", "-o", "jsn"},
       "error: unable to match a printer suitable for the output format \"jsn\", allowed formats "
       "are: custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,"
       "text,wide,yaml\n"},
      {{"pods", "-o", "json=x"},
       "error: unable to match a printer suitable for the output format \"json=x\", allowed "
       "formats are: custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,"
       "jsonpath-file,name,text,wide,yaml\n"},
      {{"pods", "-o", "json", "--show-labels"},
       "error: --show-labels option cannot be used with json printer\n"},
      {{"pods", "--sort-by", ".spec.nope"},
       "error: couldn't find any field with path \"{.spec.nope}\" in the list of objects\n"},
      {{"pods", "--sort-by", ".spec.containers"},
       "error: Field {.spec.containers} is an unsortable type: interface, err: unsortable type: "
       "[]interface {}\n"},
      {{"pods", "--field-selector", "spec.foo=1"},
       "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label "
       "selector \"\", field selector \"spec.foo=1\": field label not supported: spec.foo\n"},
      {{"rs", "-l", "a==b=="},
       "Error from server (BadRequest): Unable to find \"apps/v1, Resource=replicasets\" that "
       "match label selector \"a==b==\", field selector \"\": found '==', expected: ',' or 'end of "
       "string'\n"},
      {{"pods", "x", "-l", "app=a"},
       "error: name cannot be provided when a selector is specified\n"},
      {{"pods/x", "-l", "app=a"},
       "error: selectors and the all flag cannot be used when passing resource/name arguments\n"},
      {{"pods", "x", "-A"},
       "error: a resource cannot be retrieved by name across all namespaces\n"},
      {{"all", "x"}, "error: you must specify only one resource\n"},
      {{"pods/x", "y"},
       "error: there is no need to specify a resource type as a separate argument when passing "
       "arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of "
       "'kubectl get resource resource/<resource_name>'\n"},
      {{"rs", "--field-selector", "status.replicas=1"},
       "Error from server (BadRequest): Unable to find \"apps/v1, Resource=replicasets\" that "
       "match "
       "label selector \"\", field selector \"status.replicas=1\": \"status.replicas\" is not a "
       "known "
       "field selector: only \"metadata.name\", \"metadata.namespace\"\n"},
      {{"foos.example.com"}, "error: the server doesn't have a resource type \"foos\"\n"},
      {{"pods/x/y"}, "error: arguments in resource/name form may not have more than one slash\n"},
      {{"pods/"}, "error: arguments in resource/name form must have a single resource and name\n"},
  };
  for (const auto& [args, want] : cases) {
    const CliResult r = Ask(args);
    EXPECT_EQ(r.err, want);
    EXPECT_EQ(r.out, "") << want;
    EXPECT_EQ(r.code, 2) << want;
  }
  const CliResult r =
      Ask({"rs/my-replicaset", "-o", "jsonpath={.spec.template.spec.containers[3]}"});
  EXPECT_TRUE(r.err.starts_with(
      "error: error executing jsonpath \"{.spec.template.spec.containers[3]}\": Error executing "
      "template: array index out of bounds: index 3, length 1. Printing more information for "
      "debugging the template:\n\ttemplate was:\n\t\t{.spec.template.spec.containers[3]}\n"
      "\tobject given to jsonpath engine was:\n\t\tmap[string]interface {}{\"apiVersion\":"))
      << r.err;
  EXPECT_NE(Ask({"pods", "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false"})
                .err.find("Error executing template: nope is not found."),
            std::string::npos);
}

TEST_F(Get, SelectsByFieldsAndLabels) {
  EXPECT_EQ(Ask({"pods", "--field-selector", "spec.nodeName=node-1", "-o", "name"}).out,
            "pod/my-replicaset-8pt2v\n");
  EXPECT_EQ(Ask({"pods", "--field-selector", "spec.nodeName!=node-1,status.phase=Running", "-l",
                 "app in (my-app)", "-o", "name"})
                .out,
            "pod/my-replicaset-7l6pd\n");
  const CliResult none = Ask({"pods", "--field-selector", "metadata.namespace=other"});
  EXPECT_EQ(none.err, "No resources found in default namespace.\n");
  EXPECT_EQ(none.code, 0);
}

TEST_F(Get, ShowsLabelsAndKinds) {
  EXPECT_EQ(Ask({"rs,nodes", "-L", "app", "-L", "x,kubernetes.io/os"}).out,
            "NAME                            DESIRED   CURRENT   READY   AGE   APP   X     OS\n"
            "replicaset.apps/my-replicaset   2         2         2       6s                \n"
            "\n"
            "NAME          STATUS   ROLES    AGE   VERSION   APP   X     OS\n"
            "node/node-1   Ready    <none>   8s    v1.30.0               linux\n"
            "node/node-2   Ready    <none>   8s    v1.30.0               linux\n"
            "node/node-3   Ready    <none>   8s    v1.30.0               linux\n");
  EXPECT_EQ(Ask({"rs,nodes"}).code, 0);
  EXPECT_EQ(Ask({"rs", "--show-kind", "--no-headers"}).out,
            "replicaset.apps/my-replicaset   2     2     2     6s\n");
}

// Neighbours of one kind share a table, whose names have no prefix.
TEST_F(Get, ShowsNamedObjectsInTheOrderAskedFor) {
  EXPECT_EQ(Ask({"node/node-2", "no/node-1"}).out,
            "NAME     STATUS   ROLES    AGE   VERSION\n"
            "node-2   Ready    <none>   8s    v1.30.0\n"
            "node-1   Ready    <none>   8s    v1.30.0\n");
  EXPECT_EQ(Ask({"nodes", "node-3", "node-1", "-o", "name"}).out, "node/node-3\nnode/node-1\n");
  const CliResult both = Ask({"rs,nodes", "node-1"});  // rs/node-1 nodes/node-1
  EXPECT_EQ(both.out,
            "NAME     STATUS   ROLES    AGE   VERSION\nnode-1   Ready    <none>   8s    v1.30.0\n");
  EXPECT_EQ(both.err, "Error from server (NotFound): replicasets.apps \"node-1\" not found\n");
  EXPECT_EQ(both.code, 5);
  EXPECT_EQ(Ask({"no,nodes,node", "-o", "name"}).out, "node/node-1\nnode/node-2\nnode/node-3\n");
}

// kubectl's print flags keep the column for the tables that follow.
TEST_F(Get, ANamespaceColumnStays) {
  EXPECT_EQ(Ask({"rs,nodes", "-A"}).out,
            "NAMESPACE   NAME                            DESIRED   CURRENT   READY   AGE\n"
            "default     replicaset.apps/my-replicaset   2         2         2       6s\n"
            "\n"
            "NAMESPACE   NAME          STATUS   ROLES    AGE   VERSION\n"
            "            node/node-1   Ready    <none>   8s    v1.30.0\n"
            "            node/node-2   Ready    <none>   8s    v1.30.0\n"
            "            node/node-3   Ready    <none>   8s    v1.30.0\n");
  EXPECT_TRUE(Ask({"nodes,rs", "-A"}).out.starts_with("NAME          STATUS"));
}

TEST_F(Get, TellsWhatIsNotThere) {
  EXPECT_EQ(Ask({"pod", "nope", "-n", "nowhere"}).err,
            "Error from server (NotFound): namespaces \"nowhere\" not found\n");
  EXPECT_EQ(Ask({"pod", "nope", "-n", "kube-system"}).err,
            "Error from server (NotFound): pods \"nope\" not found\n");
  EXPECT_EQ(Ask({"pod", "nope", "-o", "json"}).out, "");
  EXPECT_EQ(Ask({"pods", "nope", "nil", "-o", "jsonpath={.items}"}).out, "[]");
  const CliResult ignored = Ask({"pod", "nope", "--ignore-not-found"});
  EXPECT_EQ(ignored.code, 0);
  EXPECT_EQ(ignored.out + ignored.err, "");
  EXPECT_EQ(Ask({"pv"}).err, "No resources found\n");
  EXPECT_EQ(Ask({"secrets", "-o", "name"}).err, "") << "only tables say so";
}

TEST_F(Get, OrdersEachTable) {
  EXPECT_EQ(Ask({"pods", "--sort-by", "{.spec.nodeName}", "-o", "name"}).out,
            "pod/my-replicaset-8pt2v\npod/my-replicaset-7l6pd\n");
  EXPECT_EQ(Ask({"pods", "--sort-by=status.podIP", "--no-headers"}).out.substr(0, 19),
            "my-replicaset-8pt2v");
}

}  // namespace
}  // namespace ksim::cli
