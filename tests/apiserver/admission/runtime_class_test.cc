// RuntimeClass admission: overhead, nodes and tolerations of a class.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

void MakeClass(World& w, const std::string& content) {
  const api::Response r = w.Create(
      "runtimeclasses", "",
      Json(fmt::format(R"({{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":)"
                       R"({{"name":"vm"}},"handler":"vm"{}{}}})",
                       content.empty() ? "" : ",", content)));
  ASSERT_EQ(r.code, 201) << r.status.message;
  w.Advance(Milliseconds(50));
}

// `more` is a part of the pod's spec.
api::Response CreatePod(World& w, const std::string& more) {
  Value pod = Pod("default", "p");
  const Value fields = Json("{" + more + "}");
  for (const Value::Member& m : fields.members())
    pod = pod.Set(Path{"spec"}, pod.Get("spec").Set(m.name, m.value));
  return w.Create("pods", "default", pod);
}

std::string Said(const api::Response& r) {
  return r.code == 403 ? std::string(r.status.message.view()) : std::to_string(r.code);
}

std::string Spec(const api::Response& r, const char* field) {
  return value::ToJson(r.object.spec().Get(field));
}

constexpr const char* kOverhead = R"("overhead":{"podFixed":{"cpu":"250m","memory":"64Mi"}})";
constexpr const char* kClass = R"("runtimeClassName":"vm")";
const std::string kNo = "pods \"p\" is forbidden: ";

// API-258
TEST(RuntimeClassAdmission, GivesThePodTheOverheadOfItsClass) {
  World w;
  MakeClass(w, kOverhead);
  const api::Response r = CreatePod(w, kClass);
  EXPECT_EQ(r.code, 201);
  EXPECT_EQ(Spec(r, "overhead"), R"({"cpu":"250m","memory":"64Mi"})");
}

// API-258
TEST(RuntimeClassAdmission, AnOverheadOfThePodsOwnMustBeTheClasss) {
  World w;
  MakeClass(w, kOverhead);
  EXPECT_EQ(Said(CreatePod(w, fmt::format(R"({},"overhead":{{"cpu":"1"}})", kClass))),
            kNo + "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  EXPECT_EQ(
      Said(CreatePod(w, fmt::format(R"({},"overhead":{{"cpu":"0.25","memory":"64Mi"}})", kClass))),
      "201")
      << "the same amounts";
}

// API-258
TEST(RuntimeClassAdmission, AnOverheadWithoutAClassIsRefused) {
  World w;
  const std::string refusal =
      kNo + "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
  EXPECT_EQ(Said(CreatePod(w, R"("overhead":{"cpu":"1"})")), refusal);
  MakeClass(w, "");
  EXPECT_EQ(Said(CreatePod(w, fmt::format(R"({},"overhead":{{"cpu":"1"}})", kClass))), refusal);
  EXPECT_EQ(Said(CreatePod(w, kClass)), "201");
}

// API-258
TEST(RuntimeClassAdmission, AClassThatIsNotThereIsRefusedAfterALiveLookUp) {
  World w;
  EXPECT_EQ(Said(CreatePod(w, kClass)), kNo + "pod rejected: RuntimeClass \"vm\" not found");
  w.server().faults().watch_cache(w.Kind("runtimeclasses")).Freeze();
  MakeClass(w, "");
  EXPECT_EQ(Said(CreatePod(w, kClass)), "201") << "the cache does not have it yet";
}

// API-258
TEST(RuntimeClassAdmission, AddsTheNodesAndTolerationsOfTheClass) {
  World w;
  MakeClass(w, R"("scheduling":{"nodeSelector":{"vm":"yes"},"tolerations":[)"
               R"({"key":"vm","operator":"Exists","effect":"NoSchedule"},)"
               R"({"operator":"Exists","effect":"NoExecute"}]})");
  const api::Response r =
      CreatePod(w, fmt::format(R"({},"nodeSelector":{{"disk":"ssd"}},"tolerations":[{{"key":"vm",)"
                               R"("operator":"Equal","value":"a","effect":"NoSchedule"}}])",
                               kClass));
  EXPECT_EQ(r.code, 201) << r.status.message;
  EXPECT_EQ(Spec(r, "nodeSelector"), R"({"disk":"ssd","vm":"yes"})");
  EXPECT_EQ(Spec(r, "tolerations"), R"([{"effect":"NoSchedule","key":"vm","operator":"Exists"},)"
                                    R"({"effect":"NoExecute","operator":"Exists"}])")
      << "what a wider one includes falls away, those of 300 s too";
  EXPECT_EQ(Said(CreatePod(w, fmt::format(R"({},"nodeSelector":{{"vm":"no"}})", kClass))),
            kNo +
                "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
                "pod.spec.nodeSelector[vm] = no");
}

// API-258: an update is not looked at.
TEST(RuntimeClassAdmission, UpdatesAreFree) {
  World w;
  MakeClass(w, kOverhead);
  EXPECT_EQ(CreatePod(w, kClass).code, 201);
  EXPECT_EQ(w.Delete("runtimeclasses", "", "vm").code, 200);
  EXPECT_EQ(w.Patch("pods", "default", "p", api::PatchType::kMerge,
                    R"({"metadata":{"labels":{"a":"b"}}})")
                .code,
            200);
}

}  // namespace
}  // namespace ksim::apiserver
