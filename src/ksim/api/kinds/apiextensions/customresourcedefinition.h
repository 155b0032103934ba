// CustomResourceDefinitions: the server that stores one serves the kind that it defines.
//
// Sources: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go,
// pkg/controller/status/naming_controller.go, pkg/controller/establish.
#pragma once

#include "ksim/api/kinds.h"

namespace ksim::api {

bool IsDefinition(const ResourceInfo& kind);

}  // namespace ksim::api
