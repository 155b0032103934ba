#include "ksim/scenario/size_bounds.h"

#include <fmt/format.h>

#include <limits>

#include "ksim/scenario/parse.h"

namespace ksim::scenario {
namespace {

constexpr const char* kWhyApiServers =
    "each of them watches every kind in etcd and keeps a cache of it: 1000 take 0.3 GB";
constexpr const char* kWhyNodes =
    "Kubernetes is made for no more, and each has a kubelet that writes all the time";
constexpr const char* kWhyControllerReplicas =
    "each is a process with caches of its own, of which one leads";
constexpr const char* kWhyReplicas = "a pod takes some 140 events and 60 kB: 100000 take 6 GB";

std::string TooLarge(std::string_view where, std::int64_t most, std::int64_t got) {
  return fmt::format("{} can be {} at most, got {}", where, most, got);
}

bool CheckAtMost(Problems& problems, const Span& span, std::string_view where, std::int64_t most,
                 std::int64_t got, const char* why) {
  if (got <= most) return true;
  problems.Error(span, TooLarge(where, most, got), why);
  return false;
}

}  // namespace

bool CheckApiServers(Problems& problems, const Span& span, std::int64_t servers) {
  return CheckAtMost(problems, span, "spec.cluster.apiServers", kMostApiServers, servers,
                     kWhyApiServers);
}

bool CheckNodes(Problems& problems, const Span& span, std::string_view where, std::int64_t nodes) {
  return CheckAtMost(problems, span, where, kMostNodes, nodes, kWhyNodes);
}

bool CheckControllerReplicas(Problems& problems, const Span& span, std::string_view where,
                             std::int64_t replicas) {
  return CheckAtMost(problems, span, where, kMostControllerReplicas, replicas,
                     kWhyControllerReplicas);
}

bool CheckReplicas(Problems& problems, const Span& span, std::string_view where,
                   std::int64_t replicas) {
  return CheckAtMost(problems, span, where, kMostReplicas, replicas, kWhyReplicas);
}

// The API server itself refuses a number of replicas that is no int32.
std::vector<Diagnostic> TooManyPods(const Scenario& scenario) {
  std::vector<Diagnostic> out;
  for (const Step& step : scenario.steps)
    for (const Manifest& m : step.objects) {
      const std::int64_t replicas = m.tree.Get("spec").Get("replicas").AsInt();
      if (m.Kind() != "ReplicaSet" || !m.file || replicas <= kMostReplicas ||
          replicas > std::numeric_limits<std::int32_t>::max())
        continue;
      out.push_back(m.file->At(SpanOfField(m, "spec.replicas"),
                               TooLarge("spec.replicas", kMostReplicas, replicas), kWhyReplicas));
    }
  return out;
}

}  // namespace ksim::scenario
