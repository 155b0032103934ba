#include "ksim/controllers/controller.h"

#include "ksim/client/rest/component_limits.h"

namespace ksim::controllers {

client::ClientOptions ControllerContext::client_options() const {
  return client::LimitedAs(client::Limits::kControllerRuntime, connection.compat(), process.name());
}

}  // namespace ksim::controllers
