// Keys and values shaped like Kubernetes' use, shared by the store's benchmarks. Names, sizes and
// numbers of operations are those of bench/peers, which runs the same on etcd.
#pragma once
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/store/store.h"

namespace ksim::store {

inline constexpr int kKeys = 10'000;

inline std::string PodKey(std::int64_t i) {
  return fmt::format("/registry/pods/default/pod-{:06}", i);
}

inline std::vector<PutRequest> Puts(std::int64_t n, std::size_t value_bytes = 1024) {
  const value::Value value = value::Value::String(std::string(value_bytes, 'x'));
  std::vector<PutRequest> puts;
  for (std::int64_t i = 0; i < n; ++i) puts.emplace_back(PodKey(i), value);
  return puts;
}

inline void Fill(Store* store, std::int64_t n) {
  for (const PutRequest& put : Puts(n)) benchmark::DoNotOptimize(store->Put(put));
}

inline RangeRequest AllPods() { return RangeRequest("/registry/pods/", "/registry/pods0"); }

inline std::unique_ptr<WatchStream> WatchAllPods(Store* store, Revision start = 0) {
  std::unique_ptr<WatchStream> stream = store->NewWatchStream();
  stream->Watch(WatchRequest("/registry/pods/", "/registry/pods0", start));
  benchmark::DoNotOptimize(stream->Next());
  return stream;
}

}  // namespace ksim::store
