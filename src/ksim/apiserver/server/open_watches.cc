#include "ksim/apiserver/server/open_watches.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/apiserver/core/audit_event.h"

namespace ksim::apiserver {

OpenWatches::OpenWatches(sim::Process& process, Resources& resources, AuditLog* audit)
    : WatchHost(process.simulation(), process.actor()),
      process_(process),
      resources_(resources),
      audit_(audit) {}

OpenWatches::~OpenWatches() { sim.CancelCall(alarm_); }

void OpenWatches::Add(std::shared_ptr<ServedWatch> stream) { streams_.insert(std::move(stream)); }

std::shared_ptr<ServedWatch> OpenWatches::Find(std::uint64_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : *found;
}

void OpenWatches::Serve(std::shared_ptr<ServedWatch> stream, VirtualTime deadline, Extras extras) {
  if (extras.follower.value != 0 || extras.rc != nullptr)
    extras_.emplace(stream->id(), std::move(extras));
  if (stream->closed()) {
    streams_.erase(stream->id());
    return Release(*stream);
  }
  stream->ServeUntil(std::max(deadline, process_.SteadyNow()));
  deadlines_.insert(stream.get());
  SetAlarm();
}

void OpenWatches::Fail(std::string_view client, const api::ResourceInfo& r,
                       const api::Status& error) {
  std::vector<std::shared_ptr<ServedWatch>> meant;
  for (const std::shared_ptr<ServedWatch>& stream : streams_)
    if (stream->accepted() && stream->client() == client && &stream->resource() == &r)
      meant.push_back(stream);
  for (const std::shared_ptr<ServedWatch>& stream : meant) {
    stream->SendError(error, sim.context().cause);
    stream->Close(api::StreamEnd::kEof, "error");
  }
}

void OpenWatches::EndAll(std::string_view reason) {
  while (!streams_.empty()) {
    const std::shared_ptr<ServedWatch> stream = *streams_.begin();
    stream->Close(api::StreamEnd::kReset, reason);
    streams_.erase(stream->id());
  }
}

// The caller may be in the midst of dispatching to watchers, so a task releases the watch
// afterwards, at the same time. When the process dies, everything goes at once.
void OpenWatches::OnClosed(const ServedWatch& stream) {
  const auto found = streams_.find(stream.id());
  if (found == streams_.end()) return;
  std::shared_ptr<ServedWatch> ended = *found;
  streams_.erase(found);
  if (process_.alive()) process_.Spawn(ReleaseLater(std::move(ended)));
}

sim::Task<void> OpenWatches::ReleaseLater(std::shared_ptr<ServedWatch> stream) {
  stream->AdoptRequestContext();
  deadlines_.erase(stream.get());
  Release(*stream);
  SetAlarm();
  co_return;
}

void OpenWatches::SetAlarm() {
  const VirtualTime earliest =
      deadlines_.empty() ? VirtualTime::Max() : (*deadlines_.begin())->deadline();
  if (earliest == alarm_at_) return;
  sim.CancelCall(alarm_);
  alarm_at_ = earliest;
  if (deadlines_.empty()) return;
  const Duration left = earliest - process_.SteadyNow();
  alarm_ =
      process_.After(left, sim::TimerKind::kPeriodic, "watch timeout", [this] { EndOverdue(); });
}

// Ends the watch with the earliest deadline; the next one has an alarm of its own. Clients open
// their watches anew for ever: that is no work, whatever the first opening was part of.
void OpenWatches::EndOverdue() {
  ServedWatch* const overdue = *deadlines_.begin();
  deadlines_.erase(deadlines_.begin());
  // Null: the watch has just ended for another reason.
  if (const std::shared_ptr<ServedWatch> stream = Find(overdue->id())) {
    streams_.erase(stream->id());
    stream->AdoptRequestContext();
    sim.context().background = true;
    Release(*stream);
  }
  alarm_at_ = VirtualTime::Max();
  SetAlarm();
}

// The cacher forgets the watch; the client receives nothing more but its end.
void OpenWatches::Release(ServedWatch& stream) {
  resources_.Forget(stream.resource(), stream.id());
  auto extras = extras_.extract(stream.id());
  if (!extras.empty()) process_.Cancel(extras.mapped().follower);
  stream.Close(api::StreamEnd::kEof, "timeout");
  if (extras.empty() || extras.mapped().rc == nullptr || !stream.accepted()) return;
  const api::Response served;
  Audit(audit_, AuditStage::kResponseComplete, *extras.mapped().rc, &served);
}

}  // namespace ksim::apiserver
