#include "ksim/controllers/common/pod_status_patch.h"

#include "ksim/api/conditions.h"
#include "ksim/api/patch_schema.h"
#include "ksim/value/patch.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

Value DisruptionTarget(const api::Object& pod, std::string_view reason, std::string_view message,
                       const Profile& profile) {
  const Value condition = api::MakeCondition("DisruptionTarget", "True", reason, message);
  if (!profile.pod_observed_generation || pod.generation() == 0) return condition;
  return condition.Set("observedGeneration", Value::Int(pod.generation()));
}

bool HasCondition(const api::Object& pod, const Value& condition) {
  const Value* const old =
      api::FindCondition(pod.status().Get("conditions"), condition.Get("type").AsString());
  if (old == nullptr) return false;
  return old->Get("status") == condition.Get("status") &&
         old->Get("reason") == condition.Get("reason") &&
         old->Get("message") == condition.Get("message");
}

sim::Task<std::optional<api::Status>> PatchPodStatus(client::Client& client, api::Object pod,
                                                     Value status) {
  static const Path kUid{"metadata", "uid"};
  const auto of = [](const Value& s) { return value::Obj({{"status", s}}); };
  const auto diff = value::CreateTwoWayMergePatch(of(pod.status()), of(status),
                                                  api::FindPatchSchema("v1", "Pod"));
  if (!diff.ok() || diff->empty()) co_return std::nullopt;
  const Value patch = diff->Set(kUid, Value::String(pod.uid()));
  const api::ResourceInfo* pods = client.connection().env().kinds.ByResource("", "pods");
  const client::PatchOptions options(api::PatchType::kStrategic, "status");
  client::Client::ObjectResult patched =
      co_await client.Patch(pods, SharedText(pod.ns()), SharedText(pod.name()), patch, options);
  if (patched.ok()) co_return std::nullopt;
  co_return patched.status();
}

}  // namespace ksim::controllers
