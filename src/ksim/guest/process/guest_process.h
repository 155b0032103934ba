// GuestProcess: a process of the cluster whose code is a guest program. It is killed, restarted,
// paused, partitioned and has a skewed clock as any other: its program runs when its time has come
// or bytes have, in no virtual time, and what it does then travels as other clients' requests do.
//
// A guest that idles may wait for work or for what goes on for ever (the renewal of a lease, a
// resync); it does not say. A run counts as not quiet for `quiet_after` from when the guest was
// told of something that is not background itself, or wrote something. After a request that
// failed it counts so for as long as client-go may back off, which follows from the times at which
// it failed before, but for no more than `kLongestBackOff`; in a campaign, whose faults make many
// requests fail one after the other, until it has waited once as long as client-go ever does. A
// list or watch that broke off is awaited in the same way, until it is answered
// (network/broken_reads.h).
//
// A guest that exits is started again as a kubelet does it: at once at first, then after 10 s, 20
// s, ... up to five minutes; one that ran for ten minutes begins anew. A run waits for the next
// start until the back-off is as long as it gets.
//
// Source: pkg/kubelet/kubelet.go backOffPeriod, MaxContainerBackOff.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/client/client.h"
#include "ksim/guest/network/api_stream.h"
#include "ksim/guest/network/broken_reads.h"
#include "ksim/guest/network/relay.h"
#include "ksim/guest/network/served_call.h"
#include "ksim/guest/process/log_line.h"
#include "ksim/guest/process/program_library.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::guest {

struct GuestOptions {
  GuestOptions() = default;
  std::string name;  // of the process
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::pair<std::string, std::string>> files;  // path, content
  ApiSide api;
  std::string ns = "default";          // of its service account
  Duration quiet_after = Seconds(70);  // longer than client-go backs off
  GuestLimits limits;
};

// A guest did what no program should do: it is no verdict on the cluster.
struct GuestFailure {
  GuestFailure() = default;
  std::string guest;
  std::string text;
};

class GuestProcess {
 public:
  // Adds the process, not yet started. All outlive it.
  GuestProcess(client::Environment& env, api::Endpoint& server, ProgramLibrary& library,
               ProgramLibrary::Entry& program, GuestOptions options,
               std::function<void(GuestFailure)> failed);
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;

  sim::Process& process() { return process_; }
  Relay& relay() { return relay_; }
  // The ports at which it listens now, but for those of its own machine alone; in order.
  std::vector<std::int32_t> ports() const;
  // Its server at a port, whether it listens there or not. It lives as long as the guest's process.
  apiserver::WebhookServer& ServerAt(std::int32_t port);
  // Over all host calls since the last start; 0 while it is down.
  std::uint64_t host_digest() const { return wasi_ != nullptr ? wasi_->state().digest : 0; }
  // A failure is no mistake of the scenario's: the longest of all back-offs is awaited, too.
  void AwaitLongestBackOff() { awaits_longest_ = true; }
  // Each call from its next start on.
  void LogHostCallsTo(std::function<void(const HostCall&)> log) { host_log_ = std::move(log); }

 private:
  class Server;
  void OnStart();
  void OnStop();
  Launch LaunchNow() const;
  bool Begin();  // false: its life is over
  sim::Task<void> Loop();
  std::optional<Duration> UntilWake() const;
  void AskForReseed();
  bool RunOnce();  // false: its life is over
  bool Concluded(RunEnd end, const std::string& trap, bool outgrew);
  void Apply(std::vector<Effect> effects);
  void Connect(std::int32_t descriptor, const std::string& address);
  void Output(std::int32_t descriptor, std::string_view text);
  void Say(std::string_view stream, std::string_view line);
  void SayTheRest();
  void Troubled();
  void Wake();
  // The run is not quiet for a while from now, at least as long as `time`.
  void Hold(Duration time = Duration());
  void Answered(const ApiStream::Asked& asked, int status);
  // The running step is work, and so is what comes of it.
  void BeWork();
  void OnFaultEnd();
  void Judge(const apiserver::http::HttpRequest& request);
  void Exit();
  void Fail(std::string text);

  client::Environment& env_;
  ProgramLibrary& library_;
  ProgramLibrary::Entry& program_;
  const GuestOptions options_;
  std::function<void(GuestFailure)> failed_;
  sim::Process& process_;
  Relay relay_;
  sim::SiteId seed_site_, reseed_site_;
  std::function<void(const HostCall&)> host_log_;

  // One life, from start to stop.
  std::unique_ptr<Instance> instance_;
  bool reusable_ = false;
  std::unique_ptr<Wasi> wasi_;
  std::map<std::int32_t, std::unique_ptr<ApiStream>> streams_;  // by descriptor
  std::map<std::int32_t, std::unique_ptr<ServedCall>> served_;  // the same
  std::unique_ptr<sim::Mailbox<sim::Origin>> wakes_;
  std::map<std::int32_t, LineCutter> lines_;
  VirtualTime began_;
  std::uint64_t runs_ = 0;
  sim::Origin origin_;
  VirtualTime busy_until_;
  // The requests that failed and were not answered well since, by method and path.
  struct Failing {
    Failing() = default;
    VirtualTime first, last;
    Duration longest;  // between two of them
    bool told = false;
  };
  std::map<std::string, Failing> failing_;
  BrokenReads broken_;
  bool awaits_longest_ = false;
  std::uint32_t unanswered_ = 0;  // writes that are work
  sim::Simulation::SlotRef hold_, answer_hold_;

  std::map<std::int32_t, std::unique_ptr<Server>> servers_;  // by port
  std::uint32_t short_lives_ = 0;                            // one after the other
};

}  // namespace ksim::guest
