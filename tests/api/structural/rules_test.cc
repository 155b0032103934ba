// Rules of schemas in CEL: definitions and objects, as upstream's code judged them. What it said is
// recorded (tests/api/recorded/README.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "ksim/api/rules/validation.h"
#include "ksim/api/structural/custom_resource.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

Value DefinitionOf(const Value& schema) {
  const Value definition = Yaml(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: foos.x.io, uid: u, resourceVersion: '1', "
      "creationTimestamp: '2024-01-01T00:00:00Z'}\n"
      "spec: {group: x.io, scope: Cluster, conversion: {strategy: None},\n"
      "  names: {plural: foos, singular: foo, kind: Foo, listKind: FooList}}\n"
      "status: {storedVersions: [v1]}\n");
  const Value version = value::Obj({{"name", Value::Of("v1")},
                                    {"served", Value::Bool(true)},
                                    {"storage", Value::Bool(true)},
                                    {"schema", value::Obj({{"openAPIV3Schema", schema}})}});
  return definition.Set(*value::Path::Parse("spec.versions"), value::Arr({version}));
}

std::string Told(const FieldErrors& errors) {
  std::string text;
  for (const StatusCause& cause : errors)
    text += fmt::format("{}|{}|{}\n", cause.reason, cause.field, cause.message);
  return text;
}

std::string Lines(const Value& list) {
  std::string text;
  for (const Value& line : list.items()) text += fmt::format("{}\n", line.AsString());
  return text;
}

// The cel-go of 1.25 words some errors of compilation otherwise (docs/fidelity.md).
bool IsWordedOtherwise(const Value& one, Compat compat) {
  if (compat != Compat::k1_25) return false;
  const std::string_view name = one.Get("name").AsString();
  return name == "optionalOldSelf" || name == "optionalOldSelf at an update" ||
         name == "schema error too";
}

std::vector<Value> Recorded(Compat compat) {
  std::vector<Value> cases;
  std::ifstream file(fmt::format("tests/api/recorded/rules-{}.jsonl", ToString(compat)));
  for (std::string line; std::getline(file, line);) {
    Value one = *value::ParseJson(line);
    if (!IsWordedOtherwise(one, compat)) cases.push_back(std::move(one));
  }
  return cases;
}

class CustomRules : public ::testing::TestWithParam<Compat> {};
INSTANTIATE_TEST_SUITE_P(Profiles, CustomRules, ::testing::ValuesIn(kAllCompats),
                         [](const auto& info) {
                           std::string name(ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// CRD-18, CRD-19
TEST_P(CustomRules, DefinitionsAreJudgedAsUpstreamDoes) {
  const std::vector<Value> cases = Recorded(GetParam());
  EXPECT_GT(cases.size(), 60u);
  const ResourceInfo& kind = KindOf("customresourcedefinitions");
  for (const Value& one : cases) {
    const Value now = DefinitionOf(one.Get("schema"));
    const Value& old = one.Get("oldSchema");
    const FieldErrors errors = old.is_null()
                                   ? ValidateCreate(kind, now, GetParam())
                                   : ValidateUpdate(kind, now, DefinitionOf(old), "", GetParam());
    EXPECT_EQ(Told(errors), Lines(one.Get("crd"))) << one.Get("name").AsString();
  }
}

// CRD-20, CRD-21
TEST_P(CustomRules, ObjectsAreJudgedAsUpstreamDoes) {
  for (const Value& one : Recorded(GetParam())) {
    if (one.Get("now").is_null()) continue;
    Kinds kinds;
    const auto kind = kinds.AddFromCrd(DefinitionOf(one.Get("schema")));
    ASSERT_TRUE(kind.ok()) << kind.status();
    const Value& old = one.Get("old");
    FieldErrors errors;
    std::vector<std::string> warnings;
    ValidateCustom(**kind, one.Get("now"), old.is_null() ? nullptr : &old, "", GetParam(), &errors,
                   &warnings);
    EXPECT_EQ(Told(errors), Lines(one.Get("object"))) << one.Get("name").AsString();
    EXPECT_EQ(warnings.size(), one.Get("warnings").size()) << one.Get("name").AsString();
    for (std::size_t i = 0; i < warnings.size(); ++i)
      EXPECT_EQ(warnings[i], one.Get("warnings").at(i).AsString());
  }
}

}  // namespace
}  // namespace ksim::api
