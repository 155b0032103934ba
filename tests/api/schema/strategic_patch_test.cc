#include <gtest/gtest.h>

#include <map>
#include <string>

#include "ksim/api/patch_schema.h"
#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "ksim/value/yaml.h"
#include "tests/value/value_random.h"

namespace ksim::value {
namespace {

using api::FindPatchSchema;

Value Y(std::string_view text) {
  const YamlFile file = ParseYaml(text, "test");
  EXPECT_TRUE(file.errors.empty()) << Render(file.errors, false);
  return file.documents.empty() ? Value::EmptyObject() : file.documents.front().ToValue();
}

std::string Applied(std::string_view original, std::string_view patch,
                    std::string_view api_version = "v1", std::string_view kind = "Pod") {
  const auto got =
      ApplyStrategicMergePatch(Y(original), Y(patch), FindPatchSchema(api_version, kind));
  return got.ok() ? ToJson(*got) : std::string(got.status().message());
}

// API-89
TEST(StrategicPatch, ListsOfBuiltInKindsMergeByTheirKeys) {
  const struct {
    const char* api_version;
    const char* kind;
    const char* original;
    const char* patch;
    const char* result;
  } cases[] = {
      {"v1", "Pod", "spec: {containers: [{name: a, image: x, env: [{name: E, value: '1'}]}]}",
       "spec: {containers: [{name: a, env: [{name: F, value: '2'}]}]}",
       R"({"spec":{"containers":[{"env":[{"name":"F","value":"2"},{"name":"E","value":"1"}],)"
       R"("image":"x","name":"a"}]}})"},
      {"v1", "Pod", "spec: {containers: [{name: a, ports: [{containerPort: 80, name: http}]}]}",
       "spec: {containers: [{name: a, ports: [{containerPort: 80, protocol: TCP}]}]}",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"http",)"
       R"("protocol":"TCP"}]}]}})"},
      {"v1", "Pod", "status: {conditions: [{type: Ready, status: 'False'}, {type: X, status: a}]}",
       "status: {conditions: [{type: Ready, status: 'True'}]}",
       R"({"status":{"conditions":[{"status":"True","type":"Ready"},{"status":"a","type":"X"}]}})"},
      {"v1", "Pod", "metadata: {ownerReferences: [{uid: u1, name: a}]}",
       "metadata: {ownerReferences: [{uid: u2, name: b}, {$patch: delete, uid: u1}]}",
       R"({"metadata":{"ownerReferences":[{"name":"b","uid":"u2"}]}})"},
      {"v1", "Pod", "metadata: {finalizers: [a, b]}", "metadata: {finalizers: [c, a]}",
       R"({"metadata":{"finalizers":["c","a","b"]}})"},
      {"v1", "Pod", "metadata: {finalizers: [a, b, c]}",
       "metadata: {$deleteFromPrimitiveList/finalizers: [b]}",
       R"({"metadata":{"finalizers":["a","c"]}})"},
      {"v1", "Pod", "spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: b}]}",
       R"({"spec":{"tolerations":[{"key":"b"}]}})"},
      {"v1", "Pod", "spec: {volumes: [{name: v, emptyDir: {}}]}",
       "spec: {volumes: [{name: v, $retainKeys: [name, hostPath], hostPath: {path: /x}}]}",
       R"({"spec":{"volumes":[{"hostPath":{"path":"/x"},"name":"v"}]}})"},
      {"v1", "Node", "spec: {taints: [{key: a}]}", "spec: {taints: [{key: b}]}",
       R"({"spec":{"taints":[{"key":"b"}]}})"},
      {"v1", "Node", "status: {addresses: [{type: InternalIP, address: a}]}",
       "status: {addresses: [{type: Hostname, address: h}]}",
       R"({"status":{"addresses":[{"address":"h","type":"Hostname"},)"
       R"({"address":"a","type":"InternalIP"}]}})"},
      {"v1", "Service", "spec: {ports: [{port: 80, targetPort: 1}]}",
       "spec: {ports: [{port: 80, targetPort: 2}, {port: 81}]}",
       R"({"spec":{"ports":[{"port":80,"targetPort":2},{"port":81}]}})"},
      {"apps/v1", "ReplicaSet",
       "spec: {template: {spec: {containers: [{name: a, image: x}, {name: b}]}}}",
       "spec: {template: {spec: {containers: [{name: b, image: y}]}}}",
       R"({"spec":{"template":{"spec":{"containers":[{"image":"x","name":"a"},)"
       R"({"image":"y","name":"b"}]}}}})"},
      {"apps/v1", "Deployment",
       "spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}}",
       "spec: {strategy: {$retainKeys: [type], type: Recreate}}",
       R"({"spec":{"strategy":{"type":"Recreate"}}})"},
      {"policy/v1", "PodDisruptionBudget", "spec: {selector: {matchLabels: {a: b}}}",
       "spec: {selector: {matchLabels: {c: d}}}",
       R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})"},
      {"batch/v1", "CronJob",
       "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}",
       "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: b}]}}}}}",
       R"({"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"b"},)"
       R"({"name":"a"}]}}}}}})"},
      {"v1", "ConfigMap", "data: {a: '1', b: '2'}", "data: {a: null, c: '3'}",
       R"({"data":{"b":"2","c":"3"}})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Applied(c.original, c.patch, c.api_version, c.kind), c.result) << c.patch;
  }
}

