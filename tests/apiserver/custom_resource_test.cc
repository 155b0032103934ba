// Custom resources by their definitions: what a request for one gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/printing/printers.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::PatchType;
using api::Verb;
using value::Path;
using value::Value;

Value Yaml(const std::string& text) {
  const value::YamlFile file = value::ParseYaml(text, "test");
  EXPECT_TRUE(file.errors.empty()) << text;
  return file.errors.empty() ? file.documents.front().ToValue() : Value();
}

constexpr const char* kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size,
              labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Phase, type: string, jsonPath: .status.phase}
    - {name: Since, type: date, jsonPath: .metadata.creationTimestamp, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 0}
              colour: {type: string, default: blue, enum: [blue, red]}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, port: {type: integer}}
          status:
            type: object
            properties:
              size: {type: integer}
              selector: {type: string}
              phase: {type: string}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer}, colour: {type: string}}
)";

class CustomResource : public ::testing::TestWithParam<api::Compat> {
 protected:
  CustomResource() : world(WorldOptions(GetParam())) {
    const api::Response made = world.Create("customresourcedefinitions", "", Yaml(kWidgets));
    EXPECT_EQ(made.code, 201) << made.status.message;
    world.Advance(Seconds(1));
  }
  static Value Widget(const std::string& spec) {
    return Yaml(
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: "
        "default}, spec: " +
        spec + "}");
  }
  api::Response Make(const std::string& spec) {
    return world.Create("widgets", "default", Widget(spec));
  }
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, CustomResource, ::testing::ValuesIn(kProfiles),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// CRD-03, CRD-04
TEST_P(CustomResource, IsPrunedAndDefaulted) {
  const api::Response made = Make("{size: 1, unknown: x}");
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.spec(), Json(R"({"size":1,"colour":"blue"})"));
}

// CRD-03: fieldValidation
TEST_P(CustomResource, TellsUnknownFields) {
  const auto create = [this](const char* validation) {
    api::Request request = world.Request(Verb::kCreate, "widgets", "default", "");
    request.body = Widget("{size: 1, unknown: x, ports: [{name: a, extra: 1}]}");
    request.field_validation = validation;
    request.dry_run = true;
    return world.Do(std::move(request));
  };
  const api::Response strict = create("Strict");
  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(strict.status.message.str(),
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: "
            "unknown field \"spec.ports[0].extra\", unknown field \"spec.unknown\"");
  EXPECT_EQ(create("Warn").warnings.size(), 2u);
  EXPECT_TRUE(create("Ignore").warnings.empty());
}

// CRD-05
TEST_P(CustomResource, IsRefusedByItsSchema) {
  const api::Response refused = Make("{size: -1, colour: green}");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.status.message.str(),
            "Widget.example.com \"w\" is invalid: [spec.colour: Unsupported value: \"green\": "
            "supported values: \"blue\", \"red\", spec.size: Invalid value: -1: spec.size in body "
            "should be greater than or equal to 0, .spec.size: Invalid value: -1: should be a "
            "non-negative integer]");
  EXPECT_EQ(Make("{}").status.message.str(),
            "Widget.example.com \"w\" is invalid: spec.size: Required value");
}

// CRD-06
TEST_P(CustomResource, ListsOfTypeMapHoldAKeyOnce) {
  const api::Response refused = Make("{size: 1, ports: [{name: a}, {name: a}]}");
  EXPECT_EQ(refused.code, 422);
  EXPECT_NE(refused.status.message.view().find("spec.ports[1]: Duplicate value: "),
            std::string::npos)
      << refused.status.message;
}

// CRD-08
TEST_P(CustomResource, ScalesByItsPaths) {
  Make("{size: 1}");
  Value status = world.Get("widgets", "default", "w").object.ToTree();
  status = status.Set("status", Json(R"({"size":4,"selector":"a=b"})"));
  ASSERT_EQ(world.Update("widgets", status, "status").code, 200);
  api::Request get = world.Request(Verb::kGet, "widgets", "default", "w");
  get.subresource = "scale";
  const Value scale = world.Do(std::move(get)).object.tree();
  EXPECT_EQ(scale.Get("spec"), Json(R"({"replicas":1})"));
  EXPECT_EQ(scale.Get("status"), Json(R"({"replicas":4,"selector":"a=b"})"));
  world.Patch("widgets", "default", "w", PatchType::kMerge, R"({"spec":{"replicas":3}})", "scale");
  const api::Response scaled = world.Get("widgets", "default", "w");
  EXPECT_EQ(scaled.object.Get(Path{"spec", "size"}).AsInt(), 3);
  EXPECT_TRUE(scaled.object.Get(Path{"spec", "replicas"}).is_null());
}

