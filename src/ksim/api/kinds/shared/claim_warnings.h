// Warnings about the spec of a PersistentVolumeClaim, which StatefulSets have in their templates
// too.
//
// Source: pkg/api/persistentvolumeclaim/util.go GetWarningsForPersistentVolumeClaimSpec.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::api {

void WarnOfClaimSpec(const value::Value& spec, std::string_view path,
                     std::vector<std::string>* warnings);

}  // namespace ksim::api
