// CachedReader: reads from the process' informers, as controller-runtime's default client does; the
// live reader is client::Client, and writes always go there. The first read of a resource makes its
// informer and waits until it is filled; a read before the process' informers have started fails.
//
// Its answers are as old as the cache: an object that the reader itself has just written may be
// missing.
//
// Source: controller-runtime pkg/client/client.go, pkg/cache/informer_cache.go,
// pkg/cache/internal/cache_reader.go. CLIENT-140.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"

namespace ksim::client {

struct CacheListOptions {
  CacheListOptions() = default;
  std::string ns;              // "" = all
  std::string label_selector;  // as kubectl takes it
  std::string field_selector;  // one FIELD=VALUE whose index was made by IndexField
  std::int64_t limit = 0;      // cuts the result short; there is no continue token
};

class CachedReader {
 public:
  // `client` serves resources that are read live. All outlive the reader.
  CachedReader(Connection& connection, InformerFactory& informers, Client& client)
      : connection_(connection), informers_(informers), client_(client) {}

  // Before the informers start: List may then select by that field.
  void IndexField(const api::ResourceInfo* resource, const std::string& field, IndexFunc function);
  // From now on the resource is read from the server (cache.ByObject, DisableFor).
  void ReadLive(const api::ResourceInfo* resource) { live_.insert(resource->group_resource()); }

  // NotFound, as the server would word it, for what the cache does not have.
  sim::Task<api::Result<api::Object>> Get(const api::ResourceInfo* resource, std::string ns,
                                          std::string name);
  sim::Task<api::Result<std::vector<api::Object>>> List(const api::ResourceInfo* resource,
                                                        CacheListOptions options);

 private:
  sim::Task<api::Result<SharedInformer*>> Informer(const api::ResourceInfo* resource);

  Connection& connection_;
  InformerFactory& informers_;
  Client& client_;
  std::set<std::string> live_;  // resource.group
};

}  // namespace ksim::client