// API-89
TEST(StrategicPatch, Directives) {
  const struct {
    const char* original;
    const char* patch;
    const char* result;
  } cases[] = {
      {"spec: {nodeSelector: {a: b}, x: 1}", "spec: {nodeSelector: {$patch: replace, c: d}}",
       R"({"spec":{"nodeSelector":{"c":"d"},"x":1}})"},
      {"spec: {nodeSelector: {a: b}, x: 1}", "spec: {nodeSelector: {$patch: delete}}",
       R"({"spec":{"nodeSelector":{},"x":1}})"},
      {"spec: {x: 1}", "spec: {nodeSelector: {$patch: delete}}", R"({"spec":{"x":1}})"},
      {"spec: {containers: [{name: a}, {name: b}]}",
       "spec: {containers: [{name: c}, {$patch: replace}]}",
       R"({"spec":{"containers":[{"name":"c"}]}})"},
      {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
       "spec: {$setElementOrder/containers: [{name: c}, {name: a}], containers: [{name: a, image: "
       "x}]}",
       R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"image":"x","name":"a"}]}})"},
      {"spec: {containers: [{name: a}, {name: b}]}",
       "spec: {$setElementOrder/containers: [{name: b}, {name: a}]}",
       R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})"},
      {"metadata: {finalizers: [a, b, s]}",
       "metadata: {$setElementOrder/finalizers: [b, c, a], finalizers: [c]}",
       R"({"metadata":{"finalizers":["b","c","a","s"]}})"},
      {"spec: {x: 1}",
       "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: a}, {name: b, $patch: "
       "delete}]}",
       R"({"spec":{"containers":[{"name":"a"}],"x":1}})"},
      // Nulls delete members, and a new member comes in without them.
      {"spec: {a: 1, b: {c: 1}}", "spec: {a: null, b: {c: null}, d: {e: null, f: [{g: null}]}}",
       R"({"spec":{"b":{},"d":{"f":[{}]}}})"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: b, image: null}]}",
       R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: null, image: x}]}",
       R"({"spec":{"containers":[{"image":"x","name":null},{"name":"a"}]}})"},
      {"spec: {a: {x: 1}}", "spec: {a: text}", R"({"spec":{"a":"text"}})"},
      {"{}", "{}", "{}"},
  };
  for (const auto& c : cases) EXPECT_EQ(Applied(c.original, c.patch), c.result) << c.patch;
}

