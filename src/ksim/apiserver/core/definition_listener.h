// DefinitionListener: a part of a server that follows CustomResourceDefinitions.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"

namespace ksim::apiserver {

class DefinitionListener {
 public:
  virtual ~DefinitionListener() = default;
  // A definition has been stored, new or changed; or it is gone from the store.
  virtual void Stored(const api::Object& definition) = 0;
  virtual void Deleted(const api::Object& definition) = 0;
  // Whatever is cached of the kind has been read by an old definition.
  virtual void ForgetObjects(const api::ResourceInfo& kind) = 0;
};

// The definitions of a cluster as all its servers know them. They outlive the servers' processes.
struct DefinitionsInStore {
  DefinitionsInStore() = default;
  std::vector<DefinitionListener*> servers;     // those that are up
  std::map<std::string, std::uint64_t> served;  // by name: the hash of what is served
  std::size_t server_count = 0;                 // with those that are down
};

}  // namespace ksim::apiserver
