#include "ksim/guest/process/guest_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/guest/process/guest_files.h"
#include "ksim/guest/wasi/errno.h"
#include "ksim/trace/events.h"
#include "ksim/value/quantity.h"

namespace ksim::guest {
namespace {

constexpr Duration kLongLife = Minutes(10);
constexpr Duration kFirstBackOff = Seconds(10);
constexpr Duration kMostBackOff = Minutes(5);
// After its start a guest is awaited so long: its caches fill, its lease is won.
constexpr Duration kStartUp = Seconds(5);
// A request that failed is awaited again for no longer than this: longer than any controller of
// Kubernetes waits before it acts, but for the last of client-go's back-offs.
constexpr Duration kLongestBackOff = Minutes(6);
// Source: client-go util/workqueue/default_rate_limiters.go DefaultControllerRateLimiter.
constexpr Duration kClientsLongestBackOff = Seconds(1000);
constexpr Duration kBackOffMargin = Seconds(5);
// A guest's random numbers are drawn anew when it starts. Whenever it runs a strategy may have them
// drawn anew, too: its selects and maps then go other ways from there (1), and the goroutines that
// can run at one time take turns in a drawn order as well, for the rest of its life (2).
constexpr std::uint32_t kReseedAnswers = 3;

std::int64_t UnixNs(VirtualTime time) { return kEpochUnixSeconds * 1'000'000'000 + time.ns(); }

}  // namespace

// A port of the guest, as API servers call it.
class GuestProcess::Server final : public apiserver::WebhookServer {
 public:
  Server(GuestProcess& guest, std::int32_t port) : guest_(guest), port_(port) {}
  const std::string& name() const override { return guest_.process_.name(); }
  bool accepting() const override {
    const std::vector<std::int32_t> ports = guest_.ports();
    return std::find(ports.begin(), ports.end(), port_) != ports.end();
  }
  void Accept(apiserver::WebhookRequest request, Reply reply) override {
    const std::optional<std::int32_t> descriptor = guest_.wasi_->Accept(port_);
    if (!descriptor) return;
    guest_.served_[*descriptor] = std::make_unique<ServedCall>(std::move(reply));
    guest_.wasi_->Receive(*descriptor, ServedCall::TextOf(request));
    guest_.Wake();
  }

