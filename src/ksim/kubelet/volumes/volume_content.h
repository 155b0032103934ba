// The content that a volume of ConfigMaps, Secrets or of the pod itself would have, or its fault.
//
// Source: pkg/volume/{configmap,secret}/*.go MakePayload, pkg/volume/downwardapi CollectData,
// pkg/api/v1/resource/helpers.go findContainerInPod.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/kubelet/objects/pod_objects.h"

namespace ksim::kubelet {

// The first key that the volume asks for and `object` lacks, as the volume's plugin says it; "":
// there is none. An optional source may lack keys.
std::string MissingKey(const ObjectReference& source, const api::Object& object);

// The containers that a source asks the resources of, and that the pod does not have, each as
// upstream says it.
std::vector<std::string> MissingContainers(const ContentSource& source, const api::Object& pod);

}  // namespace ksim::kubelet
