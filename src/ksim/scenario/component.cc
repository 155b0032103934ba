#include "ksim/scenario/component.h"

#include <fmt/format.h>

#include "ksim/client/core/backoff.h"
#include "ksim/trace/events.h"

namespace ksim::scenario {

Component::Component(client::Environment& env, const std::string& name, api::Endpoint& server,
                     client::ClientOptions options, Build build, Resync resync)
    : env_(env),
      process_(env.sim.AddProcess(name)),
      server_(&server),
      options_(std::move(options)),
      build_(std::move(build)),
      resync_(std::move(resync)) {
  process_.OnStart([this] { OnStart(); });
  process_.OnStop([this] { OnStop(); });
}

void Component::OnStart() {
  EmitActor(env_.sim, process_, "start");
  connection_ = std::make_unique<client::Connection>(env_, process_, *server_);
  informers_ =
      std::make_unique<client::InformerFactory>(*connection_, options_, resync_(*connection_));
  body_ = build_(process_, *connection_, *informers_);
  informers_->Start();
}

void Component::ConnectTo(api::Endpoint& server) {
  server_ = &server;
  if (connection_ != nullptr) connection_->ConnectTo(server);
}

void Component::OnStop() {
  body_.reset();
  informers_.reset();
  connection_.reset();
}

void EmitActor(sim::Simulation& sim, sim::Process& process, const char* state) {
  sim.EmitAs(process.actor(), sim.context().cause, sim::EventInfo{sim::EventKind::kActor},
             sim::MakePayload<trace::ActorPayload>(process.name(), state));
}

void ExitAndRestart(client::Environment& env, sim::Process& process) {
  EmitActor(env.sim, process, "stop");
  client::JitterSource restarts(env, fmt::format("restart/{}", process.name()));
  const Duration down = restarts.Uniform(Seconds(1), Seconds(2));
  env.sim.After(down, sim::TimerKind::kWork, "restart", [&process] {
    if (!process.alive()) process.Start();
  });
  process.Kill();
}

}  // namespace ksim::scenario
