// ObjectCache: the ConfigMaps, or the Secrets, that the pods of a kubelet name. Each that a pod
// names is listed and watched by its name, for as long as one does; no other is. A read waits until
// the object's first list is there, for a second at most. What nobody has read for five minutes is
// no longer watched, nor is an immutable object once it was read; a later read watches anew.
//
// Source: pkg/kubelet/util/manager/watch_based_manager.go objectCache. KUBELET-REF-01.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

// The answer to a read: an object, or the error in the words of the kubelet.
struct Lookup {
  Lookup() = default;
  api::Object object;
  std::string error;  // "": none
  bool not_found = false;
};

class ObjectCache {
 public:
  // `changed` is called when an object comes or changes, not when it goes.
  using Changed = std::function<void(std::string_view ns, std::string_view name)>;
  // All references outlive it.
  ObjectCache(sim::Process& process, client::Client& client, const api::ResourceInfo& resource,
              const Profile& profile, Changed changed);
  ~ObjectCache();

  void AddReference(const std::string& ns, const std::string& name);
  void DeleteReference(const std::string& ns, const std::string& name);
  sim::Task<Lookup> Get(std::string ns, std::string name);

 private:
  struct Item;
  void Watch(const std::shared_ptr<Item>& item);
  void Stop(Item& item);
  static sim::Task<void> RunReflector(std::shared_ptr<Item> item);
  sim::Task<void> RecycleIdleWatches();

  sim::Process& process_;
  client::Client& client_;
  const api::ResourceInfo& resource_;
  const Profile& profile_;
  Changed changed_;
  VirtualTime started_;
  bool recycles_ = false;  // RecycleIdleWatches runs
  absl::btree_map<std::pair<std::string, std::string>, std::shared_ptr<Item>> items_;
};

}  // namespace ksim::kubelet
