// CacheWaits: the parts of a process that wait for their caches to fill before they begin, for who
// listens to what client-go logs of it.
//
// Source: client-go tools/cache/shared_informer.go WaitForNamedCacheSync.
#pragma once
#include <string>
#include <vector>

#include "ksim/client/core/cache_log.h"

namespace ksim::client {

class CacheWaits {
 public:
  // A part that has several loops waits until the last of them goes on, and is told of once.
  void Begin(const std::string& part);
  void End(const std::string& part);
  // The log hears at once of those that wait already. Only the first call counts.
  void LogTo(CacheLog* log);

 private:
  bool Waits(const std::string& part) const;
  void Say(CacheMoment::Kind what, const std::string& part);

  std::vector<std::string> waiting_;  // in the order of their beginning
  CacheLog* log_ = nullptr;           // null: nobody listens
};

}  // namespace ksim::client
