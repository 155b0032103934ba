#include "ksim/apiserver/etcd3/compactor.h"

#include <charconv>
#include <utility>

namespace ksim::apiserver {
namespace {

constexpr char kKey[] = "compact_rev_key";

store::Revision RevisionIn(const store::KeyValue& kv) {
  const std::string_view text = kv.value().AsString();
  store::Revision revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

}  // namespace

Compactor::Compactor(sim::Simulation& sim, store::EtcdClient& client, sim::ActorId actor,
                     Duration interval, std::function<void(store::Revision)> on_compacted)
    : sim_(sim),
      client_(client),
      actor_(actor),
      interval_(interval),
      on_compacted_(std::move(on_compacted)),
      started_(sim.SteadyNow()) {}

sim::Task<void> Compactor::Run() {
  sim_.context().unawaited = true;
  while (interval_ > Duration()) {
    co_await sim_.Sleep(interval_, sim::TimerKind::kPeriodic, "etcd compaction");
    co_await CompactOnce();
  }
}

// Compares and swaps the key's version: the winner notes the revision reached and compacts to the
// one noted a round ago; the loser adopts the version that the response names.
sim::Task<void> Compactor::CompactOnce() {
  store::TxnRequest txn;
  txn.compare.emplace_back(kKey, store::Compare::Target::kVersion, store::Compare::Result::kEqual,
                           version_);
  txn.success.emplace_back(store::PutRequest(kKey, value::Value::Of(std::to_string(target_))));
  txn.failure.emplace_back(store::RangeRequest(kKey));
  txn.origin = store::WriteOrigin(actor_, 0);
  absl::StatusOr<store::TxnResponse> response = co_await client_.Txn(std::move(txn));
  if (!response.ok()) co_return;
  const store::Revision compact_to = target_;
  target_ = response->header.revision;
  if (!response->succeeded) {
    const store::RangeResponse& range = response->responses.front().range();
    version_ = range.kvs.empty() ? 0 : range.kvs.front().version();
    co_return;
  }
  ++version_;
  if (compact_to == 0) co_return;
  store::CompactRequest compact(compact_to, store::WriteOrigin(actor_, 0));
  // Another server may have compacted as far already: the next round tries again.
  const auto compacted = co_await client_.Compact(std::move(compact));
  static_cast<void>(compacted);
}

sim::Task<void> Compactor::FollowCompactRevision() {
  while (true) {
    co_await FollowWatch();
    co_await sim_.Sleep(Seconds(1), sim::TimerKind::kPeriodic, "compact revision watch");
  }
}

sim::Task<void> Compactor::FollowWatch() {
  store::WatchRequest request(kKey, "", 0);
  const std::unique_ptr<store::EtcdWatch> watch = client_.Watch(std::move(request));
  while (true) {
    std::optional<store::WatchResponse> response = co_await watch->Next();
    if (!response || response->canceled) co_return;
    if (response->events.empty() || response->events.back().is_delete()) continue;
    const store::Revision revision = RevisionIn(response->events.back().kv);
    const Duration since_poll((sim_.SteadyNow() - started_).ns() % kPollPeriod.ns());
    co_await sim_.Sleep(kPollPeriod - since_poll, sim::TimerKind::kPeriodic, "snapshot compaction");
    if (revision > 0) on_compacted_(revision);
  }
}

}  // namespace ksim::apiserver