// CRD-02: strategy None: each version has what its schema has.
TEST_P(CustomResource, ConvertsByItsSchemas) {
  Make("{size: 1, ports: [{name: a}]}");
  const api::Response beta = world.Get("widgets.v1beta1.example.com", "default", "w");
  EXPECT_EQ(beta.object.api_version(), "example.com/v1beta1");
  EXPECT_EQ(beta.object.spec(), Json(R"({"size":1,"colour":"blue"})"));
  ASSERT_EQ(beta.warnings.size(), 1u);
  EXPECT_EQ(beta.warnings.front(),
            "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget");
}

// CRD-13: lists merge by the keys that the schema names.
TEST_P(CustomResource, ServerSideApplyMergesListsByKey) {
  const auto apply = [this](const char* manager, const std::string& ports) {
    api::Request request = world.Request(Verb::kPatch, "widgets", "default", "w");
    request.patch_type = PatchType::kApply;
    request.field_manager = manager;
    request.body = Yaml(
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: " + ports + "}");
    return world.Do(std::move(request));
  };
  ASSERT_EQ(apply("one", "{size: 1, ports: [{name: a, port: 1}]}").code, 201);
  const api::Response two = apply("two", "{size: 1, ports: [{name: b, port: 2}]}");
  ASSERT_EQ(two.code, 200) << two.status.message;
  EXPECT_EQ(two.object.spec().Get("ports"),
            Json(R"([{"name":"a","port":1},{"name":"b","port":2}])"));
  const api::Response conflict = apply("two", "{size: 1, ports: [{name: a, port: 3}]}");
  EXPECT_EQ(conflict.code, 409);
  EXPECT_NE(conflict.status.message.view().find(".spec.ports[name=\"a\"].port"), std::string::npos)
      << conflict.status.message;
  const api::Response unknown = apply("two", "{size: 1, nothing: 2}");
  EXPECT_EQ(unknown.code, 500);
  EXPECT_NE(unknown.status.message.view().find(".spec.nothing: field not declared in schema"),
            std::string::npos)
      << unknown.status.message;
}

// CRD-14
TEST_P(CustomResource, PrintsItsColumns) {
  Make("{size: 1}");
  const api::Response found = world.Get("wd", "default", "w");
  const api::Table table =
      api::PrintTable(world.Kind("widgets"), {found.object}, world.sim.now() + Minutes(5));
  std::vector<std::string> names;
  for (const api::TableColumn& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Name", "Size", "Phase", "Since"}));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][0], "w");
  EXPECT_EQ(table.rows[0][1], "1");
  EXPECT_EQ(table.rows[0][2], "");
  EXPECT_EQ(table.columns[3].priority, 1);
}

// CRD-09
TEST_P(CustomResource, AnUpdateIsJudgedByWhatItChanges) {
  Make("{size: 1, ports: [{name: a, port: 70000}]}");
  // The schema becomes stricter than the object.
  Value crd = world.Get("customresourcedefinitions", "", "widgets.example.com").object.ToTree();
  crd = crd.Set(*Path::Parse("spec.versions[0].schema.openAPIV3Schema.properties.spec.properties."
                             "ports.items.properties.port.maximum"),
                Value::Of(65535));
  const api::Response changed = world.Update("customresourcedefinitions", crd);
  ASSERT_EQ(changed.code, 200) << changed.status.message;
  world.Advance(Seconds(2));
  const api::Response labelled = world.Patch("widgets", "default", "w", PatchType::kMerge,
                                             R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(labelled.code, GetParam() == api::Compat::k1_25 ? 422 : 200) << labelled.status.message;
  EXPECT_EQ(world
                .Patch("widgets", "default", "w", PatchType::kMerge,
                       R"({"spec":{"ports":[{"name":"a","port":70001}]}})")
                .code,
            422);
}

// CRD-01: what users get wrong in a definition.
TEST_P(CustomResource, DefinitionsWithMistakesAreRefused) {
  struct Row {
    const char *path, *value, *cause;
  };
  for (const Row& row : {
           Row{"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size",
               "{minimum: 1}",
               "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type: "
               "Required value: must not be empty for specified object fields"},
           Row{"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list",
               "{type: array}",
               "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items: "
               "Required value: must be specified"},
           Row{"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.colour.default",
               "5",
               "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[colour]."
               "default: Invalid value: \"integer\":  in body must be of type string: "
               "\"integer\""},
           Row{"spec.versions[0].subresources.scale.specReplicasPath", "spec.size",
               "spec.versions[0].subresources.scale.specReplicasPath: Invalid value: "
               "\"spec.size\": must be a simple json path starting with ."},
           Row{"spec.versions[0].additionalPrinterColumns[0].type", "int",
               "spec.versions[0].additionalPrinterColumns[0].type: Invalid value: \"int\": must be "
               "one of boolean,date,integer,number,string"},
           Row{"spec.versions[0].storage", "false",
               "must have exactly one version marked as storage version"},
           Row{"spec.conversion", "{strategy: Webhook}",
               "spec.conversion.webhookClientConfig: Required value: required when strategy is set "
               "to Webhook"},
           Row{"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.ports."
               "x-kubernetes-list-map-keys",
               "[nothing]",
               "x-kubernetes-list-map-keys: Invalid value: []string{\"nothing\"}: entries must all "
               "be names of item properties"},
       }) {
    Value crd = Yaml(kWidgets);
    const Value bad = Yaml(std::string("{v: ") + row.value + "}").Get("v");
    crd = crd.Set(*Path::Parse(row.path), bad);
    const api::Response r = world.Create("customresourcedefinitions", "", crd);
    EXPECT_EQ(r.code, 422);
    std::string cause = row.cause;
    const std::string go = "[]string{\"nothing\"}";
    if (GetParam() == api::Compat::k1_36 && cause.find(go) != cause.npos)
      cause.replace(cause.find(go), go.size(), "[\"nothing\"]");
    EXPECT_NE(r.status.message.view().find(cause), std::string::npos) << row.path << "\n"
                                                                      << r.status.message;
  }
}

constexpr const char* kFleets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fleets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: fleets, kind: Fleet}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer}, most: {type: integer}, note: {type: string}}
            x-kubernetes-validations: [{rule: self.size <= self.most, message: too large}]
          status:
            type: object
            properties: {size: {type: integer}}
            x-kubernetes-validations: [{rule: self.size != 7, message: unlucky}]
)";

