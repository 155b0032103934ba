#include "ksim/fault/process_verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ksim/fault/clock_rate.h"
#include "ksim/sim/clock.h"
#include "ksim/sim/process.h"
#include "ksim/trace/events.h"

namespace ksim::fault {
namespace {

// As long as it takes a supervisor to start a process again.
constexpr Duration kRestartTime = Seconds(1);

void KillNow(sim::Process& process) {
  sim::Simulation& sim = process.simulation();
  sim.EmitAs(process.actor(), sim.context().cause, sim::EventInfo{sim::EventKind::kActor},
             sim::MakePayload<trace::ActorPayload>(process.name(), "kill"));
  process.Kill();
}

// `down`: how long; nullopt = until the fault is ended.
FaultEffect Die(Cluster& cluster, sim::Process& process, std::optional<Duration> down) {
  if (process.alive()) KillNow(process);
  FaultEffect effect;
  effect.lasts = down;
  effect.undo = [&cluster, &process] {
    if (!process.alive()) cluster.StartProcess(process);
  };
  return effect;
}

// `death` now, or when the process' afterWrite-th write from now is in the store.
FaultEffect NowOrAfterWrite(FaultCall& call, sim::Process& process,
                            std::function<FaultEffect()> death) {
  const std::int64_t nth = call.Int("afterWrite");
  if (nth == 0) return death();
  FaultEffect effect;
  effect.undo = call.AfterWrite(process, nth);
  effect.strikes = std::move(death);
  return effect;
}

FaultEffect DieNowOrAfterWrite(FaultCall& call, std::optional<Duration> down) {
  sim::Process* process = call.Process("process");
  if (process == nullptr || !process->alive())
    return Skipped(fmt::format("{} is not running", call.Text("process")));
  call.Begin();
  Cluster& cluster = call.cluster();
  return NowOrAfterWrite(call, *process,
                         [&cluster, process, down] { return Die(cluster, *process, down); });
}

// Why `process` cannot hand over to `to` (null: to anyone); "" if it can.
std::string NoFailover(FaultCall& call, const Election& election, const sim::Process* to) {
  const std::string name = call.Text("process");
  if (election.replicas.size() < 2) return fmt::format("{} has no other replica", name);
  const bool leads = election.leader != nullptr &&
                     (name == election.leader->name() || call.Process("process") == nullptr);
  if (!leads) return fmt::format("{} does not lead", name);
  if (!call.Has("to")) return "";
  const auto& all = election.replicas;
  if (std::find(all.begin(), all.end(), to) == all.end())
    return fmt::format("{} is no replica of {}", call.Text("to"), name);
  if (to == election.leader) return fmt::format("{} leads already", to->name());
  return to->alive() ? "" : fmt::format("{} is not running", to->name());
}

std::string NoActor(FaultCall& call) {
  return fmt::format("there is no actor {}", call.Text("actor"));
}

// PROCESS, or PROCESS/PART.
bool ActorExists(FaultCall& call) {
  std::string name = call.Text("actor");
  if (call.sim().FindProcess(name) != nullptr) return true;
  const std::size_t slash = name.rfind('/');
  return slash != std::string::npos && call.sim().FindProcess(name.substr(0, slash)) != nullptr;
}

}  // namespace

FaultEffect Restart(FaultCall& call) {
  return DieNowOrAfterWrite(call, call.Time("down").value_or(kRestartTime));
}

FaultEffect Crash(FaultCall& call) { return DieNowOrAfterWrite(call, call.Time("down")); }

// The leader dies and stays dead until another replica leads: `to`, whose rivals write nothing till
// then, or whoever is first. It has not given the lease back, so that takes until the lease is
// over.
FaultEffect Failover(FaultCall& call) {
  const Election election = call.cluster().ElectionOf(call.Text("process"));
  sim::Process* to = call.Process("to");
  if (std::string why = NoFailover(call, election, to); !why.empty()) return Skipped(why);
  call.Begin();
  std::vector<const sim::Process*> heirs;
  std::vector<client::Gate*> rivals;
  for (sim::Process* replica : election.replicas) {
    if (replica == election.leader) continue;
    if (to == nullptr || replica == to)
      heirs.push_back(replica);
    else
      rivals.push_back(&call.cluster().fault_hooks().AccessGate(std::string(replica->name()),
                                                                client::Access::kWrite));
  }
  // The fault outlives this call.
  auto death = [call, heirs, rivals, leader = election.leader]() mutable {
    for (client::Gate* gate : rivals) gate->Close();
    FaultEffect effect = Die(call.cluster(), *leader, std::nullopt);
    effect.undo = [rivals, forget = call.UntilOneLeads(heirs), revive = effect.undo] {
      forget();
      for (client::Gate* gate : rivals) gate->Open();
      revive();
    };
    return effect;
  };
  return NowOrAfterWrite(call, *election.leader, std::move(death));
}

// Its open watches end with the old connection; what is under way is still answered by the old
// server.
FaultEffect Connect(FaultCall& call) {
  sim::Process* process = call.Process("client");
  apiserver::Server* server = call.Server();
  if (process == nullptr || server == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  if (!call.cluster().Connect(*process, *server))
    return Skipped(fmt::format("{} talks to no API server", process->name()));
  call.Begin();
  call.cluster().fault_hooks().CutStreams(process->name(), nullptr, api::Status());
  return AtOnce();
}

FaultEffect Pause(FaultCall& call) {
  if (!ActorExists(call)) return Skipped(NoActor(call));
  call.Begin();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  std::vector<client::Gate*> gates;
  const std::string before = call.Text("before"), actor = call.Text("actor");
  if (before != "write") gates.push_back(&hooks.AccessGate(actor, client::Access::kRead));
  if (before != "read") gates.push_back(&hooks.AccessGate(actor, client::Access::kWrite));
  for (client::Gate* gate : gates) gate->Close();
  FaultEffect effect;
  effect.undo = [gates] {
    for (client::Gate* gate : gates) gate->Open();
  };
  effect.lasts = call.Time("for");
  return effect;
}

// Several steps add up, as several who turn one clock. Of several rates the one that began last
// holds: a clock has one oscillator.
FaultEffect SkewClock(FaultCall& call) {
  sim::Process* process = call.Process("process");
  if (process == nullptr) return Skipped(fmt::format("there is no {}", call.Text("process")));
  call.Begin();
  const Duration by = call.Time("by").value_or(Duration());
  process->set_skew(process->skew() + by);
  std::optional<sim::TurnedClock::RateId> id;
  if (const auto rate = ParseClockRate(call.Text("rate"))) id = process->BeginRate(*rate);
  FaultEffect effect;
  effect.undo = [process, by, id] {
    process->set_skew(process->skew() - by);
    if (id) process->EndRate(*id);
  };
  return effect;
}

// --- draws ---

void DrawRestart(DrawnQuestion& question) {
  const std::uint32_t n = question.Ask(question.client(), kSizes);
  if (n == 0) return;
  question.Fire("restart",
                value::Obj({{"process", Text(question.client())}, {"down", LengthOf(n)}}));
}

void DrawCrash(DrawnQuestion& question) {
  const std::uint32_t n = question.Ask(question.client(), kSizes);
  if (n == 0) return;
  question.Fire("crash", value::Obj({{"process", Text(question.client())}, {"down", LengthOf(n)}}));
}

// Answers: each other replica may take over.
void DrawFailover(DrawnQuestion& question) {
  const std::string_view leader = question.client();
  std::vector<std::string> heirs;
  for (const sim::Process* replica : question.cluster().ElectionOf(leader).replicas)
    if (replica->name() != leader) heirs.emplace_back(replica->name());
  if (heirs.empty()) return;
  const std::uint32_t to = question.Ask(leader, static_cast<std::uint32_t>(heirs.size()) + 1);
  if (to == 0) return;
  question.Fire("failover", value::Obj({{"process", Text(leader)}, {"to", Text(heirs[to - 1])}}));
}

// Answers: each other API server.
void DrawConnect(DrawnQuestion& question) {
  std::vector<std::string> others;
  for (const apiserver::Server* server : question.cluster().servers())
    if (server->name() != question.server()) others.push_back(server->name());
  if (others.empty()) return;
  const std::uint32_t to =
      question.Ask(question.client(), static_cast<std::uint32_t>(others.size()) + 1);
  if (to == 0) return;
  question.Fire("connect", value::Obj({{"client", Text(question.client())},
                                       {"server", Text(others[to - 1])}}));
}

void DrawPause(DrawnQuestion& question) {
  const std::uint32_t n = question.Ask(question.client(), kSizes);
  if (n == 0) return;
  question.Fire("pause", value::Obj({{"actor", Text(question.client())}, {"for", LengthOf(n)}}));
}

// Answers: ahead and behind of the constants that clocks are compared with.
void DrawSkewClock(DrawnQuestion& question) {
  constexpr Duration kSkews[] = {Seconds(11),  Seconds(-11), Seconds(16),
                                 Seconds(-16), Minutes(6),   Minutes(-6)};
  const std::uint32_t n = question.Ask(question.client(), std::size(kSkews) + 1);
  if (n == 0) return;
  question.Fire("skewClock", value::Obj({{"process", Text(question.client())},
                                         {"by", Text(FormatDuration(kSkews[n - 1]))}}));
}

// Answers: a clock that loses or gains a fifth, or runs at half or at twice the rate.
void DrawClockRate(DrawnQuestion& question) {
  constexpr std::string_view kRates[] = {"80%", "120%", "50%", "200%"};
  const std::uint32_t n = question.Ask(question.client(), std::size(kRates) + 1);
  if (n == 0) return;
  question.Fire("skewClock",
                value::Obj({{"process", Text(question.client())}, {"rate", Text(kRates[n - 1])}}));
}

}  // namespace ksim::fault
