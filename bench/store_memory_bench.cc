// Heap of the store: `B` is bytes a key or a version.
#include <malloc.h>

#include "bench/store_bench.h"
#include "ksim/value/value.h"

namespace ksim::store {
namespace {

double HeapBytes() { return static_cast<double>(mallinfo2().uordblks); }

// 100,000 keys of 30 bytes; their values of 1 KiB are one shared tree, so that what is counted is
// what the store itself needs.
void memory_100k(benchmark::State& state) {
  const std::vector<PutRequest> puts = Puts(100'000);
  double bytes = 0;
  for (auto _ : state) {
    const double before = HeapBytes();
    Store store;
    for (const PutRequest& put : puts) benchmark::DoNotOptimize(store.Put(put));
    bytes = (HeapBytes() - before) / 100'000;
  }
  state.counters["B"] = bytes;
}
BENCHMARK(memory_100k)->Iterations(1);

// An object of 16 KiB, of which each version changes one field.
void memory_per_version_16k(benchmark::State& state) {
  value::ObjectBuilder data;
  for (int i = 0; i < 256; ++i)
    data.Add(fmt::format("field{:03}", i), value::Value::String(std::string(50, 'x')));
  value::Value object = value::Obj({{"data", data.Build()}, {"status", value::Value::Of("")}});
  constexpr int kVersions = 10'000;
  double bytes = 0;
  for (auto _ : state) {
    Store store;
    benchmark::DoNotOptimize(store.Put(PutRequest(PodKey(0), object)));
    const double before = HeapBytes();
    for (int i = 0; i < kVersions; ++i) {
      object = object.Set("status", value::Value::Of(fmt::format("version {}", i)));
      benchmark::DoNotOptimize(store.Put(PutRequest(PodKey(0), object)));
    }
    bytes = (HeapBytes() - before) / kVersions;
  }
  state.counters["B"] = bytes;
}
BENCHMARK(memory_per_version_16k)->Iterations(1);

}  // namespace
}  // namespace ksim::store
