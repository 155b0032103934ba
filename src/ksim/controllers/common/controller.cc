#include "ksim/controllers/controller.h"

#include "ksim/client/rest/component_limits.h"

namespace ksim::controllers {

client::ClientOptions ControllerContext::client_options() const {
  return client::LimitedAs(client::Limits::kControllerRuntime, connection.compat(),
                           user.empty() ? process.name() : user);
}

const api::ResourceInfo* ControllerContext::Resource(std::string_view group,
                                                     std::string_view resource) const {
  api::Kinds& kinds = env().kinds;
  const bool built_in = group.ends_with(".k8s.io") || group.find('.') == std::string_view::npos;
  return built_in ? kinds.ByResource(group, resource) : kinds.AddResource(group, resource);
}

}  // namespace ksim::controllers
