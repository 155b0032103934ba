// A reflector in front of a queue that nobody pops, for tests of its requests.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/client/cache/delta_fifo.h"
#include "ksim/client/cache/indexer.h"
#include "ksim/client/cache/reflector.h"
#include "tests/client/world.h"

namespace ksim::client {

// The back-offs have no jitter.
struct ReflectorFixture {
  explicit ReflectorFixture(api::Compat compat = api::Compat::k1_30, ReflectorOptions options = {})
      : world(compat),
        client(*world.connection, world.process.actor(), ClientOptions()),
        queue(&cache, true),
        reflector(client, world.pods(), queue, "kcm pods", std::move(options)) {
    world.env.jitter = false;
  }
  ~ReflectorFixture() { world.sim.Shutdown(); }
  void Start() { world.Run(reflector.Run()); }
  std::vector<std::string> Log() { return std::exchange(world.server.log, {}); }
  std::vector<std::string> Deltas() {
    std::vector<std::string> out;
    while (std::unique_ptr<Popped> popped = queue.Pop()) {
      for (const Delta& d : popped->deltas) {
        static constexpr const char* kNames[] = {"added", "updated", "deleted", "replaced", "sync"};
        out.push_back(std::string(kNames[static_cast<int>(d.type)]) + " " + popped->object().key());
      }
    }
    return out;
  }
  World world;
  Client client;
  Indexer cache{Pods()};
  DeltaFifo queue;
  Reflector reflector;
};

class ReflectorTest : public testing::TestWithParam<api::Compat> {
 protected:
  bool head() const { return GetParam() == api::Compat::k1_36; }
  // The first request of a pass that starts from `rv`.
  std::string First(const std::string& rv) const {
    if (head()) return "watch rv=" + (rv == "0" ? "" : rv) + " initial";
    return "list rv=" + rv + (rv.empty() || rv == "0" ? " limit=500" : "");
  }
  // The requests of a pass from `rv` whose first one succeeded: a watch follows the list; a
  // watch-list goes on by itself.
  std::vector<std::string> Pass(const std::string& rv, const std::string& got) const {
    if (head()) return {First(rv)};
    return {First(rv), "watch rv=" + got};
  }
};
}  // namespace ksim::client
