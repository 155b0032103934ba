// ServedCluster: a run that goes on while clients outside look at it and act on it. It knows no
// socket and no clock but the virtual one: whoever owns it says how far that goes, and gives it
// what comes in. So the same inputs at the same times make the same run, with clients or without.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/http_door.h"
#include "ksim/scenario/observers/kept_logs.h"
#include "ksim/scenario/runner.h"
#include "ksim/scenario/scenario.h"
#include "ksim/serve/external_client.h"
#include "ksim/serve/input.h"
#include "ksim/serve/metrics.h"
#include "ksim/serve/not_simulated_outside.h"

namespace ksim::serve {

struct ServedWatch {
  ServedWatch() = default;
  std::int64_t connection = 0;
  apiserver::http::StreamId stream = 0;
  bool paused = false;
};

class ServedCluster {
 public:
  // `options.serve` is set here.
  ServedCluster(const scenario::Scenario& scenario, scenario::RunnerOptions options);
  ~ServedCluster();
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;

  scenario::Runner& runner() { return runner_; }
  const Metrics& metrics() const { return metrics_; }
  // Whatever clients outside asked for that nobody does anything about.
  const std::vector<scenario::NotSimulated>& not_simulated() const {
    return not_simulated_.found();
  }
  VirtualTime now() { return runner_.world().sim().now(); }
  // The time of the next event; the end of time if there is none.
  VirtualTime NextDue();

  // Starts the cluster. Once, first.
  void Begin();
  // Runs every event up to `t`, which is not before now(); after an input it is past its time, so
  // that no two inputs of one time have an event between them. Anything but kTimeReached is the end
  // of the run.
  sim::Simulation::Stop AdvanceTo(VirtualTime t);
  // The input happens now: with the next AdvanceTo.
  void Take(Input input);
  // The report and the verdict; once, last.
  scenario::RunReport Finish(sim::Simulation::Stop stop);

  // Where the answers on a connection go: nowhere before Attach, and from Detach on.
  void Attach(std::int64_t connection, apiserver::http::ResponseWriter& writer);
  void Detach(std::int64_t connection);
  // Requests that wait for an answer, of all connections.
  std::size_t unanswered() const;
  // The watches of all connections that are there, as the run knows them: an input that is taken
  // but not applied does not show.
  std::vector<ServedWatch> watches() const;
  // Whether the API server of the client that sends this takes requests.
  bool accepting(const apiserver::http::HttpRequest& request);
  // Why the fault that was injected last met nothing; "" if it began.
  const std::string& skipped() const { return skipped_; }

  // A fault as spec.faults has it, without a time: `VERB: {ARGUMENTS}`, in YAML or JSON.
  // InvalidArgument with everything that is wrong with it.
  absl::StatusOr<fault::Spec> ParseFault(const std::string& text);

 private:
  struct Session {
    apiserver::http::ResponseWriter* writer = nullptr;
    std::unique_ptr<apiserver::http::HttpSession> http;  // null before the first request
    std::string client;                                  // the process that asked last
  };
  void Apply(const Input& input);
  void Serve(const Input& input);
  void DropIdleSessions();
  void Inject(const fault::Spec& spec);
  // There is a process for each client that a fault names, so that the fault waits for it.
  void AddClientsOf(const value::Value& args);
  ExternalClient& ClientOf(const apiserver::http::HttpRequest& request);
  ExternalClient& ClientNamed(std::string name);

  const scenario::Scenario scenario_;
  scenario::Runner runner_;
  Metrics metrics_;
  NotSimulatedOutside not_simulated_;
  scenario::KeptLogs logs_;
  std::map<std::string, std::unique_ptr<ExternalClient>> clients_;  // by process
  std::map<std::int64_t, Session> sessions_;                        // by connection
  VirtualTime last_input_{-1};
  std::string skipped_;
};

// The name of the process that a client outside has inside: outside-kubectl, by its User-Agent.
std::string ProcessNameOf(const apiserver::http::HttpRequest& request);

// Runs the inputs of a recorded run again, as far as `end`, or as the run stops itself.
scenario::RunReport ReplayInputs(ServedCluster& cluster, const std::vector<TimedInput>& inputs,
                                 VirtualTime end);

}  // namespace ksim::serve
