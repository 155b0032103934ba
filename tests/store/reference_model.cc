#include "tests/store/reference_model.h"

namespace ksim::store {

void ReferenceModel::Apply(const std::vector<Write>& writes) {
  const ModelState& before = states_.back();
  ModelState now = before;
  const Revision revision = this->revision() + 1;
  std::vector<ModelChange> changes;
  for (const Write& write : writes) {
    ModelChange change;
    change.revision = revision;
    change.key = write.key;
    if (const auto it = before.find(write.key); it != before.end()) change.before = it->second;
    const auto it = now.find(write.key);
    if (!write.value) {
      if (it == now.end()) continue;
      now.erase(it);
    } else {
      ModelKv kv;
      kv.value = *write.value;
      kv.create = it == now.end() ? revision : it->second.create;
      kv.version = it == now.end() ? 1 : it->second.version + 1;
      kv.mod = revision;
      now[write.key] = kv;
      change.now = kv;
    }
    changes.push_back(change);
  }
  if (changes.empty()) return;
  states_.push_back(now);
  changes_.insert(changes_.end(), changes.begin(), changes.end());
}

std::vector<ModelChange> ReferenceModel::Changes(const std::string& key, const std::string& end,
                                                 Revision start) const {
  std::vector<ModelChange> owed;
  for (ModelChange change : changes_) {
    if (change.revision < start || change.key < key || change.key >= end) continue;
    if (change.revision - 1 < compacted_) change.before.reset();
    if (change.now && change.now->version == 1) change.before.reset();
    owed.push_back(change);
  }
  return owed;
}

}  // namespace ksim::store
