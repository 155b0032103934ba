// Metrics: /metrics of a served cluster, in the names of a kube-apiserver and in Prometheus' text
// format. It counts what all clients of the cluster ask, those inside too; durations are virtual.
//
// Sources: apiserver pkg/endpoints/metrics/metrics.go, pkg/storage/etcd3/metrics,
// pkg/storage/cacher/metrics.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ksim/apiserver/doors/http/message.h"
#include "ksim/base/time.h"
#include "ksim/scenario/world.h"
#include "ksim/sim/bus.h"

namespace ksim::serve {

class Metrics {
 public:
  // Subscribes to the world's bus, and lives as long as that is used.
  explicit Metrics(scenario::World& world);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  apiserver::http::HttpResponse Page() const;

 private:
  // Upper bounds in milliseconds, a selection of upstream's.
  static constexpr std::array<std::int64_t, 9> kBounds = {5,   25,   50,   100,  200,
                                                          400, 1000, 5000, 60000};
  struct Histogram {
    std::array<std::uint64_t, kBounds.size()> within{};
    std::uint64_t count = 0;
    Duration sum;
  };
  void Take(const sim::Event& event);

  scenario::World& world_;
  std::map<std::uint64_t, std::string> in_flight_;  // the labels, by the request's number
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by labels and code
  std::map<std::string, Histogram> durations_;                     // by labels
  std::map<std::string, std::int64_t> watches_;                    // that are open, by labels
  std::map<std::string, std::uint64_t> told_;  // events sent to watchers, by labels
  std::int64_t revision_ = 0;                  // of etcd
};

}  // namespace ksim::serve
