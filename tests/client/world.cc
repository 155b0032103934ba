#include "tests/client/world.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::client {
namespace {

sim::LatencyRange OneMillisecond() {
  sim::LatencyRange range;
  range.min = Milliseconds(1);
  range.max = Milliseconds(1) + Nanoseconds(1);
  return range;
}

}  // namespace

void RecordingHandler::OnAdd(const api::Object& o, bool initial) {
  calls.push_back(
      fmt::format("add {}@{}{}", o.key(), o.resource_version(), initial ? " initial" : ""));
  if (fold.contains(o.key())) complaints.push_back(calls.back());
  fold[o.key()] = o;
}

void RecordingHandler::OnUpdate(const api::Object& old, const api::Object& o) {
  calls.push_back(
      fmt::format("update {}@{}->{}", o.key(), old.resource_version(), o.resource_version()));
  const auto it = fold.find(o.key());
  if (it == fold.end() || it->second.resource_version() != old.resource_version()) {
    complaints.push_back(calls.back());
  }
  fold[o.key()] = o;
}

void RecordingHandler::OnDelete(const Deleted& d) {
  const api::Object& o = d.object;
  calls.push_back(fmt::format("delete {}@{}{}", o.key(), o.resource_version(),
                              d.tombstone ? " tombstone" : ""));
  if (fold.erase(o.key()) == 0 && !deletes_of_unknown) complaints.push_back(calls.back());
}

sim::SimulationOptions World::Options(std::uint64_t seed) {
  sim::SimulationOptions options;
  options.seed = seed;
  return options;
}

World::World(api::Compat compat, std::uint64_t seed)
    : sim(Options(seed)),
      network(sim, OneMillisecond()),
      env(sim, network, kinds, compat),
      process(sim.AddProcess("kcm")) {
  sim.bus().Subscribe(sim::Bus::Stage::kOracle,
                      [this](const sim::Event& e) { events.push_back(e); });
  process.OnStop([this] { connection.reset(); });
  process.Start();
  connection = std::make_unique<Connection>(env, process, server);
}

void World::Settle() { sim.RunUntilQuiet(Milliseconds(1), sim::Simulation::Limits()); }

std::vector<std::string> World::Events(sim::EventKind kind) const {
  std::vector<std::string> out;
  for (const sim::Event& e : events) {
    if (e.kind != kind) continue;
    if (kind == sim::EventKind::kRelist) {
      const auto& p = e.payload.As<RelistPayload>();
      out.push_back(fmt::format("{} rv={} got={} items={} requests={} {}", p.informer, p.rv,
                                p.got_rv, p.items, p.requests.size(), ToString(p.reason)));
    } else if (kind == sim::EventKind::kCache) {
      const auto& p = e.payload.As<CachePayload>();
      out.push_back(fmt::format("{} rv={} items={}", p.informer, p.rv, p.items));
    } else if (kind == sim::EventKind::kResponse) {
      const auto& p = e.payload.As<ResponsePayload>();
      out.push_back(fmt::format("{} {} {}{} {}", p.id, p.code, p.reason, p.lost ? " lost" : "",
                                FormatDuration(p.latency)));
    } else if (kind == sim::EventKind::kReconcile) {
      const auto& p = e.payload.As<ReconcilePayload>();
      out.push_back(fmt::format("{} {} {} {}", p.controller, p.key, p.state, p.result));
    } else {
      out.emplace_back(e.actor.name());
    }
  }
  return out;
}

}  // namespace ksim::client