TEST(StrategicPatch, BadPatchesHaveUpstreamsText) {
  const struct {
    const char* original;
    const char* patch;
    const char* error;
  } cases[] = {
      {"spec: {a: {}}", "spec: {a: {$patch: frob}}",
       "unknown patch type: frob in map: map[$patch:frob]"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{image: x}]}",
       "map: map[image:x] does not contain declared merge key: name"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: delete}]}",
       "map: map[$patch:delete] does not contain declared merge key: name"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: merge, name: a}]}",
       "merging lists cannot yet be specified in the patch"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: x, name: a}]}",
       "unknown patch type: x in map: map[$patch:x name:a]"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [a]}",
       "list element types are not identical: [[map[name:a]] [a]]"},
      {"metadata: {finalizers: [a]}", "metadata: {finalizers: [[a]]}",
       "lists of lists are not supported"},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: b}], containers: [{name: a}]}",
       "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n"
       "[map[name:b]]\n"},
      {"spec: {}", "spec: {$setElementOrder/containers: x}",
       "expected a []interface {}, but received a string"},
      {"spec: {}", "spec: {$setElementOrder: []}", "invalid patch format of setElementOrder list"},
      {"spec: {}", "spec: {$deleteFromPrimitiveList: []}",
       "invalid patch format of primitive list"},
      {"spec: {}", "spec: {$retainKeys: [a], b: 1}", "invalid patch format of retainKeys"},
      {"spec: {}", "spec: {$retainKeys: a}", "invalid patch format of retainKeys"},
  };
  for (const auto& c : cases) EXPECT_EQ(Applied(c.original, c.patch), c.error) << c.patch;
}

// API-86
TEST(StrategicPatch, CustomResourcesHaveNone) {
  EXPECT_EQ(FindPatchSchema("example.com/v1", "Widget"), nullptr);
  EXPECT_EQ(FindPatchSchema("apps/v1", "Pod"), nullptr);
  EXPECT_NE(FindPatchSchema("v1", "Pod"), nullptr);
  EXPECT_NE(FindPatchSchema("apps/v1", "ReplicaSet"), nullptr);
  EXPECT_NE(FindPatchSchema("coordination.k8s.io/v1", "Lease"), nullptr);
  const auto got = ApplyStrategicMergePatch(Value(), Value::EmptyObject(),
                                            FindPatchSchema("example.com/v1", "W"));
  EXPECT_EQ(got.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_FALSE(CreateTwoWayMergePatch(Value(), Value(), FindPatchSchema("x/v1", "W")).ok());
  EXPECT_FALSE(
      CreateThreeWayMergePatch(Value(), Value(), Value(), FindPatchSchema("x/v1", "W")).ok());
}

TEST(StrategicPatch, TwoWay) {
  const struct {
    const char* original;
    const char* modified;
    const char* patch;
  } cases[] = {
      {"spec: {a: 1}", "spec: {a: 1}", "{}"},
      {"spec: {a: 1, b: 2}", "spec: {a: 3, c: 4}", R"({"spec":{"a":3,"b":null,"c":4}})"},
      {"spec: {containers: [{name: a, image: x}, {name: b}]}",
       "spec: {containers: [{name: a, image: y}, {name: c}]}",
       R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"c"}],)"
       R"("containers":[{"image":"y","name":"a"},{"name":"c"},{"$patch":"delete","name":"b"}]}})"},
      {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: [b, c]}",
       R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],)"
       R"("$setElementOrder/finalizers":["b","c"],"finalizers":["c"]}})"},
      // Upstream sorts the original in place before it compares the order.
      {"metadata: {finalizers: [b, a]}", "metadata: {finalizers: [b, a]}",
       R"({"metadata":{"$setElementOrder/finalizers":["b","a"]}})"},
      {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: [a, b]}", "{}"},
      {"spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: a}, {key: b}]}",
       R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})"},
      {"spec: {volumes: [{name: v, emptyDir: {}}]}",
       "spec: {volumes: [{name: v, hostPath: {path: x}}]}",
       R"({"spec":{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{)"
       R"("$retainKeys":["hostPath","name"],"emptyDir":null,)"
       R"("hostPath":{"path":"x"},"name":"v"}]}})"},
      {"status: {phase: Pending}", "status: {phase: Running, podIPs: [{ip: x}]}",
       R"({"status":{"phase":"Running","podIPs":[{"ip":"x"}]}})"},
  };
  for (const auto& c : cases) {
    const auto patch =
        CreateTwoWayMergePatch(Y(c.original), Y(c.modified), FindPatchSchema("v1", "Pod"));
    ASSERT_TRUE(patch.ok()) << patch.status().message();
    EXPECT_EQ(ToJson(*patch), c.patch);
    EXPECT_EQ(*ApplyStrategicMergePatch(Y(c.original), *patch, FindPatchSchema("v1", "Pod")),
              Y(c.modified));
  }
}

