#include "ksim/client/rest/fault_hooks.h"

#include <algorithm>

#include "ksim/client/rest/watch_pipe.h"

namespace ksim::client {

template <class T>
T* FaultHooks::Find(const OfResources<T>& all, const api::ResourceInfo* r) {
  for (const auto& [resource, thing] : all)
    if (resource == r) return thing.get();
  return nullptr;
}

StreamFaults& FaultHooks::StreamsOf(const std::string& process, const api::ResourceInfo* r) {
  auto& streams = streams_[process];
  if (StreamFaults* const there = Find(streams, r)) return *there;
  streams.emplace_back(r, std::make_unique<StreamFaults>());
  return *streams.back().second;
}

bool FaultHooks::HasOpenStream(const std::string& process, const api::ResourceInfo* r) const {
  const auto found = streams_.find(process);
  if (found == streams_.end()) return false;
  const StreamFaults* const faults = Find(found->second, r);
  return faults != nullptr && std::any_of(faults->open.begin(), faults->open.end(),
                                          [](const WatchPipe* pipe) { return pipe->open(); });
}

int FaultHooks::CutStreams(const std::string& process, const api::ResourceInfo* r,
                           const api::Status& error) {
  const auto found = streams_.find(process);
  if (found == streams_.end()) return 0;
  int count = 0;
  for (const auto& [resource, faults] : found->second) {
    if (r != nullptr && resource != r) continue;
    const std::vector<WatchPipe*> open = faults->open;
    for (WatchPipe* pipe : open) count += pipe->Cut(error) ? 1 : 0;
  }
  return count;
}

void FaultHooks::Hold(const std::string& process, const api::ResourceInfo* r, std::int64_t window) {
  StreamFaults& faults = StreamsOf(process, r);
  ++faults.held;
  faults.window = std::min(faults.window, window);
}

void FaultHooks::Release(const std::string& process, const api::ResourceInfo* r) {
  StreamFaults& faults = StreamsOf(process, r);
  if (--faults.held > 0) return;
  faults.window = StreamFaults::kWindow;
  for (WatchPipe* pipe : std::vector<WatchPipe*>(faults.open)) pipe->TakeHeld();
}

bool FaultHooks::HasHandler(std::string_view actor, const api::ResourceInfo* r) const {
  const auto found = handlers_.find(actor);
  return found != handlers_.end() && Find(found->second, r) != nullptr;
}

HandlerFaults& FaultHooks::HandlersOf(std::string_view actor, const api::ResourceInfo* r) {
  auto& handlers = handlers_[std::string(actor)];
  if (HandlerFaults* const there = Find(handlers, r)) return *there;
  handlers.emplace_back(r, std::make_unique<HandlerFaults>(sim_));
  return *handlers.back().second;
}

Gate& FaultHooks::AccessGate(std::string_view actor, Access access) {
  std::unique_ptr<Gate>& gate = GatesOf(access)[std::string(actor)];
  if (gate == nullptr) gate = std::make_unique<Gate>(sim_);
  return *gate;
}

sim::Task<void> PassGates(FaultHooks* hooks, sim::ActorId actor, Access access) {
  for (;;) {
    Gate* gate = hooks->ClosedGate(actor, access);
    if (gate == nullptr) co_return;
    co_await gate->Opened();
  }
}

sim::Task<bool> AwaitRunning(FaultHooks* hooks, sim::ActorId actor) {
  bool stopped = false;
  while (hooks != nullptr && hooks->has_gates()) {
    Gate* gate = hooks->ClosedGate(actor, Access::kRead);
    if (gate == nullptr || hooks->ClosedGate(actor, Access::kWrite) == nullptr) break;
    stopped = true;
    co_await gate->Opened();
  }
  co_return stopped;
}

// An actor is a process or a part of one; the name of a kubelet's process has a slash of its own.
Gate* FaultHooks::ClosedGate(sim::ActorId actor, Access access) {
  const Gates& gates = GatesOf(access);
  if (gates.empty()) return nullptr;
  std::string_view name = actor.name();
  while (!name.empty()) {
    const auto it = gates.find(name);
    if (it != gates.end() && it->second->closed()) return it->second.get();
    const std::size_t slash = name.rfind('/');
    name = slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
  }
  return nullptr;
}

int FaultHooks::AddJudge(Judge judge) {
  judges_.emplace_back(next_judge_, std::move(judge));
  return next_judge_++;
}

void FaultHooks::RemoveJudge(int number) {
  std::erase_if(judges_, [number](const auto& j) { return j.first == number; });
}

Mishap FaultHooks::MishapOf(const api::Request& request) const {
  const auto judges = judges_;  // a judge may take itself away
  for (const auto& [number, judge] : judges) {
    Mishap mishap = judge(request);
    if (mishap.kind != Mishap::Kind::kNone) return mishap;
  }
  return Mishap();
}

}  // namespace ksim::client
