// How the controllers of kube-controller-manager speak to the API server, and how they word several
// errors as one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

// A client of its own for a controller, in the name of its service account in kube-system
// (controller-manager pkg/clientbuilder), with the limits of the manager's configuration.
client::ClientOptions ManagerClient(const ControllerContext& context, std::string_view account);

// utilerrors.NewAggregate: one error as it is, several in brackets, each text once; "" of none.
std::string AggregateErrors(const std::vector<std::string>& errors);

}  // namespace ksim::controllers
