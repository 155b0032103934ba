// Pods of an owner, and the orphans of a namespace: an index that all workload controllers of a
// process share.
//
// Source: pkg/controller/controller_utils.go AddPodControllerIndexer, FilterPodsByOwner.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/informer.h"

namespace ksim::controllers {

// Before the informer starts; does nothing if another controller has added it.
void AddPodOwnerIndex(client::SharedInformer& pods);
// The pods whose controller the owner is.
std::vector<api::Object> PodsOfOwner(const client::SharedInformer& pods, const api::Object& owner);
// The pods of the namespace that nobody controls.
std::vector<api::Object> OrphanPods(const client::SharedInformer& pods, std::string_view ns);

}  // namespace ksim::controllers
