// Defaults, validation and cells of a HorizontalPodAutoscaler of autoscaling/v2, which those of v1
// are converted to.
//
// Sources: pkg/apis/autoscaling/v2/defaults.go; pkg/apis/autoscaling/validation/validation.go;
// pkg/printers/internalversion/printers.go printHorizontalPodAutoscaler.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

value::Value DefaultHpa(const value::Value& tree, Compat compat);
void ValidateHpa(const value::Value& tree, FieldErrorList* errors);
// An update has this in place of ValidateHpa: a mistake that was there before and has not changed
// may stay.
void ValidateHpaUpdate(const value::Value& updated, const value::Value& old,
                       FieldErrorList* errors);
void ValidateHpaStatus(const value::Value& tree, FieldErrorList* errors);
std::vector<std::string> HpaCells(const Object& o, VirtualTime now);

}  // namespace ksim::api
