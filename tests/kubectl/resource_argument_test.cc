#include "ksim/kubectl/arguments/resource_argument.h"

#include <gtest/gtest.h>

#include "ksim/value/yaml.h"

namespace ksim::kubectl {
namespace {

using api::Compat;

// The apiVersion of the argument's resource; "" if the server has no such type.
std::string VersionOf(const api::Kinds& kinds, std::string_view argument, Compat compat) {
  const api::ResourceInfo* const info = ResourceOfArgument(kinds, argument, compat);
  return info == nullptr ? "" : info->api_version();
}

// CRD-28
TEST(ResourceArgument, GoesToTheVersionThatItNames) {
  const api::Kinds kinds;
  const struct {
    const char *argument, *v125, *v130;
  } rows[] = {
      {"horizontalpodautoscalers", "autoscaling/v2", "autoscaling/v2"},
      {"horizontalpodautoscalers.autoscaling", "autoscaling/v2", "autoscaling/v2"},
      {"horizontalpodautoscalers.v1.autoscaling", "autoscaling/v1", "autoscaling/v1"},
      {"HorizontalPodAutoscaler.v1.autoscaling", "autoscaling/v1", "autoscaling/v1"},
      {"horizontalpodautoscalers.v3.autoscaling", "", ""},
      {"deployments.v1.apps", "apps/v1", "apps/v1"},
      {"deployments.v1.", "apps/v1", "apps/v1"},
      {"deployments.v1beta1.apps", "", ""},
      {"pods.v1.", "v1", "v1"},
      {"pods.v1", "", ""},
      // A shortcut drops the version, but in 1.25.
      {"hpa.v1.autoscaling", "autoscaling/v1", "autoscaling/v2"},
      {"hpa.v3.autoscaling", "", "autoscaling/v2"},
      // A version that a cluster of that age does not serve.
      {"flowschemas", "flowcontrol.apiserver.k8s.io/v1beta2", "flowcontrol.apiserver.k8s.io/v1"},
      {"flowschemas.v1.flowcontrol.apiserver.k8s.io", "", "flowcontrol.apiserver.k8s.io/v1"},
      {"flowschemas.v1beta2.flowcontrol.apiserver.k8s.io", "flowcontrol.apiserver.k8s.io/v1beta2",
       ""},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(VersionOf(kinds, row.argument, Compat::k1_25), row.v125) << row.argument;
    EXPECT_EQ(VersionOf(kinds, row.argument, Compat::k1_30), row.v130) << row.argument;
  }
}

// CRD-28
TEST(ResourceArgument, IsAGroupWhereNoVersionHasTheName) {
  api::Kinds kinds;
  const auto add = [&kinds](std::string_view group, std::string_view version) {
    api::ResourceInfo info;
    info.group = group;
    info.version = version;
    info.kind = "Widget";
    info.resource = "widgets";
    info.custom = true;
    kinds.Add(info);
  };
  add("example.com", "v1");
  add("example.com", "v1beta1");
  add("v1beta1.example.com", "v1");
  EXPECT_EQ(VersionOf(kinds, "widgets.v1beta1.example.com", Compat::k1_30), "example.com/v1beta1")
      << "the version goes before a group of that name";
  kinds.Withdraw("v1beta1.example.com", "widgets");
  EXPECT_EQ(VersionOf(kinds, "widgets.v1.example.com", Compat::k1_30), "example.com/v1");
  add("v7.example.com", "v1");
  EXPECT_EQ(VersionOf(kinds, "widgets.v7.example.com", Compat::k1_30), "v7.example.com/v1");
  EXPECT_EQ(VersionOf(kinds, "widgets.exam", Compat::k1_30), "example.com/v1")
      << "the beginning of a group";
  kinds.Withdraw("example.com", "widgets");
  EXPECT_EQ(VersionOf(kinds, "widgets.v1beta1.example.com", Compat::k1_30), "");
  EXPECT_EQ(VersionOf(kinds, "widgets.example.com", Compat::k1_30), "example.com/v1")
      << "kubectl has cached discovery: the server answers 404";
}

TEST(ResourceArgument, IsSpelledWithItsVersion) {
  const api::Kinds kinds;
  EXPECT_EQ(VersionedName(*kinds.ByName("pods")), "pods.v1.");
  EXPECT_EQ(VersionedName(*kinds.ByName("hpa.v1.autoscaling")),
            "horizontalpodautoscalers.v1.autoscaling");
  EXPECT_EQ(NoSuchTypeText("widgets.v9.example.com"),
            "error: the server doesn't have a resource type \"widgets\"");
}

}  // namespace
}  // namespace ksim::kubectl
