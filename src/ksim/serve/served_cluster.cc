#include "ksim/serve/served_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/scenario/fault_arguments.h"
#include "ksim/scenario/load.h"
#include "ksim/value/yaml.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;
using Stop = sim::Simulation::Stop;

// More kinds of clients than these share the last one's process.
constexpr std::size_t kMostClients = 64;
constexpr std::size_t kLongestName = 40;

scenario::RunnerOptions Served(scenario::RunnerOptions options) {
  options.serve = options.outcome = true;
  return options;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string ProcessNameOf(const http::HttpRequest& request) {
  const std::string_view agent = request.headers.Get("User-Agent");
  const auto end = std::find_if_not(agent.begin(), agent.end(), IsNameCharacter);
  std::string name(agent.begin(), end);
  if (name.empty()) name = "client";
  return std::string(scenario::kOutside) + name.substr(0, kLongestName);
}

ServedCluster::ServedCluster(const scenario::Scenario& scenario, scenario::RunnerOptions options)
    : scenario_(scenario),
      runner_(scenario, Served(std::move(options))),
      metrics_(runner_.world()),
      not_simulated_(scenario_, runner_.world()),
      logs_(runner_.world().sim()) {}

ServedCluster::~ServedCluster() {
  sessions_.clear();
  runner_.world().sim().Shutdown();
}

VirtualTime ServedCluster::NextDue() { return runner_.world().sim().NextDue(); }

void ServedCluster::Begin() {
  runner_.Begin();
  for (const fault::Spec& spec : scenario_.faults) AddClientsOf(spec.args);
}

Stop ServedCluster::AdvanceTo(VirtualTime t) {
  sim::Simulation::Limits limits;
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  return runner_.world().sim().RunUntil(std::max(t, last_input_ + Nanoseconds(1)), limits);
}

void ServedCluster::Take(Input input) {
  sim::Simulation& sim = runner_.world().sim();
  last_input_ = sim.now();
  sim.After(Duration(), sim::TimerKind::kWork, "input",
            [this, input = std::move(input)] { Apply(input); });
}

void ServedCluster::Apply(const Input& input) {
  sim::Simulation& sim = runner_.world().sim();
  const auto session = sessions_.find(input.connection);
  const bool open = session != sessions_.end() && session->second.http != nullptr;
  std::string who = "ksim";
  if (input.what == Input::What::kRequest) {
    who = ClientOf(input.request).process().name();
  } else if (open) {
    who = session->second.client;
  }
  const sim::ActorId actor = sim::ActorId::Of(who);
  sim.context().actor = actor;
  sim.context().cause =
      sim.EmitAs(actor, 0, sim::EventInfo{sim::EventKind::kInput}, PayloadOf(input));
  switch (input.what) {
    case Input::What::kRequest:
      return Serve(input);
    case Input::What::kGone:
      if (open) session->second.http->Gone(input.stream);
      return DropIdleSessions();
    case Input::What::kPause:
      if (open) session->second.http->Pause(input.stream);
      return;
    case Input::What::kResume:
      if (open) session->second.http->Resume(input.stream);
      return;
    case Input::What::kFault:
      if (const auto spec = ParseFault(input.text); spec.ok()) Inject(*spec);
      return;
    case Input::What::kHeal:
      return runner_.Heal();
  }
}

void ServedCluster::Serve(const Input& input) {
  Session& session = sessions_[input.connection];
  scenario::World& world = runner_.world();
  if (session.http == nullptr) {
    session.http = std::make_unique<http::HttpSession>(world.sim(), world.kinds(), session.writer,
                                                       scenario_.compat);
    session.http->SetLogs(&logs_);
  }
  ExternalClient& client = ClientOf(input.request);
  session.client = client.process().name();
  session.http->Serve(client.relay(), input.stream, input.request);
}

// Sessions of connections that have broken, once their last answer has come.
void ServedCluster::DropIdleSessions() {
  std::erase_if(sessions_, [](const auto& entry) {
    const Session& session = entry.second;
    return session.writer == nullptr && (session.http == nullptr || session.http->IsIdle());
  });
}

// No fault of the script: it is numbered as those are that a run draws.
void ServedCluster::Inject(const fault::Spec& spec) {
  sim::Simulation& sim = runner_.world().sim();
  AddClientsOf(spec.args);
  skipped_.clear();
  runner_.injector().Fire(spec, fault::Plan::kDrawn, sim.context().cause, &skipped_);
}

void ServedCluster::AddClientsOf(const value::Value& args) {
  const auto add = [&](const value::Value& arg) {
    if (arg.AsString().starts_with(scenario::kOutside)) ClientNamed(std::string(arg.AsString()));
  };
  for (const value::Value::Member& member : args.members()) {
    add(member.value);
    for (const value::Value& item : member.value.items()) add(item);
  }
}

ExternalClient& ServedCluster::ClientOf(const http::HttpRequest& request) {
  return ClientNamed(ProcessNameOf(request));
}

ExternalClient& ServedCluster::ClientNamed(std::string name) {
  if (clients_.size() >= kMostClients && !clients_.contains(name))
    name = std::string(scenario::kOutside) + "others";
  std::unique_ptr<ExternalClient>& client = clients_[name];
  if (client == nullptr) {
    scenario::World& world = runner_.world();
    client =
        std::make_unique<ExternalClient>(world.env(), world.servers().front()->endpoint(), name);
    world.AddClient(client->process(),
                    [c = client.get()](api::Endpoint& e) { c->relay().ConnectTo(e); });
    world.StartProcess(client->process());
  }
  return *client;
}

scenario::RunReport ServedCluster::Finish(Stop stop) { return runner_.End(stop); }

void ServedCluster::Attach(std::int64_t connection, http::ResponseWriter& writer) {
  sessions_[connection].writer = &writer;
}

void ServedCluster::Detach(std::int64_t connection) {
  const auto found = sessions_.find(connection);
  if (found == sessions_.end()) return;
  found->second.writer = nullptr;
  if (found->second.http == nullptr) {
    sessions_.erase(found);
    return;
  }
  found->second.http->SetWriter(nullptr);
}

std::size_t ServedCluster::unanswered() const {
  std::size_t n = 0;
  for (const auto& [connection, session] : sessions_)
    if (session.http != nullptr && session.writer != nullptr) n += session.http->unanswered();
  return n;
}

std::vector<ServedWatch> ServedCluster::watches() const {
  std::vector<ServedWatch> out;
  for (const auto& [connection, session] : sessions_) {
    if (session.http == nullptr || session.writer == nullptr) continue;
    for (const http::OpenWatch& watch : session.http->watches()) {
      ServedWatch one;
      one.connection = connection;
      one.stream = watch.stream;
      one.paused = watch.paused;
      out.push_back(one);
    }
  }
  return out;
}

bool ServedCluster::accepting(const http::HttpRequest& request) {
  const auto client = clients_.find(ProcessNameOf(request));
  if (client != clients_.end()) return client->second->relay().server().accepting();
  return runner_.world().servers().front()->endpoint().accepting();
}

absl::StatusOr<fault::Spec> ServedCluster::ParseFault(const std::string& text) {
  const value::YamlFile file = value::ParseYaml(text, "fault");
  if (!file.errors.empty()) return absl::InvalidArgumentError(file.errors.front().message);
  if (file.documents.size() != 1)
    return absl::InvalidArgumentError("a fault is one mapping: VERB: {ARGUMENTS}");
  const value::Value fault = file.documents.front().ToValue();
  if (!fault.is_object()) return absl::InvalidArgumentError("a fault is a mapping");
  if (fault.Has("at") || fault.Has("when"))
    return absl::InvalidArgumentError("a fault that is injected happens at once");
  value::Value tree = scenario::ToTree(scenario_);
  value::Value spec = tree.Get("spec");
  spec = spec.Set("faults", value::Value::Array({fault.Set("at", value::Value::Of("0s"))}));
  const scenario::Loaded loaded =
      scenario::ParseScenarioTree(tree.Set("spec", spec), "", scenario_.cluster.program);
  std::vector<std::string> errors;
  for (const Diagnostic& d : loaded.errors)
    errors.push_back(d.message + (d.hint.empty() ? "" : "; " + d.hint));
  if (!errors.empty())
    return absl::InvalidArgumentError(fmt::format("{}", fmt::join(errors, "\n")));
  fault::Spec out = loaded.scenarios.front().faults.front();
  out.at.reset();
  return out;
}

scenario::RunReport ReplayInputs(ServedCluster& cluster, const std::vector<TimedInput>& inputs,
                                 VirtualTime end) {
  cluster.Begin();
  Stop stop = Stop::kTimeReached;
  for (const TimedInput& timed : inputs) {
    if (timed.time > cluster.now()) stop = cluster.AdvanceTo(timed.time);
    if (stop != Stop::kTimeReached) return cluster.Finish(stop);
    cluster.Take(timed.input);
  }
  if (end >= cluster.now()) stop = cluster.AdvanceTo(end);
  return cluster.Finish(stop);
}

}  // namespace ksim::serve
