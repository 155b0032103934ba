// The register of controllers: one row for each controller of kube-controller-manager, those that
// ksim does not have yet included, and one for each sample. A new controller is its own files and
// one row.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/controllers/common/controller_info.h"

namespace ksim::controllers {

// The built-in controllers first, then the samples.
const std::vector<ControllerInfo>& AllControllers();

// Null if there is no controller of that name.
const ControllerInfo* FindController(std::string_view name);

// The built-in controller that keeps the pods of `workload` ("replicasets"); null if there is none.
const ControllerInfo* ControllerOf(std::string_view workload);

// The built-in controller that removes a finalizer; null if there is none.
const ControllerInfo* ControllerOfFinalizer(std::string_view finalizer);

}  // namespace ksim::controllers
