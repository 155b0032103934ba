#include "ksim/client/record/series_sink.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/client/core/context_scope.h"
#include "ksim/client/core/profile.h"

namespace ksim::client {
namespace {

constexpr std::int64_t kRetryJitterPercent = 25;
constexpr Duration kFinishTime = Minutes(6);
constexpr Duration kRefreshTime = Minutes(30);

std::string IsomorphicKey(const EventRecord& e) {
  const ObjectReference& r = e.about;
  const std::string related = e.related ? e.related->uid : "";
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}",
                     e.type, e.action, e.reason, e.component, e.host, r.kind, r.ns, r.name, r.uid,
                     r.api_version, r.resource_version, r.field_path, related);
}

}  // namespace

SeriesSink::SeriesSink(Client& client, std::string part, JitterSource& jitter)
    : client_(client),
      process_(client.connection().process()),
      part_(std::move(part)),
      jitter_(jitter),
      resource_(client.connection().env().kinds.ByResource("events.k8s.io", "events")),
      first_series_count_(ProfileOf(client.connection().compat()).first_series_count) {}

void SeriesSink::Spawn(sim::Task<void> task) { process_.Spawn(std::move(task), part_, true); }

void SeriesSink::Record(std::shared_ptr<const EventRecord> event) {
  if (!std::exchange(loops_, true)) {
    Spawn(RefreshLoop());
    Spawn(FinishLoop());
  }
  const std::string key = IsomorphicKey(*event);
  const auto [it, fresh] = cache_.try_emplace(key);
  Entry& entry = it->second;
  if (fresh) {
    entry.event = std::move(event);
  } else if (entry.series) {
    ++entry.series->count;
    entry.series->last_observed = event->first;
    return;
  } else {
    entry.series.emplace();
    entry.series->count = first_series_count_;
    entry.series->last_observed = event->first;
  }
  Spawn(Attempts(entry));
}

sim::Task<void> SeriesSink::Attempts(Entry entry) {
  for (int tries = 1;; ++tries) {
    const bool done = co_await Write(entry);
    if (done || tries >= kMaxTriesPerEvent) co_return;
    const Duration pause = jitter_.Jitter(kRetryPause, kRetryJitterPercent);
    co_await process_.simulation().Sleep(pause, sim::TimerKind::kWork, "event retry");
  }
}

sim::Task<bool> SeriesSink::Write(Entry entry) {
  Client::ObjectResult result = api::Object();
  const bool series = entry.series.has_value();
  if (series) {
    value::Value patch = SeriesPatch(*entry.series);
    result = co_await client_.Patch(resource_, entry.event->ns, entry.event->name, patch,
                                    PatchOptions(api::PatchType::kStrategic));
  }
  const bool missing = series && !result.ok() && api::IsNotFound(result.status());
  if (!series || missing) {
    api::Object object = api::Object::FromTree(EventsV1Tree(*entry.event, entry.series));
    result = co_await client_.Create(resource_, object);
  }
  if (result.ok()) co_return true;
  if (series && api::IsAlreadyExists(result.status())) co_return false;
  co_return result.status().code != 0;
}

sim::Task<void> SeriesSink::RefreshLoop() {
  for (;;) {
    co_await process_.simulation().Sleep(kRefreshTime, sim::TimerKind::kPeriodic,
                                         "event series refresh");
    std::vector<Entry> open;
    for (const auto& [key, entry] : cache_) {
      if (entry.series) open.push_back(entry);
    }
    for (const Entry& entry : open) co_await Write(entry);
  }
}

sim::Task<void> SeriesSink::FinishLoop() {
  for (;;) {
    co_await process_.simulation().Sleep(kFinishTime, sim::TimerKind::kPeriodic,
                                         "event series finish");
    const VirtualTime since = process_.Now() - kFinishTime;
    std::vector<std::string> idle;
    for (const auto& [key, entry] : cache_) {
      const VirtualTime last = entry.series ? entry.series->last_observed : entry.event->first;
      if (last < since) idle.push_back(key);
    }
    for (const std::string& key : idle) {
      const Entry entry = cache_[key];
      bool done = true;
      if (entry.series) done = co_await Write(entry);
      if (done) cache_.erase(key);
    }
  }
}

}  // namespace ksim::client
