// The content that a volume of ConfigMaps, Secrets or of the pod itself would have, or its fault.
//
// Source: pkg/volume/{configmap,secret}/*.go MakePayload, pkg/volume/downwardapi CollectData.
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/kubelet/objects/pod_objects.h"

namespace ksim::kubelet {

// The first key that the volume asks for and `object` lacks, as the volume's plugin says it; "":
// there is none. An optional source may lack keys.
std::string MissingKey(const ObjectReference& source, const api::Object& object);

// A container that a downwardAPI volume asks the resources of, and that the pod does not have, as
// the plugin says it; "": there is none. `items` are those of the volume or of one source.
std::string MissingContainer(const value::Value& items, const api::Object& pod);

}  // namespace ksim::kubelet
