#include "ksim/scenario/pod_spec_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ksim::scenario {
namespace {

using value::Value;

// Made in every namespace by kube-controller-manager.
constexpr std::string_view kRootCa = "kube-root-ca.crt";

class GapFinder {
 public:
  GapFinder(const Value& spec, const std::string& ns, const ObjectNames& objects,
            const PodSpecServices& services)
      : spec_(spec), ns_(ns), objects_(objects), services_(services) {}

  std::vector<PodSpecGap> Find() {
    LookAtPlainFields();
    int i = 0;
    for (const Value& volume : spec_.Get("volumes").items())
      LookAtVolume(volume, fmt::format("volumes[{}]", i++));
    for (const char* list : {"initContainers", "containers"}) {
      int n = 0;
      for (const Value& container : spec_.Get(list).items())
        LookAtContainer(container, fmt::format("{}[{}]", list, n++));
    }
    return std::move(gaps_);
  }

 private:
  void Add(std::string field, std::string_view subject, std::string message) {
    PodSpecGap gap;
    gap.field = std::move(field);
    gap.subject = subject;
    gap.message = std::move(message);
    gaps_.push_back(std::move(gap));
  }

  void HasNoEffect(std::string field, std::string_view what, std::string_view why) {
    Add(std::move(field), what, fmt::format("{} has no effect in this run: {}", what, why));
  }

  void LookAtPlainFields() {
    if (spec_.Has("resourceClaims"))
      HasNoEffect("resourceClaims", "ResourceClaim", "devices are not simulated");
    if (spec_.Has("activeDeadlineSeconds"))
      HasNoEffect("activeDeadlineSeconds", "a pod's activeDeadlineSeconds", "it runs on");
    const std::string_view account = spec_.Get("serviceAccountName").AsString();
    if (!services_.refuses_without_account && !account.empty() && account != "default" &&
        !IsThere("ServiceAccount", account))
      Add("serviceAccountName", "ServiceAccount",
          "a pod names a ServiceAccount that is not there: a real API server refuses it, and here "
          "nobody looks");
  }

  void LookAtVolume(const Value& volume, const std::string& at) {
    const bool unbound = !services_.unbound.empty();
    if (volume.Has("persistentVolumeClaim") && unbound)
      HasNoEffect(at + ".persistentVolumeClaim", "PersistentVolumeClaim", services_.unbound);
    if (volume.Has("ephemeral") && unbound)
      HasNoEffect(at + ".ephemeral", "an ephemeral volume", services_.unbound);
    else if (volume.Has("ephemeral") && !services_.makes_ephemeral_claims)
      Add(at + ".ephemeral", "an ephemeral volume",
          "no ephemeral-volume controller in this run: nobody makes the claim of an ephemeral "
          "volume, and its pod stays Pending");
    LookAtSource("ConfigMap", volume.Get("configMap"), "name", at + ".configMap");
    LookAtSource("Secret", volume.Get("secret"), "secretName", at + ".secret");
    int i = 0;
    for (const Value& source : volume.Get("projected").Get("sources").items()) {
      const std::string field = fmt::format("{}.projected.sources[{}]", at, i++);
      LookAtSource("ConfigMap", source.Get("configMap"), "name", field + ".configMap");
      LookAtSource("Secret", source.Get("secret"), "name", field + ".secret");
    }
  }

  void LookAtContainer(const Value& container, const std::string& at) {
    if (container.Has("lifecycle"))
      HasNoEffect(at + ".lifecycle", "a container's lifecycle",
                  "preStop and postStart are not run");
    int i = 0;
    for (const Value& from : container.Get("envFrom").items()) {
      const std::string field = fmt::format("{}.envFrom[{}]", at, i++);
      LookAtSource("ConfigMap", from.Get("configMapRef"), "name", field + ".configMapRef");
      LookAtSource("Secret", from.Get("secretRef"), "name", field + ".secretRef");
    }
    i = 0;
    for (const Value& variable : container.Get("env").items()) {
      const Value from = variable.Get("valueFrom");
      const std::string field = fmt::format("{}.env[{}].valueFrom", at, i++);
      LookAtSource("ConfigMap", from.Get("configMapKeyRef"), "name", field + ".configMapKeyRef");
      LookAtSource("Secret", from.Get("secretKeyRef"), "name", field + ".secretKeyRef");
    }
  }

  // A reference to an object without which a kubelet starts no container.
  void LookAtSource(std::string_view kind, const Value& source, std::string_view name_field,
                    std::string field) {
    const std::string_view name = source.Get(name_field).AsString();
    if (name.empty() || source.Get("optional").AsBool() || IsThere(kind, name)) return;
    if (kind == "ConfigMap" && name == kRootCa) return;
    Add(std::move(field), kind,
        fmt::format("a pod names a {} that is not there: a real kubelet does not start its "
                    "containers, and here they start",
                    kind));
  }

  bool IsThere(std::string_view kind, std::string_view name) const {
    return objects_.contains(ObjectNameOf(kind, ns_, name));
  }

  const Value& spec_;
  const std::string& ns_;
  const ObjectNames& objects_;
  const PodSpecServices& services_;
  std::vector<PodSpecGap> gaps_;
};

}  // namespace

std::string_view WayToPodSpec(std::string_view kind) {
  static constexpr std::string_view kWithTemplate[] = {
      "ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"};
  if (kind == "Pod") return "spec";
  if (kind == "CronJob") return "spec.jobTemplate.spec.template.spec";
  const auto* const end = std::end(kWithTemplate);
  return std::find(std::begin(kWithTemplate), end, kind) != end ? "spec.template.spec" : "";
}

std::string ObjectNameOf(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", kind, ns.empty() ? "default" : ns, name);
}

std::vector<PodSpecGap> GapsOfPodSpec(const Value& spec, const std::string& ns,
                                      const ObjectNames& objects, const PodSpecServices& services) {
  return GapFinder(spec, ns, objects, services).Find();
}

}  // namespace ksim::scenario