// kubectl apply keeps members that others added and removes those that the user took away.
TEST(StrategicPatch, ThreeWay) {
  const Value original =
      Y("spec: {containers: [{name: a, image: x}, {name: b}], nodeSelector: {n: '1'}}");
  const Value modified = Y("spec: {containers: [{name: a, image: y}]}");
  const Value current =
      Y("spec: {containers: [{name: sidecar}, {name: a, image: x, imagePullPolicy: Always}, {name: "
        "b}],"
        " nodeSelector: {n: '1'}, nodeName: n1}");
  const auto patch =
      CreateThreeWayMergePatch(original, modified, current, FindPatchSchema("v1", "Pod"));
  ASSERT_TRUE(patch.ok());
  EXPECT_EQ(ToJson(*patch),
            R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"y",)"
            R"("name":"a"},{"$patch":"delete","name":"b"}],"nodeSelector":null}})");
  EXPECT_EQ(ToJson(*ApplyStrategicMergePatch(current, *patch, FindPatchSchema("v1", "Pod"))),
            R"({"spec":{"containers":[{"name":"sidecar"},{"image":"y","imagePullPolicy":"Always",)"
            R"("name":"a"}],"nodeName":"n1"}})");
}

TEST(StrategicPatch, ThreeWayFindsConflicts) {
  const struct {
    const char* original;
    const char* modified;
    const char* current;
    bool conflict;
  } cases[] = {
      {"spec: {a: 1}", "spec: {a: 2}", "spec: {a: 1}", false},
      {"spec: {a: 1}", "spec: {a: 2}", "spec: {a: 3}", true},
      {"spec: {a: 1}", "spec: {a: 2}", "spec: {a: 2}", false},
      {"spec: {a: 1}", "spec: {a: 2}", "spec: {a: 1, b: 9}", false},
      {"spec: {containers: [{name: a, image: x}]}", "spec: {containers: [{name: a, image: y}]}",
       "spec: {containers: [{name: a, image: z}]}", true},
      {"spec: {containers: [{name: a, image: x}]}", "spec: {containers: [{name: a, image: y}]}",
       "spec: {containers: [{name: a, image: x}, {name: b}]}", false},
      {"spec: {containers: [{name: a, image: x}]}", "spec: {containers: []}",
       "spec: {containers: [{name: a, image: z}]}", true},
      {"metadata: {finalizers: [a]}", "metadata: {finalizers: [a, b]}",
       "metadata: {finalizers: [a, c]}", false},
      {"spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: b}]}",
       "spec: {tolerations: [{key: c}]}", true},
      {"spec: {l: [1, 2]}", "spec: {l: [2, 3]}", "spec: {l: [3, 2]}", false},
  };
  for (const auto& c : cases) {
    const auto patch = CreateThreeWayMergePatch(Y(c.original), Y(c.modified), Y(c.current),
                                                FindPatchSchema("v1", "Pod"), /*overwrite=*/false);
    EXPECT_EQ(patch.status().code() == absl::StatusCode::kFailedPrecondition, c.conflict)
        << c.modified << " " << patch.status();
    EXPECT_TRUE(CreateThreeWayMergePatch(Y(c.original), Y(c.modified), Y(c.current),
                                         FindPatchSchema("v1", "Pod"))
                    .ok());
  }
}

