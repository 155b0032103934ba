// Controller: what a user plugs in, and what the built-in ones are. A controller is a part of a
// process (PROCESS/NAME): the process gives it a connection, the shared informers and a recorder;
// it registers handlers, then runs coroutines. It is made anew at every start of its process, so a
// restart loses exactly what upstream's would.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/workqueue.h"
#include "ksim/sim/process.h"

namespace ksim::api {
class MetricsSource;  // api/core/metrics_source.h
}

namespace ksim::controllers {

// The surroundings of a controller. References live as long as the process' incarnation.
struct ControllerContext {
  ControllerContext(sim::Process& p, client::Connection& c, client::InformerFactory& i,
                    std::string part)
      : process(p), connection(c), informers(i), name(std::move(part)) {}
  sim::Process& process;
  client::Connection& connection;
  client::InformerFactory& informers;
  std::string name;  // the part's name: replicaset
  std::string user;  // in whose name the process asks; "": each controller in its own
  // How many terminated pods podgc leaves (--terminated-pod-gc-threshold); 0: all.
  std::int64_t terminated_pod_threshold = 12500;
  // The certificate that root-ca-cert-publisher publishes (--root-ca-file); "": ksim's own.
  std::string root_ca;
  // The cluster ran before the simulation began, and so did this controller.
  bool takes_over = false;
  // The metrics APIs of the cluster; outlives the run. Null: it has none.
  const api::MetricsSource* metrics = nullptr;

  client::Environment& env() const { return connection.env(); }
  sim::ActorId actor() const { return process.PartActor(name); }
  // For a client of its own: the limits that controller-runtime sets where nobody sets others (20
  // requests a second and 30 at once; in 1.36 none), in the name of the process, or of `user`.
  // CLIENT-97.
  client::ClientOptions client_options() const;
  // A resource of a custom group is served from the moment it is asked for here, as if its
  // definition were there, though nobody made an object of it yet. Null for a resource that a
  // built-in group does not have.
  const api::ResourceInfo* Resource(std::string_view group, std::string_view resource) const;
};

// The nodes whose kubelets run and reach an API server, and those whose kubelets do not: what a
// controller that waits for their heartbeats has to expect.
struct Heartbeats {
  std::set<std::string, std::less<>> heard, silent;
};

class Controller {
 public:
  virtual ~Controller() = default;
  // Called once, before the process' informers start: register handlers and indexes here, and
  // Spawn workers (they begin with `co_await` on cache sync, CTRL-C-03).
  virtual void Start() = 0;
  // Asked when nothing else is left to do: does the controller know that it will act at a later
  // pass of a periodic loop? While it does the run is not over. Such a loop itself is no work, or a
  // run would never end.
  virtual bool HasWorkAhead(const Heartbeats& heartbeats) const {
    (void)heartbeats;
    return false;
  }
};

using ControllerFactory = std::function<std::unique_ptr<Controller>(ControllerContext context)>;

}  // namespace ksim::controllers
