// Writes and reads of the store, synchronous, without messages. store_* and range_* are etcd's own
// package benchmarks (mvcc/kvstore_bench_test.go); the others are shaped like Kubernetes' use.
// etcd also pays for encoding, locks and a durable write buffer, which an in-memory simulator does
// not need. The counter `items` says among how many the time of an iteration is to be shared out.
#include "bench/store_bench.h"

namespace ksim::store {
namespace {

std::vector<PutRequest> PutsOf64Bytes(std::int64_t n) {
  std::vector<PutRequest> puts;
  for (std::int64_t i = 0; i < n; ++i) {
    puts.emplace_back(fmt::format("{0:016x}{0:016x}{0:016x}{0:016x}",
                                  static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u),
                      value::Value::String(std::string(64, 'x')));
  }
  return puts;
}

// New keys of 64 bytes, values of 64.
void store_put(benchmark::State& state) {
  Store store;
  const std::vector<PutRequest> puts = PutsOf64Bytes(state.max_iterations);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++]));
}
BENCHMARK(store_put)->Iterations(200'000);

// One key of 64 bytes over and over, values of 1 KiB.
void store_put_update(benchmark::State& state) {
  Store store;
  const PutRequest put(std::string(64, 'k'), value::Value::String(std::string(1024, 'x')));
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(put));
}
BENCHMARK(store_put_update)->Iterations(200'000);

// As store_put, in a transaction of one put.
void store_txn_put(benchmark::State& state) {
  Store store;
  std::vector<TxnRequest> txns(static_cast<std::size_t>(state.max_iterations));
  std::vector<PutRequest> puts = PutsOf64Bytes(state.max_iterations);
  for (std::size_t i = 0; i < txns.size(); ++i) txns[i].success = {puts[i]};
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Txn(txns[i++]));
}
BENCHMARK(store_txn_put)->Iterations(200'000);

// Ranges over one key, and over all 100 keys of a store.
void range_keys(benchmark::State& state) {
  Store store;
  for (const PutRequest& put : PutsOf64Bytes(state.range(0)))
    benchmark::DoNotOptimize(store.Put(put));
  const std::string from(1, '\0');
  const RangeRequest range =
      state.range(0) == 1 ? RangeRequest(PutsOf64Bytes(1)[0].key) : RangeRequest(from, from);
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(range));
}
BENCHMARK(range_keys)->Name("range_1")->Arg(1)->Iterations(20'000);
BENCHMARK(range_keys)->Name("range_100")->Arg(100)->Iterations(20'000);

void put_new(benchmark::State& state) {
  Store store;
  const std::vector<PutRequest> puts = Puts(state.max_iterations);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++]));
}
BENCHMARK(put_new)->Iterations(100'000);

void put_update(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  const std::vector<PutRequest> puts = Puts(kKeys);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
}
BENCHMARK(put_update)->Iterations(100'000);

void delete_one(benchmark::State& state) {
  Store store;
  Fill(&store, 2 * state.max_iterations);
  std::vector<DeleteRangeRequest> deletes;
  for (std::int64_t i = 0; i < state.max_iterations; ++i) deletes.emplace_back(PodKey(i));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.DeleteRange(deletes[i++]));
}
BENCHMARK(delete_one)->Iterations(50'000);

// As an API server writes: read the key, then a transaction that compares its mod revision and
// puts.
void guarded_update(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  const std::vector<PutRequest> puts = Puts(kKeys);
  std::size_t i = 0;
  for (auto _ : state) {
    const PutRequest& put = puts[i++ % kKeys];
    const absl::StatusOr<RangeResponse> read = store.Range(RangeRequest(put.key));
    const Revision expected = read->kvs[0].mod_revision();
    benchmark::DoNotOptimize(store.Txn(OptimisticPut(put, expected, true)));
  }
}
BENCHMARK(guarded_update)->Iterations(50'000);

// One key out of 10,000, now or 20,000 revisions back.
void get(benchmark::State& state) {
  Store store;
  for (int round = 0; round < 4; ++round) Fill(&store, kKeys);
  std::vector<RangeRequest> gets;
  for (int i = 0; i < kKeys; ++i) {
    gets.emplace_back(PodKey((i * 7919) % kKeys));
    gets.back().revision = state.range(0) == 0 ? 0 : store.revision() - state.range(0);
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(gets[i++ % kKeys]));
}
BENCHMARK(get)->Name("get")->Arg(0)->Iterations(50'000);
BENCHMARK(get)->Name("get_past")->Arg(20'000)->Iterations(50'000);

// Ranges over 10,000 keys. Argument: how many revisions back.
void list(benchmark::State& state, RangeRequest request) {
  Store store;
  Fill(&store, kKeys);
  Fill(&store, kKeys);
  request.revision = state.range(0) == 0 ? 0 : store.revision() - state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(request));
}
RangeRequest Page() {
  RangeRequest page = AllPods();
  page.limit = 500;
  return page;
}
RangeRequest Count() {
  RangeRequest count = AllPods();
  count.count_only = true;
  return count;
}
BENCHMARK_CAPTURE(list, all, AllPods())->Name("list_all_10k")->Arg(0)->Iterations(50);
BENCHMARK_CAPTURE(list, past, AllPods())->Name("list_past_10k")->Arg(5'000)->Iterations(50);
BENCHMARK_CAPTURE(list, page, Page())->Name("list_page_500")->Arg(0)->Iterations(200);
BENCHMARK_CAPTURE(list, count, Count())->Name("count_10k")->Arg(0)->Iterations(200);

// Everything up to now. Time is for each revision.
void compact(benchmark::State& state) {
  Store store;
  for (int round = 0; round < 16; ++round) Fill(&store, kKeys);
  for (auto _ : state)
    benchmark::DoNotOptimize(store.Compact(CompactRequest(store.revision(), WriteOrigin())));
  state.counters["items"] = static_cast<double>(store.revision());
}
BENCHMARK(compact)->Iterations(1);

// 10,000 keys of one revision each; the compaction revision rises by one a call.
void index_compact_10000(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  Revision to = 1;
  for (auto _ : state) benchmark::DoNotOptimize(store.Compact(CompactRequest(to++, WriteOrigin())));
}
BENCHMARK(index_compact_10000)->Iterations(2'000);

}  // namespace
}  // namespace ksim::store
