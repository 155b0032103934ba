// Part of check_parts.h: the checks that the level restricted adds.
#include <algorithm>

#include "ksim/apiserver/admission/podsecurity/check_parts.h"

namespace ksim::apiserver::podsecurity {

namespace {

// From 1.25 on some checks leave out pods for Windows.
bool IsForWindows(const Pod& pod) { return pod.minor >= 25 && pod.is_windows(); }

}  // namespace

Result AllowPrivilegeEscalation(const Pod& pod) {
  if (IsForWindows(pod)) return std::nullopt;
  const Texts bad = BadContainers(pod, [](const Value& context) {
    const Value& allow = context.Get("allowPrivilegeEscalation");
    return allow.is_null() || allow.AsBool();
  });
  if (bad.empty()) return std::nullopt;
  return Forbidden(
      "allowPrivilegeEscalation != false",
      fmt::format("{} must set securityContext.allowPrivilegeEscalation=false", Containers(bad)));
}

Result CapabilitiesRestricted(const Pod& pod) {
  if (IsForWindows(pod)) return std::nullopt;
  TextSet added;
  const Texts undropped = BadContainers(pod, [](const Value& context) {
    const Value& drop = context.Get("capabilities").Get("drop");
    return std::none_of(drop.items().begin(), drop.items().end(),
                        [](const Value& c) { return c.AsString() == "ALL"; });
  });
  const Texts adding = BadContainers(pod, [&added](const Value& context) {
    bool bad = false;
    for (const Value& c : context.Get("capabilities").Get("add").items()) {
      if (c.AsString() == "NET_BIND_SERVICE") continue;
      bad = true;
      added.emplace(c.AsString());
    }
    return bad;
  });
  Texts details;
  if (!undropped.empty())
    details.push_back(fmt::format("{} must set securityContext.capabilities.drop=[\"ALL\"]",
                                  Containers(undropped)));
  if (!adding.empty())
    details.push_back(fmt::format("{} must not include {} in securityContext.capabilities.add",
                                  Containers(adding), JoinQuote(added)));
  if (details.empty()) return std::nullopt;
  return Forbidden("unrestricted capabilities", fmt::format("{}", fmt::join(details, "; ")));
}

Result RestrictedVolumes(const Pod& pod) {
  constexpr int kImagesSince = 31;  // of the server
  static constexpr std::string_view kAllowed[] = {"configMap", "csi",       "downwardAPI",
                                                  "emptyDir",  "ephemeral", "persistentVolumeClaim",
                                                  "projected", "secret"};
  static constexpr std::string_view kKnown[] = {"hostPath",
                                                "gcePersistentDisk",
                                                "awsElasticBlockStore",
                                                "gitRepo",
                                                "nfs",
                                                "iscsi",
                                                "glusterfs",
                                                "rbd",
                                                "flexVolume",
                                                "cinder",
                                                "cephfs",
                                                "flocker",
                                                "fc",
                                                "azureFile",
                                                "vsphereVolume",
                                                "quobyte",
                                                "azureDisk",
                                                "photonPersistentDisk",
                                                "portworxVolume",
                                                "scaleIO",
                                                "storageos"};
  const auto has = [](const Value& volume) {
    return [&volume](std::string_view type) { return volume.Has(type); };
  };
  Texts volumes;
  TextSet types;
  for (const Value& volume : pod.spec.Get("volumes").items()) {
    const bool image = volume.Has("image") && pod.newest >= kImagesSince;
    if (image || std::any_of(std::begin(kAllowed), std::end(kAllowed), has(volume))) continue;
    volumes.emplace_back(volume.Get("name").AsString());
    const auto* type = std::find_if(std::begin(kKnown), std::end(kKnown), has(volume));
    types.emplace(type == std::end(kKnown) ? "unknown" : *type);
  }
  if (volumes.empty()) return std::nullopt;
  return Forbidden("restricted volume types",
                   fmt::format("{} {} {} {} {}", Plural("volume", "volumes", volumes),
                               JoinQuote(volumes), Plural("uses", "use", volumes),
                               Plural("restricted volume type", "restricted volume types", types),
                               JoinQuote(types)));
}

Result RunAsNonRoot(const Pod& pod) {
  if (IsRelaxed(pod)) return std::nullopt;
  const auto is_false = [](const Value& context) {
    return context.Has("runAsNonRoot") && !context.Get("runAsNonRoot").AsBool();
  };
  const bool by_pod = is_false(pod.context());
  const bool pod_says = pod.context().Get("runAsNonRoot").AsBool();
  const Texts explicitly = BadContainers(pod, is_false);
  const Texts implicitly = BadContainers(
      pod, [pod_says](const Value& context) { return !pod_says && !context.Has("runAsNonRoot"); });
  if (by_pod || !explicitly.empty())
    return Forbidden("runAsNonRoot != true",
                     fmt::format("{} must not set securityContext.runAsNonRoot=false",
                                 Setters(by_pod, explicitly)));
  if (implicitly.empty()) return std::nullopt;
  return Forbidden(
      "runAsNonRoot != true",
      fmt::format("pod or {} must set securityContext.runAsNonRoot=true", Containers(implicitly)));
}

Result RunAsUser(const Pod& pod) {
  if (IsRelaxed(pod)) return std::nullopt;
  const auto is_root = [](const Value& context) {
    return context.Get("runAsUser").is_int() && context.Get("runAsUser").AsInt() == 0;
  };
  const bool by_pod = is_root(pod.context());
  const Texts containers = BadContainers(pod, is_root);
  if (!by_pod && containers.empty()) return std::nullopt;
  return Forbidden("runAsUser=0",
                   fmt::format("{} must not set runAsUser=0", Setters(by_pod, containers)));
}

Result SeccompProfileRestricted(const Pod& pod) {
  if (IsForWindows(pod)) return std::nullopt;
  if (Result bad = BadSeccompSetters(pod)) return bad;
  if (pod.context().Has("seccompProfile")) return std::nullopt;
  const Texts unset =
      BadContainers(pod, [](const Value& context) { return !context.Has("seccompProfile"); });
  if (unset.empty()) return std::nullopt;
  return Forbidden("seccompProfile",
                   fmt::format("pod or {} must set securityContext.seccompProfile.type to "
                               "\"RuntimeDefault\" or \"Localhost\"",
                               Containers(unset)));
}

}  // namespace ksim::apiserver::podsecurity
