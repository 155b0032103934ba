// StoreHistory folds the store's commits of pods into the truth by which tests judge lists and
// watches.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/events.h"

namespace ksim::apiserver {

// The changes of pods, in the order of their commits.
class StoreHistory {
 public:
  struct Change {
    std::int64_t revision;
    std::string key;            // ns/name
    api::Object before, after;  // empty: not there
  };
  explicit StoreHistory(sim::Simulation& sim) {
    sim.bus().Subscribe(sim::Bus::Stage::kOracle,
                        [this, here = std::weak_ptr<bool>(here_)](const sim::Event& e) {
                          if (here.lock()) Take(e);
                        });
  }
  std::map<std::string, api::Object> At(std::int64_t revision) const {
    std::map<std::string, api::Object> state;
    for (const Change& c : changes) {
      if (c.revision > revision) break;
      state.erase(c.key);
      if (!c.after.empty()) state[c.key] = c.after;
    }
    return state;
  }
  std::vector<Change> changes;

 private:
  void Take(const sim::Event& e) {
    if (e.kind != sim::EventKind::kCommit) return;
    const auto& p = e.payload.As<store::CommitPayload>();
    constexpr std::string_view kPods = "/registry/pods/";
    if (!p.key().starts_with(kPods)) return;
    Change change;
    change.revision = p.revision();
    change.key = p.key().substr(kPods.size());
    if (p.prev) change.before = api::Object::FromTree(p.prev.value(), p.prev.mod_revision());
    if (p.op != store::CommitOp::kDelete)
      change.after = api::Object::FromTree(p.kv.value(), p.kv.mod_revision());
    changes.push_back(std::move(change));
  }
  // The world emits events while it shuts down, after this object is destroyed.
  std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
};

}  // namespace ksim::apiserver
