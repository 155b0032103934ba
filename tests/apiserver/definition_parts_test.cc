// Definitions: selectable fields, approval of APIs, and what is not served.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Verb;
using value::Path;
using value::Value;

Value ToyDefinition(const std::string& group, const std::string& version_more,
                    const std::string& spec_more = "", const std::string& annotations = "{}") {
  return Json(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
              R"("metadata":{"name":"toys.)" +
              group + R"(","annotations":)" + annotations + R"(},"spec":{"group":")" + group +
              R"(","scope":"Namespaced","names":{"plural":"toys","kind":"Toy"})" + spec_more +
              R"(,"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
              R"({"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
              R"("properties":{"colour":{"type":"string"},"size":{"type":"integer"},)"
              R"("parts":{"type":"array","items":{"type":"string"}}}}}}})" +
              version_more + "]}}");
}

Value Toy(const std::string& name, const std::string& spec) {
  return Json(R"({"apiVersion":"example.com/v1","kind":"Toy","metadata":{"name":")" + name +
              R"(","namespace":"default"},"spec":)" + spec + "}");
}

class DefinitionParts : public ::testing::TestWithParam<api::Compat> {
 protected:
  DefinitionParts() : world(WorldOptions(GetParam())) {}
  api::Response Define(const Value& definition) {
    api::Response made = world.Create("customresourcedefinitions", "", definition);
    world.Advance(Seconds(1));
    return made;
  }
  Value ConditionOf(const std::string& definition, std::string_view type) {
    const api::Response r = world.Get("customresourcedefinitions", "", definition);
    for (const Value& c : r.object.status().Get("conditions").items())
      if (c.Get("type").AsString() == type) return c;
    return Value();
  }
  std::vector<std::string> Selected(const std::string& fields) {
    api::ListOptions options;
    options.field_selector = fields;
    world.List("toys", "default");  // the first request begins to fill the kind's cache
    world.Advance(Seconds(1));
    const api::Response r = world.List("toys", "default", options);
    if (r.code != 200) return {std::string(r.status.message.str())};
    return Names(r);
  }
  bool selects() const { return GetParam() == api::Compat::k1_36; }
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, DefinitionParts, ::testing::ValuesIn(kProfiles),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// CRD-15
TEST_P(DefinitionParts, FieldSelectorsNameSelectableFields) {
  const api::Response made = Define(ToyDefinition(
      "example.com",
      R"(,"selectableFields":[{"jsonPath":".spec.colour"},{"jsonPath":".spec.size"}]})"));
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.spec().Get("versions").at(0).Has("selectableFields"), selects());
  world.Create("toys", "default", Toy("a", R"({"colour":"red","size":1})"));
  world.Create("toys", "default", Toy("b", R"({"colour":"blue"})"));
  using Texts = std::vector<std::string>;
  if (!selects()) {
    EXPECT_EQ(Selected("spec.colour=red"), Texts{"field label not supported: spec.colour"});
    return;
  }
  EXPECT_EQ(Selected("spec.colour=red"), Texts{"a"});
  EXPECT_EQ(Selected("spec.size=1,spec.colour!=blue"), Texts{"a"});
  EXPECT_EQ(Selected("spec.size="), Texts{"b"});
  EXPECT_EQ(Selected("spec.parts=x"), Texts{"field label not supported: spec.parts"});
}

// CRD-15
TEST_P(DefinitionParts, SelectableFieldsAreScalarsOfTheSchema) {
  if (!selects()) return;
  const struct {
    const char *path, *problem;
  } rows[] = {
      {".spec.parts", "must point to a field of type string, boolean or integer"},
      {".spec.none", "is an invalid path: does not refer to a valid field"},
      {".spec['colour']", "is an invalid path: array notation is not allowed"},
      {"spec.colour", "is an invalid path: expected [ or . but got: spec"},
      {".spec.", "is an invalid path: unexpected end of JSON path"},
      {"", "Required value"},
  };
  for (const auto& row : rows) {
    const api::Response refused =
        Define(ToyDefinition("example.com", R"(,"selectableFields":[{"jsonPath":")" +
                                                std::string(row.path) + R"("}]})"));
    EXPECT_EQ(refused.code, 422) << row.path;
    EXPECT_NE(refused.status.message.find(row.problem), std::string::npos)
        << refused.status.message;
  }
}

// CRD-17
TEST_P(DefinitionParts, AnApiOfKubernetesOwnGroupsIsApproved) {
  EXPECT_EQ(Define(ToyDefinition("toys.k8s.io", "}")).code, 422);
  EXPECT_EQ(
      Define(ToyDefinition("toys.k8s.io", "}", "", R"({"api-approved.kubernetes.io":"nonsense"})"))
          .code,
      422);
  const auto approved = [&](const std::string& by, const std::string& group) {
    Define(ToyDefinition(group, "}", "", R"({"api-approved.kubernetes.io":")" + by + R"("})"));
    const Value c = ConditionOf("toys." + group, "KubernetesAPIApprovalPolicyConformant");
    return std::string(c.Get("status").AsString()) + " " + std::string(c.Get("reason").AsString());
  };
  EXPECT_EQ(approved("https://example.com/1", "a.k8s.io"), "True ApprovedAnnotation");
  EXPECT_EQ(approved("unapproved, a trial", "b.k8s.io"), "False UnapprovedAnnotation");
  EXPECT_EQ(approved("whatever", "example.com"), " ");
  EXPECT_EQ(ConditionOf("toys.a.k8s.io", "Established").Get("status").AsString(), "True");
}

// CRD-10: what is served at no version, or whose names are accepted no longer, is not served.
TEST_P(DefinitionParts, WhatIsNotServedIsNotThere) {
  ASSERT_EQ(Define(ToyDefinition("example.com", "}")).code, 201);
  EXPECT_EQ(world.Create("toys", "default", Toy("a", "{}")).code, 201);
  const auto served = [&](const char* flag) {
    world.Patch(
        "customresourcedefinitions", "", "toys.example.com", api::PatchType::kJson,
        std::string(R"([{"op":"replace","path":"/spec/versions/0/served","value":)") + flag + "}]");
    world.Advance(Seconds(1));
    return world.kinds.ByName("toys") != nullptr && !world.kinds.ByName("toys")->withdrawn;
  };
  EXPECT_FALSE(served("false"));
  EXPECT_TRUE(served("true"));
}

// CRD-02: a write answers what it would read back.
TEST_P(DefinitionParts, AWriteAtAnotherVersionAnswersWhatIsStored) {
  const std::string other =
      R"(},{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":)"
      R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";
  ASSERT_EQ(Define(ToyDefinition("example.com", other)).code, 201);
  const Value toy = Toy("a", R"({"colour":"red","wheels":4})")
                        .Set(Path{"apiVersion"}, Value::Of("example.com/v2"));
  EXPECT_EQ(world.Create("toys.v2.example.com", "default", toy).object.spec(),
            Json(R"({"colour":"red"})"));
}

}  // namespace
}  // namespace ksim::apiserver
