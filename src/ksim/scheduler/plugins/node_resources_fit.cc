// Room for what the pod asks for; least allocated nodes score best.
// Source: pkg/scheduler/framework/plugins/noderesources/{fit,least_allocated}.go.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

struct Shortage {
  std::string reason;
  bool unresolvable = false;  // more than the whole node has
};

void AddIfShort(std::vector<Shortage>& shortages, std::string_view resource, std::int64_t wanted,
                std::int64_t used, std::int64_t capacity) {
  if (wanted == 0 || wanted <= capacity - used) return;
  shortages.push_back({fmt::format("Insufficient {}", resource), wanted > capacity});
}

// fit.go fitsRequest: everything that is short, "Too many pods" first.
std::vector<Shortage> Shortages(const api::Resources& request, const NodeInfo& info) {
  std::vector<Shortage> shortages;
  const api::Resources& have = info.allocatable();
  const api::Resources& used = info.requested();
  if (static_cast<std::int64_t>(info.pods().size()) + 1 > have.pods) {
    shortages.push_back({"Too many pods", false});
  }
  if (request.empty()) return shortages;
  AddIfShort(shortages, "cpu", request.milli_cpu, used.milli_cpu, have.milli_cpu);
  AddIfShort(shortages, "memory", request.memory, used.memory, have.memory);
  AddIfShort(shortages, "ephemeral-storage", request.ephemeral_storage, used.ephemeral_storage,
             have.ephemeral_storage);
  for (const auto& [name, amount] : request.scalars) {
    const auto capacity = have.scalars.find(name);
    const auto taken = used.scalars.find(name);
    AddIfShort(shortages, name, amount, taken == used.scalars.end() ? 0 : taken->second,
               capacity == have.scalars.end() ? 0 : capacity->second);
  }
  return shortages;
}

// haveAnyRequestedResourcesIncreased
bool HasMoreOfRequested(const api::Resources& request, const api::Resources& was,
                        const api::Resources& is) {
  if (is.pods > was.pods) return true;
  if (request.milli_cpu > 0 && is.milli_cpu > was.milli_cpu) return true;
  if (request.memory > 0 && is.memory > was.memory) return true;
  if (request.ephemeral_storage > 0 && is.ephemeral_storage > was.ephemeral_storage) return true;
  const auto amount = [](const api::Resources& of, const std::string& name) {
    const auto it = of.scalars.find(name);
    return it == of.scalars.end() ? 0 : it->second;
  };
  return std::any_of(request.scalars.begin(), request.scalars.end(), [&](const auto& wanted) {
    return wanted.second != 0 && amount(is, wanted.first) > amount(was, wanted.first);
  });
}

std::int64_t LeastRequested(std::int64_t requested, std::int64_t capacity) {
  if (capacity == 0 || requested > capacity) return 0;
  return (capacity - requested) * kMaxNodeScore / capacity;
}

class NodeResourcesFit : public Plugin {
 public:
  explicit NodeResourcesFit(const Profile& profile) : profile_(profile) {}
  std::string_view name() const override { return "NodeResourcesFit"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList&) const override {
    state.Write(name(), api::PodRequests(pod, /*nonzero=*/false));
    return {};
  }
  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    Status status;
    for (Shortage& shortage : Shortages(*state.Read<api::Resources>(name()), info)) {
      const bool hopeless = shortage.unresolvable && profile_.unresolvable_shortages;
      if (hopeless) {
        status.code = Status::Code::kUnschedulableAndUnresolvable;
      } else if (status.ok()) {
        status.code = Status::Code::kUnschedulable;
      }
      status.reasons.push_back(std::move(shortage.reason));
    }
    return status;
  }

  std::int64_t weight() const override { return 1; }
  std::int64_t Score(const CycleState&, const api::Object& pod,
                     const NodeInfo& info) const override {
    const api::Resources wanted = api::PodRequests(pod, /*nonzero=*/true);
    const api::Resources& used = info.nonzero_requested();
    const api::Resources& have = info.allocatable();
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    const auto count = [&](std::int64_t requested, std::int64_t capacity) {
      if (capacity == 0) return;
      sum += LeastRequested(requested, capacity);
      ++weights;
    };
    count(used.milli_cpu + wanted.milli_cpu, have.milli_cpu);
    count(used.memory + wanted.memory, have.memory);
    return weights == 0 ? 0 : sum / weights;
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return ClusterEvent::kAssignedPodDelete |
           NodeEvents(profile, ClusterEvent::kNodeUpdateAllocatable);
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kAssignedPodDelete) return IsAssignedOrNominated(before);
    const api::Resources request = api::PodRequests(pod, /*nonzero=*/false);
    NodeInfo was, is;
    is.SetNode(after);
    if (!Shortages(request, is).empty()) return false;
    if (before.empty()) return true;
    was.SetNode(before);
    return HasMoreOfRequested(request, was.allocatable(), is.allocatable());
  }

 private:
  const Profile& profile_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeResourcesFit(const Profile& profile) {
  return std::make_unique<NodeResourcesFit>(profile);
}

}  // namespace ksim::scheduler
