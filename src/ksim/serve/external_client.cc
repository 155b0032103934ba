#include "ksim/serve/external_client.h"

namespace ksim::serve {

ExternalClient::ExternalClient(client::Environment& env, api::Endpoint& server,
                               const std::string& name)
    : process_(env.sim.AddProcess(name)), relay_(env, process_, server) {
  process_.OnStart([this] { relay_.Start(); });
  process_.OnStop([this] { relay_.Stop(); });
}

}  // namespace ksim::serve
