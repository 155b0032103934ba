// AbsentOwners: the owners that the API server has said are not there. It remembers the 500 that
// were used last.
//
// Source: pkg/controller/garbagecollector/uid_cache.go ReferenceCache. CTRL-GC-05.
#pragma once
#include <string>

#include "ksim/client/record/lru_cache.h"
#include "ksim/controllers/garbagecollector/identity.h"

namespace ksim::controllers {

class AbsentOwners {
 public:
  // `by_uid`: an owner is known by its uid alone, whatever else the reference says (the variant
  // gc.absentOwners: uid).
  explicit AbsentOwners(bool by_uid) : by_uid_(by_uid) {}
  void Add(const ObjectIdentity& owner) { owners_.Put(KeyOf(owner), true); }
  bool Has(const ObjectIdentity& owner) { return owners_.Get(KeyOf(owner)) != nullptr; }

 private:
  std::string KeyOf(const ObjectIdentity& owner) const {
    return by_uid_ ? owner.uid : owner.ToString();
  }

  static constexpr std::size_t kCapacity = 500;
  bool by_uid_;
  client::LruCache<bool> owners_{kCapacity};
};

}  // namespace ksim::controllers
