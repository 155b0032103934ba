// Component: a process that talks to the API: with each start it gets a new connection and new
// informers, and builds what runs in it; a kill drops all of it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/controller.h"
#include "ksim/sim/process.h"

namespace ksim::scenario {

class Component {
 public:
  // The code that runs in the process, built at each start; destroyed before its informers.
  class Body {
   public:
    virtual ~Body() = default;
    // See controllers::Controller.
    virtual bool HasWorkAhead(const controllers::Heartbeats& heartbeats) const {
      (void)heartbeats;
      return false;
    }
  };
  using Build = std::function<std::unique_ptr<Body>(sim::Process&, client::Connection&,
                                                    client::InformerFactory&)>;

  // How often its informers tell their handlers of every object again; asked at each start.
  using Resync = std::function<client::ResyncPeriod(client::Connection&)>;
  static client::ResyncPeriod NeverResync(client::Connection&) {
    return [] { return Duration(); };
  }
  static client::ResyncPeriod ManagerResync(client::Connection& c) {
    return [period = client::DrawResyncPeriod(c)] { return period; };
  }

  // Makes the process, not yet started. `options` are those of its informers' client.
  Component(client::Environment& env, const std::string& name, api::Endpoint& server,
            client::ClientOptions options, Build build, Resync resync = NeverResync);
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  sim::Process& process() { return process_; }
  const Body* body() const { return body_.get(); }                   // null while it is down
  client::InformerFactory* informers() { return informers_.get(); }  // null while it is down
  client::Connection* connection() { return connection_.get(); }     // null while it is down
  // From the next request on, also after a restart.
  void ConnectTo(api::Endpoint& server);

 private:
  void OnStart();
  void OnStop();

  client::Environment& env_;
  sim::Process& process_;
  api::Endpoint* server_;
  client::ClientOptions options_;
  Build build_;
  Resync resync_;
  std::unique_ptr<client::Connection> connection_;
  std::unique_ptr<client::InformerFactory> informers_;
  std::unique_ptr<Body> body_;
};

// Tells the bus that a process started or stopped.
void EmitActor(sim::Simulation& sim, sim::Process& process, const char* state);

// A process ends itself, and whoever keeps it alive starts it again after one to two seconds (site
// restart/PROCESS). To be called by what runs in it.
void ExitAndRestart(client::Environment& env, sim::Process& process);

}  // namespace ksim::scenario