// CRD-20: every way to write comes by the rules.
TEST_P(CustomResource, RulesJudgeEveryWrite) {
  ASSERT_EQ(world.Create("customresourcedefinitions", "", Yaml(kFleets)).code, 201);
  world.Advance(Seconds(1));
  const auto fleet = [](int size, const char* more) {
    return Yaml("{apiVersion: example.com/v1, kind: Fleet, metadata: {name: f, namespace: default" +
                std::string(more) + "}, spec: {size: " + std::to_string(size) + ", most: 3}}");
  };
  const std::string value = GetParam() == api::Compat::k1_36 ? "" : ": \"object\"";
  const auto refused = [&](const api::Response& r, const std::string& place) {
    EXPECT_EQ(r.code, 422);
    EXPECT_EQ(r.status.message.view(), "Fleet.example.com \"f\" is invalid: " + place +
                                           ": Invalid value" + value +
                                           (place == "spec" ? ": too large" : ": unlucky"));
  };
  refused(world.Create("fleets", "default", fleet(4, "")), "spec");
  const api::Response made = world.Create("fleets", "default", fleet(2, ""));
  ASSERT_EQ(made.code, 201);
  const std::string version =
      ", resourceVersion: '" + std::to_string(made.object.resource_version()) + "'";
  refused(world.Update("fleets", fleet(5, version.c_str())), "spec");
  for (const PatchType type : {PatchType::kMerge, PatchType::kApply}) {
    const std::string body =
        R"({"apiVersion":"example.com/v1","kind":"Fleet","metadata":{"name":"f"},)"
        R"("spec":{"size":7,"most":3}})";
    api::Request request = world.Request(Verb::kPatch, "fleets", "default", "f");
    request.patch_type = type;
    request.body = *value::ParseJson(body);
    if (type == PatchType::kApply) request.field_manager = "m";
    request.force = type == PatchType::kApply;
    refused(world.Do(std::move(request)), "spec");
  }
  refused(world.Patch("fleets", "default", "f", PatchType::kMerge, R"({"spec":{"replicas":9}})",
                      "scale"),
          "spec");
  refused(world.Patch("fleets", "default", "f", PatchType::kMerge, R"({"status":{"size":7}})",
                      "status"),
          "status");
}

}  // namespace
}  // namespace ksim::apiserver
