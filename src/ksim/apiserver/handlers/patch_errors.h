// Errors of patches that cannot be applied, worded as by the three libraries that would apply them.
//
// Sources: apiserver pkg/endpoints/handlers/patch.go applyJSPatch, applyPatchToObject,
// interpretStrategicMergePatchError; apimachinery pkg/runtime/converter.go fromUnstructured.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// 400 for a patch that is not even of the right shape. Unless unknown fields are ignored, JSON
// patches are first read into a type of the handlers' own.
api::Status CheckJsonPatch(const value::Value& patch, std::string_view field_validation);
api::Status CheckMergePatch(const value::Value& patch);
api::Status CheckStrategicPatch(const value::Value& patch);

api::Result<value::Value> FromJsonPatch(absl::StatusOr<value::Value> patched);
api::Result<value::Value> FromStrategicPatch(absl::StatusOr<value::Value> patched);

// Rewords what encoding/json says about a field of a wrong type as the converter of unstructured
// objects does, which reads the result of a strategic merge patch.
std::string ConverterProblem(const std::string& json_problem);

}  // namespace ksim::apiserver
