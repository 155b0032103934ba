#include "ksim/kubelet/eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ksim/api/pod.h"
#include "ksim/api/views/qos.h"
#include "ksim/api/views/taints.h"
#include "ksim/value/quantity.h"

namespace ksim::kubelet {

using value::Quantity;
using value::Value;

namespace {

constexpr Duration kMonitoringPeriod = Seconds(10);
constexpr Duration kTransitionPeriod = Minutes(5);
constexpr Duration kCleanupTimeout = Seconds(30);
constexpr Duration kCleanupPoll = Seconds(1);
constexpr std::int64_t kSystemCriticalPriority = 2'000'000'000;
constexpr std::int64_t kMemoryThreshold = std::int64_t{100} << 20;  // memory.available<100Mi
constexpr std::int64_t kMaxPids = 32768;                            // pid.available<10%

const char* ResourceOf(Trouble pressure) {
  if (pressure == Trouble::kMemory) return "memory";
  return pressure == Trouble::kDisk ? "ephemeral-storage" : "pids";
}

// The eviction threshold: so much must be available. Under pressure half of it is.
Quantity Threshold(Trouble pressure, const Value& capacity) {
  if (pressure == Trouble::kMemory)
    return Quantity::FromInt(kMemoryThreshold, Quantity::Format::kBinarySI);
  if (pressure == Trouble::kPids) return Quantity::FromInt(kMaxPids / 10);
  const auto disk = Quantity::FromTree(capacity.Get("ephemeral-storage"));
  return Quantity::FromInt(disk.ok() ? disk->Value() / 10 : 0, Quantity::Format::kBinarySI);
}

bool UsesMoreThanRequested(Trouble pressure, const api::Object& pod) {
  if (pressure == Trouble::kPids) return false;
  for (const Value& c : pod.spec().Get("containers").items())
    if (c.Get("resources").Get("requests").Has(ResourceOf(pressure))) return false;
  return true;
}

}  // namespace

bool IsCriticalPod(const api::Object& pod) {
  const std::string_view source = pod.Annotation("kubernetes.io/config.source");
  if (!source.empty() && source != "api") return true;
  if (!pod.Annotation("kubernetes.io/config.mirror").empty()) return true;
  return api::PodView(pod).priority() >= kSystemCriticalPriority;
}

void RankForEviction(Trouble pressure, std::vector<api::Object>* pods) {
  const auto rank = [pressure](const api::Object& pod) {
    return std::make_tuple(!UsesMoreThanRequested(pressure, pod), api::PodView(pod).priority(),
                           pod.key());
  };
  std::sort(pods->begin(), pods->end(),
            [&rank](const api::Object& a, const api::Object& b) { return rank(a) < rank(b); });
}

std::string EvictionMessage(Trouble pressure, const Value& capacity, const Profile& profile) {
  std::string message = fmt::format("The node was low on resource: {}. ", ResourceOf(pressure));
  if (!profile.eviction_message_has_quantities) return message;
  const Quantity least = Threshold(pressure, capacity);
  const Quantity left = Quantity::FromInt(least.Value() / 2, least.format());
  return message +
         fmt::format("Threshold quantity: {}, available: {}. ", least.ToString(), left.ToString());
}

EvictionManager::EvictionManager(sim::Process& process, client::Environment& env, Runtime& runtime,
                                 PodWorkers& workers, client::EventRecorder& recorder,
                                 std::string node, Value capacity)
    : process_(process),
      profile_(ProfileOf(env.compat)),
      runtime_(runtime),
      workers_(workers),
      recorder_(recorder),
      node_(std::move(node)),
      capacity_(std::move(capacity)),
      started_(process.SteadyNow()),
      changed_(process.simulation()) {}

void EvictionManager::Start() { process_.Spawn(Run()); }

void EvictionManager::TroubleChanged() { changed_.Notify(); }

bool EvictionManager::Under(Trouble pressure) const {
  const auto it = last_observed_.find(pressure);
  return it != last_observed_.end() && process_.SteadyNow() - it->second < kTransitionPeriod;
}

std::optional<Refusal> EvictionManager::Admit(const api::Object& pod) const {
  std::vector<std::string_view> conditions;
  for (const Trouble pressure : kPressures)
    if (Under(pressure)) conditions.push_back(ConditionOf(pressure));
  if (conditions.empty() || IsCriticalPod(pod)) return std::nullopt;
  if (conditions.size() == 1 && Under(Trouble::kMemory)) {
    static const Value taint = value::Obj({{"key", Value::Of("node.kubernetes.io/memory-pressure")},
                                           {"effect", Value::Of("NoSchedule")}});
    const bool best_effort = std::string_view(api::ComputeQosClass(pod.spec())) == "BestEffort";
    if (!best_effort || api::TolerationsTolerate(pod.spec().Get("tolerations"), taint))
      return std::nullopt;
  }
  return Refusal("Evicted",
                 fmt::format("The node had condition: [{}]. ", fmt::join(conditions, " ")));
}

// The monitor ticks from the kubelet's start. A tick after a change or after an eviction is work; a
// tick under a pressure that no eviction can relieve is not.
sim::Task<void> EvictionManager::Run() {
  bool news = false;
  while (true) {
    std::optional<Trouble> worst = Observe();
    const std::string evicted = worst ? EvictOne(*worst) : "";
    if (!evicted.empty()) {
      co_await WaitForCleanup(evicted);
      continue;
    }
    if (!worst && !news) {
      co_await changed_.Wait();
      news = true;
    }
    const std::int64_t period = kMonitoringPeriod.ns();
    const Duration to_tick(period - (process_.SteadyNow() - started_).ns() % period);
    const sim::TimerKind kind = news ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
    news = false;
    co_await process_.simulation().Sleep(to_tick, kind, "eviction");
  }
}

std::optional<Trouble> EvictionManager::Observe() {
  std::optional<Trouble> worst;
  for (const Trouble pressure : kPressures) {
    if (!runtime_.Has(pressure)) continue;
    last_observed_[pressure] = process_.SteadyNow();
    if (!worst) worst = pressure;
  }
  return worst;
}

std::string EvictionManager::EvictOne(Trouble pressure) {
  recorder_.Event(NodeReference(), "Warning", "EvictionThresholdMet",
                  fmt::format("Attempting to reclaim {}", ResourceOf(pressure)));
  std::vector<api::Object> pods = workers_.ActivePods();
  RankForEviction(pressure, &pods);
  const std::string message = EvictionMessage(pressure, capacity_, profile_);
  for (const api::Object& pod : pods) {
    if (IsCriticalPod(pod) || workers_.Evicted(std::string(pod.uid()))) continue;
    recorder_.Event(pod, "Warning", "Evicted", message);
    workers_.Evict(std::string(pod.uid()), message);
    return std::string(pod.uid());
  }
  return "";
}

sim::Task<void> EvictionManager::WaitForCleanup(std::string uid) {
  const VirtualTime until = process_.SteadyNow() + kCleanupTimeout;
  while (process_.SteadyNow() < until && workers_.Known(uid) && !workers_.Finished(uid))
    co_await process_.simulation().Sleep(kCleanupPoll, sim::TimerKind::kWork, "eviction");
}

// As upstream refers to it: the uid is the name.
api::Object EvictionManager::NodeReference() const {
  const Value metadata =
      value::Obj({{"name", Value::String(node_)}, {"uid", Value::String(node_)}});
  return api::Object::FromTree(value::Obj(
      {{"apiVersion", Value::Of("v1")}, {"kind", Value::Of("Node")}, {"metadata", metadata}}));
}

}  // namespace ksim::kubelet
