// Heap of the client's cache: `B` is bytes an object. A program of its own: the C library's malloc
// tells how much of it is in use.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "ksim/client/cache/indexer.h"

namespace ksim::client {
namespace {

using value::Value;

api::Object Pod(std::size_t i) {
  Value metadata = value::Obj({{"name", Value::Of(fmt::format("my-replicaset-{:06}", i))},
                               {"namespace", Value::Of("default")}});
  Value tree = value::Obj({{"apiVersion", Value::Of("v1")},
                           {"kind", Value::Of("Pod")},
                           {"metadata", std::move(metadata)},
                           {"spec", value::Obj({{"nodeName", Value::Of("node-1")}})}});
  return api::Object::FromTree(tree, 1);
}

// Bytes that the cache needs for an object beyond the object itself: without an index, and with the
// index of nodes.
void BM_BytesPerCachedObject(benchmark::State& state) {
  constexpr std::size_t kObjects = 150'000;
  const api::Kinds kinds;
  std::vector<api::Object> objects;
  for (std::size_t i = 0; i < kObjects; ++i) objects.push_back(Pod(i));
  for (auto _ : state) {
    Indexer cache(*kinds.ByName("pods"));
    if (state.range(0) == 1)
      cache.AddIndex("node",
                     [](const api::Object& o, IndexValues& values) { values.Add(o.node_name()); });
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    cache.Replace(objects, 1);
    const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    state.counters["B"] = static_cast<double>(after - before) / static_cast<double>(kObjects);
  }
}
BENCHMARK(BM_BytesPerCachedObject)->Arg(0)->Arg(1)->Iterations(1);

}  // namespace
}  // namespace ksim::client
