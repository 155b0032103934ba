// ComputeHash: the hash of a pod template that Deployments and DaemonSets name their children by,
// the letters that a real cluster of the version gives.
//
// Source: pkg/controller/controller_utils.go ComputeHash; pkg/util/hash/hash.go DeepHashObject.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// `collisions`: status.collisionCount, which takes part once it is there.
std::string ComputeHash(const value::Value& pod_template, std::optional<std::int64_t> collisions,
                        const Profile& profile);

}  // namespace ksim::controllers
