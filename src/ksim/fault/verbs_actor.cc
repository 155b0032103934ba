// Faults of processes, of their parts, and of the way between two of them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "ksim/fault/fault_call.h"
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
Effect Die(Cluster& cluster, sim::Process& process, std::optional<Duration> down) {
  if (process.alive()) KillNow(process);
  Effect effect;
  effect.lasts = down;
  effect.undo = [&cluster, &process] {
    if (!process.alive()) cluster.StartProcess(process);
  };
  return effect;
}

// `death` now, or when the process' afterWrite-th write from now is in the store.
Effect NowOrAfterWrite(Call& call, sim::Process& process, std::function<Effect()> death) {
  const std::int64_t nth = call.Int("afterWrite");
  if (nth == 0) return death();
  Effect effect;
  effect.undo = call.AfterWrite(process, nth);
  effect.strikes = std::move(death);
  return effect;
}

Effect DieNowOrAfterWrite(Call& call, std::optional<Duration> down) {
  sim::Process* process = call.Process("process");
  if (process == nullptr || !process->alive())
    return Skipped(fmt::format("{} is not running", call.Text("process")));
  call.Begin();
  Cluster& cluster = call.cluster();
  return NowOrAfterWrite(call, *process,
                         [&cluster, process, down] { return Die(cluster, *process, down); });
}

// Why `process` cannot hand over to `to` (null: to anyone); "" if it can.
std::string NoFailover(Call& call, const Election& election, const sim::Process* to) {
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

std::string NoActor(Call& call) { return fmt::format("there is no actor {}", call.Text("actor")); }

// PROCESS, or PROCESS/PART.
bool ActorExists(Call& call) {
  std::string name = call.Text("actor");
  if (call.sim().FindProcess(name) != nullptr) return true;
  const std::size_t slash = name.rfind('/');
  return slash != std::string::npos && call.sim().FindProcess(name.substr(0, slash)) != nullptr;
}

}  // namespace

Effect Restart(Call& call) {
  return DieNowOrAfterWrite(call, call.Time("down").value_or(kRestartTime));
}

Effect Crash(Call& call) { return DieNowOrAfterWrite(call, call.Time("down")); }

// The leader dies and stays dead until another replica leads: `to`, whose rivals write nothing till
// then, or whoever is first. It has not given the lease back, so that takes until the lease is
// over.
Effect Failover(Call& call) {
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
    Effect effect = Die(call.cluster(), *leader, std::nullopt);
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
Effect Connect(Call& call) {
  sim::Process* process = call.Process("client");
  apiserver::Server* server = call.Server();
  if (process == nullptr || server == nullptr)
    return Skipped(fmt::format("there is no {}", TargetOf(call.spec())));
  call.Begin();
  if (call.cluster().Connect(*process, *server))
    call.cluster().fault_hooks().CutStreams(process->name(), nullptr, api::Status());
  return AtOnce();
}

Effect Pause(Call& call) {
  if (!ActorExists(call)) return Skipped(NoActor(call));
  call.Begin();
  client::FaultHooks& hooks = call.cluster().fault_hooks();
  std::vector<client::Gate*> gates;
  const std::string before = call.Text("before"), actor = call.Text("actor");
  if (before != "write") gates.push_back(&hooks.AccessGate(actor, client::Access::kRead));
  if (before != "read") gates.push_back(&hooks.AccessGate(actor, client::Access::kWrite));
  for (client::Gate* gate : gates) gate->Close();
  Effect effect;
  effect.undo = [gates] {
    for (client::Gate* gate : gates) gate->Open();
  };
  effect.lasts = call.Time("for");
  return effect;
}

Effect Resume(Call& call) {
  if (!call.InForce("pause")) return Skipped(fmt::format("{} is not paused", call.Text("actor")));
  call.Begin();
  call.EndOf("pause");
  return AtOnce();
}

// Nothing the node's kubelet says is heard, and it hears nothing; its containers go on.
Effect NodeSilent(Call& call) {
  const std::string kubelet = "kubelet/" + call.Text("node");
  if (call.sim().FindProcess(kubelet) == nullptr)
    return Skipped(fmt::format("there is no node {}", call.Text("node")));
  call.Begin();
  Cluster& cluster = call.cluster();
  std::vector<std::string> servers;
  for (const apiserver::Server* server : cluster.servers()) servers.push_back(server->name());
  for (const std::string& server : servers) cluster.network().Cut(kubelet, server);
  Effect effect;
  effect.undo = [&cluster, kubelet, servers] {
    for (const std::string& server : servers) cluster.network().Mend(kubelet, server);
  };
  effect.lasts = call.Time("for");
  return effect;
}

// The machine goes on; its kubelet finds out when it looks.
Effect NodeTrouble(Call& call) {
  Cluster& cluster = call.cluster();
  const std::string node = call.Text("node"), what = call.Text("with");
  if (call.sim().FindProcess("kubelet/" + node) == nullptr)
    return Skipped(fmt::format("there is no node {}", node));
  call.Begin();
  cluster.SetTrouble(node, what, true);
  Effect effect;
  effect.undo = [&cluster, node, what] { cluster.SetTrouble(node, what, false); };
  effect.lasts = call.Time("for");
  return effect;
}

Effect Partition(Call& call) {
  const value::Value& between = call.spec().args.Get("between");
  const std::string a(between.at(0).AsString()), b(between.at(1).AsString());
  for (const std::string& side : {a, b})
    if (call.sim().FindProcess(side) == nullptr)
      return Skipped(fmt::format("there is no process {}", side));
  call.Begin();
  sim::Network& network = call.cluster().network();
  network.Cut(a, b);
  Effect effect;
  effect.undo = [&network, a, b] { network.Mend(a, b); };
  effect.lasts = call.Time("for");
  return effect;
}

Effect SkewClock(Call& call) {
  sim::Process* process = call.Process("process");
  if (process == nullptr) return Skipped(fmt::format("there is no {}", call.Text("process")));
  call.Begin();
  // Several add up, as several who turn one clock.
  const auto turn = [process](Duration by) {
    process->set_skew(process->Now() - process->simulation().now() + by);
  };
  const Duration by = call.Time("by").value_or(Duration());
  turn(by);
  Effect effect;
  effect.undo = [turn, by] { turn(Duration() - by); };
  return effect;
}

}  // namespace ksim::fault
