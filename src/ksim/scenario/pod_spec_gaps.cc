#include "ksim/scenario/pod_spec_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/kubelet/runtime/image.h"

namespace ksim::scenario {
namespace {

using value::Value;

bool IsDescribed(const std::vector<ImageSpec>& images, std::string_view image) {
  std::vector<kubelet::ImageSpec> names(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) names[i].name = images[i].image;
  return kubelet::ImageCatalog(std::move(names)).Find(image) != nullptr;
}

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
  }

  void LookAtContainer(const Value& container, const std::string& at) {
    LookAtUser(container, at);
    if (container.Get("lifecycle").Has("postStart"))
      HasNoEffect(at + ".lifecycle.postStart", "a container's postStart hook", "it is not run");
  }

  // The image alone would say which user it is, and nobody has described it.
  void LookAtUser(const Value& container, const std::string& at) {
    const auto effective = [&](const char* field) -> const Value& {
      const Value& own = container.Get("securityContext").Get(field);
      return own.is_null() ? spec_.Get("securityContext").Get(field) : own;
    };
    const std::string_view image = container.Get("image").AsString();
    if (!effective("runAsNonRoot").AsBool() || !effective("runAsUser").is_null()) return;
    if (services_.images != nullptr && IsDescribed(*services_.images, image)) return;
    if (!kubelet::ImageCatalog().UserOf(image).empty()) return;
    Add(at + ".image", "an image",
        "an image that spec.cluster.images does not describe counts as root's: runAsNonRoot keeps "
        "its container from starting");
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
