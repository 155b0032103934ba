#include "ksim/client/cache/first_use.h"

#include <algorithm>
#include <utility>

namespace ksim::client {

namespace {

constexpr Duration kFirstSyncPoll = Milliseconds(1);

}  // namespace

FirstUse::FirstUse(sim::Process& process, Environment& env, InformerFactory& informers)
    : process_(process), env_(env), informers_(informers) {}

void FirstUse::Begin(std::vector<const api::ResourceInfo*> kinds, std::string part,
                     std::function<void()> begin, std::function<void()> work) {
  kinds_ = std::move(kinds);
  part_ = std::move(part);
  begin_ = std::move(begin);
  work_ = std::move(work);
  cause_ = env_.sim.context().cause;
  if (IsThere()) {
    begun_ = true;
    begin_();
    if (work_) work_();
    return;
  }
  listener_ = env_.kinds.OnFirstObject([this] { Look(); });
}

bool FirstUse::IsThere() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [this](const api::ResourceInfo* kind) {
    return env_.kinds.HasHadObjects(*kind);
  });
}

// Runs in a step of the API server.
void FirstUse::Look() {
  if (begun_ || !process_.alive() || !IsThere()) return;
  begun_ = true;
  process_.Spawn(Run(this), part_);
}

sim::Task<void> FirstUse::Run(FirstUse* self) {
  sim::Context& context = self->env_.sim.context();
  context.cause = self->cause_;
  context.background = false;
  self->begin_();
  self->informers_.Start();
  if (!self->work_) co_return;
  while (!self->HaveSynced())
    co_await self->env_.sim.Sleep(kFirstSyncPoll, sim::TimerKind::kWork, "wait for cache sync");
  self->work_();
}

bool FirstUse::HaveSynced() const {
  const std::vector<SharedInformer*> all = informers_.informers();
  return std::all_of(all.begin(), all.end(),
                     [](const SharedInformer* informer) { return informer->HasSynced(); });
}

}  // namespace ksim::client
