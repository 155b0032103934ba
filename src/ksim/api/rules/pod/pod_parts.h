// The parts of a pod's validation, a file each; pod_validation.cc calls them in upstream's order.
//
// Source: pkg/apis/core/validation/validation.go; each file names its functions.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// What a validator of containers has to know of their pod.
struct PodFacts {
  PodFacts(const value::Value& s, bool pod) : spec(s), is_pod(pod) {}
  const value::Value& spec;
  bool is_pod;                               // a Pod's own spec, not a template's
  std::vector<const value::Value*> volumes;  // the good ones; nothing else can be mounted
};

// pod_volumes.cc: the volumes that are in order.
std::vector<const value::Value*> ValidateVolumes(const value::Value& volumes,
                                                 std::string_view pod_name, const FieldPath& path,
                                                 FieldErrorList* errors);
// Paths within volumes: relative, without "..".
void ValidateDescendingPath(std::string_view target, const FieldPath& path, FieldErrorList* errors);
bool HasBackstep(std::string_view target);

// pod_containers.cc: containers, initContainers, and the host ports that the pod's network asks
// for.
void ValidateContainers(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors);

// container_env.cc
void ValidateEnv(const value::Value& env, const FieldPath& path, FieldErrorList* errors);
void ValidateEnvFrom(const value::Value& env_from, const FieldPath& path, FieldErrorList* errors);
// fieldRef and resourceFieldRef, of a variable or of a file in a volume.
void ValidateFieldRef(const value::Value& ref, bool volume, const FieldPath& path,
                      FieldErrorList* errors);
void ValidateResourceFieldRef(const value::Value& ref, bool volume, const FieldPath& path,
                              FieldErrorList* errors);

// container_mounts.cc: volumeMounts and volumeDevices of one container.
void ValidateMounts(const value::Value& container, const PodFacts& pod, const FieldPath& path,
                    FieldErrorList* errors);

// container_handlers.cc: lifecycle and the three probes of one container.
void ValidateHandlers(const value::Value& container, const PodFacts& pod, const FieldPath& path,
                      FieldErrorList* errors);

// container_resources.cc: {limits, requests}.
void ValidateResources(const value::Value& resources, const FieldPath& path,
                       FieldErrorList* errors);

// pod_security.cc
void ValidateSecurityContext(const value::Value& context, const PodFacts& pod,
                             const FieldPath& path, FieldErrorList* errors);
void ValidatePodSecurityContext(const value::Value& spec, const FieldPath& path,
                                FieldErrorList* errors);
void ValidateHostUsers(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);
void ValidateOs(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

// pod_affinity.cc
void ValidateAffinity(const value::Value& affinity, const FieldPath& path, FieldErrorList* errors);
void ValidateTopologySpread(const value::Value& constraints, const FieldPath& path,
                            FieldErrorList* errors);

// A choice: what is none of `allowed` is refused, an empty one as missing if it is `required`.
void ValidateChoice(std::string_view choice, bool required, const FieldPath& path,
                    std::initializer_list<std::string_view> allowed, FieldErrorList* errors);

}  // namespace ksim::api