// A pod with some containers, each name once, in any order. It has finalizers unless `sorted` asks
// for ordered lists: upstream does not notice a change that only sorts a list.
Value RandomPod(RandomValues& random, bool sorted_finalizers = false) {
  std::vector<Value> containers;
  std::vector<Value> finalizers;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    if (random.Below(2) == 0) continue;
    Value container = Obj({{"name", Value::Of(name)}});
    if (random.Below(2) == 0) container = container.Set("image", Value::Of(random.Name()));
    std::vector<Value> env;
    for (const char* e : {"X", "Y"}) {
      if (random.Below(2) == 0) {
        env.push_back(Obj({{"name", Value::Of(e)}, {"value", Value::Of(random.Name())}}));
      }
    }
    if (!env.empty()) container = container.Set("env", Value::Array(env));
    containers.insert(
        containers.begin() + random.Below(static_cast<unsigned>(containers.size()) + 1), container);
    const unsigned at = random.Below(static_cast<unsigned>(finalizers.size()) + 1);
    finalizers.insert(sorted_finalizers ? finalizers.end() : finalizers.begin() + at,
                      Value::Of(name));
  }
  ObjectBuilder spec;
  spec.AddIf(!containers.empty(), "containers", Value::Array(containers));
  spec.AddIf(random.Below(2) == 0, "nodeName", Value::Of(random.Name()));
  ObjectBuilder metadata;
  metadata.AddIf(!finalizers.empty() && random.Below(2) == 0, "finalizers",
                 Value::Array(finalizers));
  return Obj({{"metadata", metadata.Build()}, {"spec", spec.Build()}});
}

TEST(StrategicPatch, TheTwoWayPatchLeadsToTheOtherPod) {
  RandomValues random(41);
  for (int i = 0; i < 3000; ++i) {
    const Value a = RandomPod(random, true);
    const Value b = RandomPod(random);
    const auto patch = CreateTwoWayMergePatch(a, b, FindPatchSchema("v1", "Pod"));
    ASSERT_TRUE(patch.ok()) << patch.status();
    const auto got = ApplyStrategicMergePatch(a, *patch, FindPatchSchema("v1", "Pod"));
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(*got, b) << ToJson(a) << "\n" << ToJson(*patch) << "\n" << ToJson(*got);
  }
}

// The oracle of merging: containers are maps by name, since their order does not matter.
using ByName = std::map<std::string, Value>;
ByName Index(const Value& pod) {
  ByName index;
  for (const Value& c : pod.Get("spec").Get("containers").items()) {
    index[std::string(c.Get("name").AsString())] = c.Erase("env");
  }
  return index;
}

TEST(StrategicPatch, MergesContainersAsANaiveMapDoes) {
  RandomValues random(42);
  for (int i = 0; i < 2000; ++i) {
    const Value live = RandomPod(random);
    const Value patch = RandomPod(random);
    ByName want = Index(live);
    for (const auto& [name, container] : Index(patch)) {
      want[name] = ApplyMergePatch(want[name], container);
    }
    const auto got = ApplyStrategicMergePatch(live, patch, FindPatchSchema("v1", "Pod"));
    ASSERT_TRUE(got.ok());
    ASSERT_EQ(Index(*got), want);
  }
}

TEST(StrategicPatch, APatchThatChangesNothingKeepsTheOtherTrees) {
  const Value pod =
      Y("metadata: {name: a}\nspec: {containers: [{name: a}]}\nstatus: {phase: Running}");
  const auto got =
      ApplyStrategicMergePatch(pod, Y("status: {phase: Failed}"), FindPatchSchema("v1", "Pod"));
  EXPECT_TRUE(got->Get("spec").SameTree(pod.Get("spec")));
  EXPECT_TRUE(
      ApplyStrategicMergePatch(pod, Y("status: {phase: Running}"), FindPatchSchema("v1", "Pod"))
          ->SameTree(pod));
}

}  // namespace
}  // namespace ksim::value
