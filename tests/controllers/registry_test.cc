#include "ksim/controllers/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/variants.h"
#include "ksim/base/os.h"

namespace ksim::controllers {
namespace {

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names, upstream;
  for (const ControllerInfo& c : AllControllers()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(c.is_sample() || upstream.insert(c.upstream).second) << c.upstream;
    EXPECT_FALSE(c.text.empty()) << c.name;
    EXPECT_EQ(FindController(c.name), &c);
  }
  EXPECT_EQ(FindController("replicase"), nullptr);
}

TEST(Registry, BuiltInControllersComeBeforeSamples) {
  bool samples = false;
  for (const ControllerInfo& c : AllControllers()) {
    EXPECT_TRUE(!samples || c.is_sample()) << c.name;
    samples = samples || c.is_sample();
  }
  EXPECT_TRUE(samples);
}

TEST(Registry, EachSampleCanBeMadeAndEachTwinExists) {
  for (const ControllerInfo& c : AllControllers()) {
    if (!c.is_sample()) continue;
    EXPECT_NE(c.make, nullptr) << c.name;
    EXPECT_TRUE(c.twin.empty() || FindController(c.twin) != nullptr) << c.name;
  }
}

TEST(Registry, TheReplicaSetControllerKeepsReplicaSets) {
  const ControllerInfo* keeper = ControllerOf("replicasets");
  ASSERT_NE(keeper, nullptr);
  EXPECT_EQ(keeper->name, "replicaset");
  EXPECT_EQ(keeper->PartName(), "replicaset");
  EXPECT_EQ(ControllerOf("nodes"), nullptr);
}

TEST(Registry, ASampleActsInThePartOfTheControllerItStandsInFor) {
  EXPECT_EQ(FindController("wrong-edge")->PartName(), "replicaset");
  EXPECT_EQ(FindController("wrong-retry")->PartName(), "wrong-retry");
}

TEST(Registry, AControllerMayBeMissingInAVersion) {
  const ControllerInfo* eviction = FindController("tainteviction");
  ASSERT_NE(eviction, nullptr);
  EXPECT_FALSE(eviction->IsIn(ProfileOf(api::Compat::k1_25)));
  EXPECT_TRUE(eviction->IsIn(ProfileOf(api::Compat::k1_30)));
  EXPECT_TRUE(FindController("job")->IsIn(ProfileOf(api::Compat::k1_25)));
}

// cmd/kube-controller-manager/names/controller_names.go and those of cloud-provider, v1.36.
constexpr std::string_view kUpstream[] = {
    "serviceaccount-token-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "replicationcontroller-controller",
    "pod-garbage-collector-controller",
    "resourcequota-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "garbage-collector-controller",
    "daemonset-controller",
    "job-controller",
    "deployment-controller",
    "replicaset-controller",
    "horizontal-pod-autoscaler-controller",
    "disruption-controller",
    "statefulset-controller",
    "cronjob-controller",
    "certificatesigningrequest-signing-controller",
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "podcertificaterequest-cleaner-controller",
    "ttl-controller",
    "bootstrap-signer-controller",
    "token-cleaner-controller",
    "node-ipam-controller",
    "node-lifecycle-controller",
    "taint-eviction-controller",
    "device-taint-eviction-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-attach-detach-controller",
    "persistentvolume-expander-controller",
    "clusterrole-aggregation-controller",
    "persistentvolumeclaim-protection-controller",
    "persistentvolume-protection-controller",
    "podgroup-protection-controller",
    "ttl-after-finished-controller",
    "root-ca-certificate-publisher-controller",
    "service-ca-certificate-publisher-controller",
    "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    "ephemeral-volume-controller",
    "storageversion-garbage-collector-controller",
    "resourceclaim-controller",
    "resourcepoolstatusrequest-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "validatingadmissionpolicy-status-controller",
    "volumeattributesclass-protection-controller",
    "service-cidr-controller",
    "storage-version-migrator-controller",
    "selinux-warning-controller",
    "cloud-node-controller",
    "service-lb-controller",
    "node-route-controller",
    "cloud-node-lifecycle-controller",
};

TEST(Registry, EveryControllerOfUpstreamHasARow) {
  std::set<std::string_view> rows;
  for (const ControllerInfo& c : AllControllers())
    if (!c.is_sample()) rows.insert(c.upstream);
  EXPECT_EQ(rows, std::set<std::string_view>(std::begin(kUpstream), std::end(kUpstream)));
}

TEST(Registry, AFinalizerHasOneController) {
  EXPECT_EQ(ControllerOfFinalizer("orphan")->name, "garbagecollector");
  EXPECT_EQ(ControllerOfFinalizer("kubernetes")->name, "namespace");
  EXPECT_EQ(ControllerOfFinalizer("example.com/mine"), nullptr);
  std::set<std::string_view> seen;
  for (const ControllerInfo& c : AllControllers())
    for (const std::string_view finalizer : c.finalizers)
      EXPECT_TRUE(seen.insert(finalizer).second) << finalizer;
}

TEST(Registry, WhoDoesTheWorkOfAControllerThatAVersionLacksIsThere) {
  for (const ControllerInfo& c : AllControllers()) {
    EXPECT_EQ(c.in_profile == nullptr, c.part_of.empty()) << c.name;
    EXPECT_TRUE(c.part_of.empty() || FindController(c.part_of) != nullptr) << c.name;
  }
}

// --- the lists of the documents: what to write is in the message ---

std::string DocumentOnOneLine(const std::string& path) {
  const absl::StatusOr<std::string> text = os::ReadFile(path);
  EXPECT_TRUE(text.ok()) << path;
  std::string out;
  for (const char c : text.value_or("")) {
    const char plain = c == '\n' ? ' ' : c;
    if (plain != ' ' || !out.ends_with(' ')) out += plain;
  }
  return out;
}

TEST(Registry, FidelityListsEveryControllerAsNativeOrNone) {
  std::string rows;
  for (const ControllerInfo& c : AllControllers()) {
    if (c.is_sample()) continue;
    const char* there = c.make != nullptr ? "native" : c.cloud ? "none: it is a cloud's" : "none";
    rows += fmt::format("| {} | {} | {} |\n", c.upstream, there, c.text);
  }
  const std::string document = os::ReadFile("docs/fidelity.md").value_or("");
  EXPECT_NE(document.find("|---|---|---|\n" + rows + "\n"), std::string::npos)
      << "docs/fidelity.md should have:\n"
      << rows;
}

TEST(Registry, TheReadmeListsEveryControllerAsNativeOrNone) {
  std::vector<std::string_view> native, none, cloud;
  for (const ControllerInfo& c : AllControllers())
    if (!c.is_sample()) (c.make != nullptr ? native : c.cloud ? cloud : none).push_back(c.upstream);
  const std::string readme = DocumentOnOneLine("README.md");
  for (const std::string& line : {fmt::format("native: {}.", fmt::join(native, ", ")),
                                  fmt::format("none: {}.", fmt::join(none, ", ")),
                                  fmt::format("clouds: {}.", fmt::join(cloud, ", "))})
    EXPECT_NE(readme.find(line), std::string::npos) << "README.md should have:\n" << line;
}

TEST(Registry, VariantsAreOnesThatExist) {
  for (const ControllerInfo& c : AllControllers())
    for (const std::string_view variant : c.variants)
      EXPECT_NE(api::FindVariant(variant), nullptr) << c.name << ": " << variant;
}

}  // namespace
}  // namespace ksim::controllers
