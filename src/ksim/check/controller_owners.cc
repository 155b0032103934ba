#include "ksim/check/controller_owners.h"

#include "ksim/base/hash.h"

namespace ksim::check {

void ControllerOwners::Take(const Observation& commit) {
  const bool gone = commit.after->is_null();
  const value::Value& tree = gone ? *commit.before : *commit.after;
  const std::uint64_t uid = Hash64(tree.Get("metadata").Get("uid").AsString());
  if (gone)
    by_uid_.erase(uid);
  else
    by_uid_[uid] = commit.object;
}

const value::Value* ControllerOwners::OwnerOf(const value::Value& object) const {
  for (const value::Value& reference : object.Get("metadata").Get("ownerReferences").items()) {
    if (!reference.Get("controller").AsBool()) continue;
    const auto found = by_uid_.find(Hash64(reference.Get("uid").AsString()));
    if (found == by_uid_.end()) return nullptr;
    const CommittedChange* newest = history_.Newest(found->second);
    return newest == nullptr || newest->after.is_null() ? nullptr : &newest->after;
  }
  return nullptr;
}

}  // namespace ksim::check