 private:
  GuestProcess& guest_;
  const std::int32_t port_;
};

GuestProcess::GuestProcess(client::Environment& env, api::Endpoint& server, ProgramLibrary& library,
                           ProgramLibrary::Entry& program, GuestOptions options,
                           std::function<void(GuestFailure)> failed)
    : env_(env),
      library_(library),
      program_(program),
      options_(std::move(options)),
      failed_(std::move(failed)),
      process_(env.sim.AddProcess(options_.name)),
      relay_(env, process_, server),
      seed_site_(env.sim.decisions().Site("guest/" + options_.name)),
      reseed_site_(env.sim.decisions().Site("reseed/" + options_.name)) {
  env_.sim.bus().Subscribe(sim::Bus::Stage::kWriter, {sim::EventKind::kFault},
                           [this](const sim::Event& e) {
                             const std::string& state = e.payload.As<trace::FaultPayload>().state;
                             if (state == "end") env_.sim.Defer([this] { OnFaultEnd(); });
                           });
  process_.OnStart([this] { OnStart(); });
  process_.OnStop([this] { OnStop(); });
}

GuestProcess::~GuestProcess() = default;

std::vector<std::int32_t> GuestProcess::ports() const {
  std::vector<std::int32_t> ports;
  if (wasi_ == nullptr) return ports;
  for (const auto& [number, open] : wasi_->state().descriptors.all())
    if (open.kind == DescriptorKind::kListener) ports.push_back(open.port);
  std::sort(ports.begin(), ports.end());
  return ports;
}

apiserver::WebhookServer& GuestProcess::ServerAt(std::int32_t port) {
  std::unique_ptr<Server>& server = servers_[port];
  if (server == nullptr) server = std::make_unique<Server>(*this, port);
  return *server;
}

Launch GuestProcess::LaunchNow() const {
  Launch launch;
  launch.args.push_back("/" + options_.name);
  for (const std::string& arg : options_.args) launch.args.push_back(arg);
  std::map<std::string, std::string> env = {
      {"PATH", "/bin"},
      {"HOME", "/root"},
      {"HOSTNAME", options_.name},
      {"POD_NAME", options_.name},
      {"POD_NAMESPACE", options_.ns},
      {"KUBECONFIG", kKubeconfigPath},
      {"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
      {"KUBERNETES_SERVICE_PORT", "8080"},
  };
  for (const auto& [name, value] : options_.env) env[name] = value;
  for (const auto& [name, value] : env) launch.env.push_back(fmt::format("{}={}", name, value));
  launch.files = CommonFiles(options_.name, options_.ns, options_.api.user);
  for (const auto& [path, content] : options_.files)
    launch.files.Put(FileSystem::Clean(path), std::make_shared<const std::string>(content));
  launch.wall_ns = UnixNs(process_.Now());
  return launch;
}

void GuestProcess::OnStart() {
  env_.sim.EmitAs(process_.actor(), env_.sim.context().cause,
                  sim::EventInfo{sim::EventKind::kActor},
                  sim::MakePayload<trace::ActorPayload>(process_.name(), "start"));
  relay_.Start();
  wakes_ = std::make_unique<sim::Mailbox<sim::Origin>>(env_.sim);
  began_ = process_.SteadyNow();
  runs_ = 0;
  origin_ = env_.sim.CaptureOrigin();
  busy_until_ = env_.sim.now();
  process_.Spawn(Loop());
}

void GuestProcess::OnStop() {
  env_.sim.CancelCall(hold_);
  env_.sim.CancelCall(answer_hold_);
  hold_ = answer_hold_ = {};
  unanswered_ = 0;
  relay_.Stop();  // the server sees by itself that its watches are gone
  streams_.clear();
  served_.clear();  // whoever waits for an answer hears that the connection was lost
  wakes_.reset();
  wasi_.reset();
  lines_.clear();
  failing_.clear();
  broken_.Clear();
  if (instance_ != nullptr && reusable_) library_.Return(program_, std::move(instance_));
  instance_ = nullptr;
}

void GuestProcess::Hold(Duration time) {
  const bool starts = process_.SteadyNow() - began_ < kStartUp;
  time = process_.TimeOf(std::max(time, starts ? kStartUp : options_.quiet_after));
  busy_until_ = std::max(busy_until_, env_.sim.now() + time);
  env_.sim.CancelCall(hold_);
  hold_ = env_.sim.After(busy_until_ - env_.sim.now(), sim::TimerKind::kWork, "guest may still act",
                         [] {});
}

// A write that was refused, and whatever got no answer, is tried again: client-go's queues and
// reflectors double the time between two tries, so that the next one comes after about as long as
// they have tried. A change between two tries is one try more, and doubles it once more.
// Source: client-go util/workqueue/default_rate_limiters.go, tools/cache/reflector.go.
void GuestProcess::Answered(const ApiStream::Asked& asked, int status) {
  if (broken_.Answered(asked.reads, status)) BeWork();
  if (asked.background) return;
  const bool reads = asked.method == "GET" || asked.method == "HEAD";
  if (!reads && unanswered_ > 0) {
    --unanswered_;
    if (unanswered_ == 0) env_.sim.CancelCall(answer_hold_);
  }
  const std::string key = asked.method + " " + asked.path;
  const bool failed = status == 0 || status == 429 || status >= 500 || (!reads && status >= 400);
  if (!failed) {
    failing_.erase(key);
    return;
  }
  const VirtualTime now = process_.SteadyNow();
  const auto [found, first] = failing_.try_emplace(key);
  Failing& failing = found->second;
  if (first) failing.first = failing.last = now;
  failing.longest = std::max(failing.longest, now - failing.last);
  failing.last = now;
  const Duration next = std::min((now - failing.first) * 2, failing.longest * 8) + kBackOffMargin;
  if (next <= kLongestBackOff) return Hold(next);
  if (awaits_longest_ && failing.longest < kClientsLongestBackOff)
    return Hold(std::min(next, kClientsLongestBackOff + kBackOffMargin));
  if (!std::exchange(failing.told, true))
    Say("host", fmt::format("{} failed again after {}: nobody waits until it is tried once more",
                            key, FormatDuration(failing.longest)));
  broken_.GiveUp(asked.reads);
}

void GuestProcess::BeWork() {
  env_.sim.context().background = false;
  Hold();
}

// Whoever could not be asked may be there again: the next try is awaited, however late it comes.
void GuestProcess::OnFaultEnd() {
  if (!process_.alive() || !broken_.FaultEnded()) return;
  std::erase_if(failing_, [](const auto& row) { return row.second.told; });
  Troubled();
}

std::optional<Duration> GuestProcess::UntilWake() const {
  const WasiState& state = wasi_->state();
  if (state.wake_ns <= 0) return std::nullopt;
  return std::max(Duration(), Nanoseconds(state.wake_ns - state.steady_ns));
}

bool GuestProcess::Begin() {
  const bool again = process_.incarnation() == 1;
  absl::StatusOr<ProgramLibrary::Begun> begun =
      host_log_ ? library_.Start(program_, LaunchNow(), options_.limits, host_log_)
                : library_.Begin(program_, LaunchNow(), options_.limits, again);
  if (!begun.ok()) {
    Fail(std::string(Message(begun.status())));
    return false;
  }
  instance_ = std::move(begun->instance);
  reusable_ = begun->start->image != nullptr;
  const Started& start = *begun->start;
  wasi_ = std::make_unique<Wasi>(ProgramLibrary::ImportsOf(program_), Launch());
  wasi_->Restore(start.state);
  if (host_log_) wasi_->LogTo(host_log_);
  Apply(start.effects);
  return !Concluded(start.end, start.trap, start.outgrew);
}

sim::Task<void> GuestProcess::Loop() {
  Hold();
  if (!Begin()) co_return;
  wasi_->Reseed(env_.sim.decisions().Draw(seed_site_, process_.incarnation()), false);
  for (;;) {
    const std::optional<Duration> time = UntilWake();
    const bool busy = env_.sim.now() < busy_until_;
    const sim::TimerKind kind = busy ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
    std::optional<sim::Origin> wake;
    if (time.has_value()) {
      wake = co_await wakes_->ReceiveFor(*time, kind);
    } else {
      wake = co_await wakes_->Receive();
    }
    if (wake.has_value()) origin_ = *wake;
    // Time alone: what it asks for now may go on for ever, and what it writes is work.
    if (!wake.has_value()) origin_.background = true;
    while (wakes_->size() > 0) {
      wake = co_await wakes_->Receive();
      if (!wake->background || origin_.background) origin_ = *wake;
    }
    co_await client::AwaitRunning(env_.faults, process_.actor());
    env_.sim.AdoptOrigin(origin_);
    if (!RunOnce()) co_return;
  }
}

void GuestProcess::AskForReseed() {
  sim::Decisions& decisions = env_.sim.decisions();
  const std::uint64_t key = sim::KeyOf(process_.incarnation(), ++runs_);
  const std::uint32_t answer = decisions.ChooseOnce(reseed_site_, key, kReseedAnswers);
  if (answer == 0) return;
  wasi_->Reseed(decisions.Draw(reseed_site_, key), answer == 2);
  Say("host", answer == 2 ? "from here on its goroutines run in another order"
                          : "from here on its random numbers are others");
}

bool GuestProcess::RunOnce() {
  AskForReseed();
  wasi_->SetTime(UnixNs(process_.Now()), Wasi::kSteadyStart + (process_.SteadyNow() - began_).ns());
  const RunEnd end = wasi_->Run(*instance_, options_.limits.steps);
  const std::string trap = instance_->trap();
  Apply(wasi_->TakeEffects());
  return !Concluded(end, trap, instance_->memory().refused());
}

bool GuestProcess::Concluded(RunEnd end, const std::string& trap, bool outgrew) {
  if (outgrew && end != RunEnd::kReturned) {
    SayTheRest();
    Fail(fmt::format("out of memory: it wants more than {} (cluster.guests[].memory)",
                     value::Quantity::FromInt(static_cast<std::int64_t>(options_.limits.memory),
                                              value::Quantity::Format::kBinarySI)
                         .ToString()));
    return true;
  }
  switch (end) {
    case RunEnd::kReturned:
      return false;
    case RunEnd::kStopped:
      SayTheRest();
      Say("host", fmt::format("exit {}", wasi_->state().exit_code.value_or(0)));
      Exit();
      return true;
    case RunEnd::kTrapped:
      Fail(fmt::format("trapped: {}", trap));
      return true;
    case RunEnd::kTooManySteps:
      Fail(
          fmt::format("ran {} instructions without idling: it spins, or makes a key for TLS as "
                      "Kubernetes' components do without --secure-port=0",
                      options_.limits.steps));
      return true;
  }
  return true;
}

void GuestProcess::Apply(std::vector<Effect> effects) {
  for (Effect& effect : effects) {
    switch (effect.kind) {
      case Effect::Kind::kOutput:
        Output(effect.descriptor, effect.text);
        break;
      case Effect::Kind::kConnect:
        Connect(effect.descriptor, effect.text);
        break;
      case Effect::Kind::kSend: {
        const auto stream = streams_.find(effect.descriptor);
        if (stream != streams_.end()) stream->second->Send(effect.text);
        const auto call = served_.find(effect.descriptor);
        if (call != served_.end()) call->second->Receive(effect.text);
        break;
      }
      case Effect::Kind::kClose: {
        streams_.erase(effect.descriptor);
        const auto call = served_.find(effect.descriptor);
        if (call == served_.end()) break;
        call->second->End();
        served_.erase(call);
        break;
      }
      case Effect::Kind::kListen:
        Say("host", fmt::format("it listens at port {}", effect.port));
        break;
      case Effect::Kind::kUnknown:
        Say("host", fmt::format("{} is not there", effect.text));
        break;
    }
  }
}

void GuestProcess::Connect(std::int32_t descriptor, const std::string& address) {
  if (address != kApiAddress) {
    Say("host", fmt::format("nobody listens at {}", address));
    wasi_->EndOfStream(descriptor, kEconnrefused);
    Wake();
    return;
  }
  ApiStream::Came came;
  came.bytes = [this, descriptor](std::string_view bytes) {
    wasi_->Receive(descriptor, bytes);
    Wake();
  };
  came.end = [this, descriptor](std::uint16_t error) {
    wasi_->EndOfStream(descriptor, error);
    if (error != kSuccess) Troubled();
    Wake();
  };
  came.request = [this](const apiserver::http::HttpRequest& request) { Judge(request); };
  came.answer = [this](const ApiStream::Asked& asked, int status) { Answered(asked, status); };
  came.broke = [this](const std::string& reads) {
    if (broken_.Broke(reads)) BeWork();
  };
  streams_[descriptor] =
      std::make_unique<ApiStream>(env_.sim, env_.kinds, options_.api, relay_, std::move(came));
}

// The renewal of a lease goes on for ever. Whatever else a guest writes is work, though only time
// has brought it there, and so is a list or watch that is asked for again.
void GuestProcess::Judge(const apiserver::http::HttpRequest& request) {
  sim::Context& context = env_.sim.context();
  const bool lease = request.target.find("/leases") != std::string::npos;
  const bool writes = request.method != "GET" && request.method != "HEAD";
  const bool again = broken_.Awaits(BrokenReads::KeyOf(request));
  context.background = lease || (origin_.background && !writes && !again);
  if (context.background || !(writes || again)) return;
  Hold();
  if (!writes) return;
  // Also right after the start, when Hold is short: a timeout takes longer than that.
  if (unanswered_++ > 0) env_.sim.CancelCall(answer_hold_);
  answer_hold_ = env_.sim.After(process_.TimeOf(options_.quiet_after), sim::TimerKind::kWork,
                                "guest waits for an answer", [] {});
}

// Whom it asked is not there: it will try again, after a back-off of its own.
void GuestProcess::Troubled() {
  sim::Context& context = env_.sim.context();
  const bool background = std::exchange(context.background, false);
  Hold();
  context.background = background;
}

void GuestProcess::Wake() {
  const sim::Origin origin = env_.sim.CaptureOrigin();
  if (!origin.background) Hold();
  wakes_->Send(origin);
}

void GuestProcess::Output(std::int32_t descriptor, std::string_view text) {
  const std::string_view stream = descriptor == 1 ? "stdout" : "stderr";
  lines_[descriptor].Add(text, [&](const std::string& line) { Say(stream, line); });
}

void GuestProcess::SayTheRest() {
  for (auto& [descriptor, lines] : lines_) {
    const std::string rest = lines.TakeRest();
    if (!rest.empty()) Say(descriptor == 1 ? "stdout" : "stderr", rest);
  }
}

void GuestProcess::Say(std::string_view stream, std::string_view line) {
  LogLine parsed = ParseLogLine(line);
  auto log = std::make_unique<trace::LogPayload>();
  log->stream = stream;
  log->level = std::move(parsed.level);
  log->place = std::move(parsed.place);
  log->text = std::move(parsed.text);
  env_.sim.EmitAs(process_.actor(), env_.sim.context().cause, sim::EventInfo{sim::EventKind::kLog},
                  sim::PayloadRef(log.release()));
}

void GuestProcess::Exit() {
  env_.sim.EmitAs(process_.actor(), env_.sim.context().cause,
                  sim::EventInfo{sim::EventKind::kActor},
                  sim::MakePayload<trace::ActorPayload>(process_.name(), "stop"));
  const bool long_life = process_.SteadyNow() - began_ >= kLongLife;
  short_lives_ = long_life ? 1 : short_lives_ + 1;
  Duration down = env_.sim.decisions().DrawDuration(
      seed_site_, sim::KeyOf("restart", process_.incarnation()), Seconds(1), Seconds(2));
  for (std::uint32_t i = 1; i < short_lives_; ++i)
    down = i == 1 ? kFirstBackOff : std::min(kMostBackOff, down + down);
  // A crash loop goes on for ever. It may also have ended with the next life, if the program only
  // could not reach anybody for long: a run waits as long as the back-off grows.
  env_.sim.context().background = down >= kMostBackOff;
  env_.sim.After(down, sim::TimerKind::kWork, "restart", [process = &process_] {
    if (!process->alive()) process->Start();
  });
  process_.Kill();
}

void GuestProcess::Fail(std::string text) {
  instance_ = nullptr;  // nobody else begins with what is left of it
  Say("host", text);
  GuestFailure failure;
  failure.guest = process_.name();
  failure.text = std::move(text);
  failed_(std::move(failure));
  process_.Kill();
}

}  // namespace ksim::guest
