#include "ksim/store/key_index.h"

#include <algorithm>

#include "ksim/base/check.h"

namespace ksim::store {

KeyHistory::Versions::const_iterator KeyHistory::After(Revision revision) const {
  return std::upper_bound(
      versions_.begin(), versions_.end(), revision,
      [](Revision r, const KeyValue& version) { return r < version.mod_revision(); });
}

const KeyValue* KeyHistory::At(Revision revision) const {
  const auto after = After(revision);
  if (after == versions_.begin()) return nullptr;
  const KeyValue& version = *std::prev(after);
  return version.is_tombstone() ? nullptr : &version;
}

void KeyHistory::Add(KeyValue version) { versions_.push_back(std::move(version)); }

bool KeyHistory::Compact(Revision revision, bool drop_delete) {
  const auto after = After(revision);
  if (after == versions_.begin()) return false;
  auto keep = std::prev(after);
  if (keep->is_tombstone() && (keep->mod_revision() < revision || drop_delete)) ++keep;
  versions_.erase(versions_.begin(), keep);
  return versions_.empty();
}

bool KeyHistory::Holds(const KeyValue& version) const {
  return std::any_of(versions_.begin(), versions_.end(),
                     [&](const KeyValue& v) { return v.SameRecord(version); });
}

const KeyHistory* KeyIndex::Find(std::string_view key) const {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : it->second.get();
}

KeyHistory* KeyIndex::Find(std::string_view key) {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : it->second.get();
}

KeyHistory& KeyIndex::FindOrAdd(std::string_view key) {
  if (KeyHistory* history = Find(key)) return *history;
  auto history = std::make_unique<KeyHistory>(Key(key, KnownAs(key, namer_)));
  KeyHistory& added = *history;
  const std::string_view own_key = added.key().text();
  by_key_.emplace(own_key, std::move(history));
  in_order_.emplace(own_key, &added);
  return added;
}

void KeyIndex::Erase(std::string_view key) {
  const auto it = by_key_.find(key);
  KSIM_CHECK(it != by_key_.end());
  in_order_.erase(it->first);
  by_key_.erase(it);
}

}  // namespace ksim::store
