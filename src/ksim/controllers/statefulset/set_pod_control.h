// SetPodControl: how the StatefulSet controller creates, mends and deletes pods and their claims,
// with an Event about each on the set. A pod has a name that comes back: a delete carries no uid,
// so a controller that acts on an old cache may delete the new pod of that name.
//
// Source: pkg/controller/statefulset/stateful_pod_control.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

class SetPodControl {
 public:
  SetPodControl(client::Client& client, client::EventRecorder& recorder,
                client::SharedInformer& pods, client::SharedInformer& claims,
                ConsistencyStore& consistency, const Profile& profile);

  using Error = std::optional<api::Status>;  // nullopt: done
  // Creates the pod's claims and then the pod. A pod that exists is an error without an Event.
  sim::Task<Error> Create(api::Object set, api::Object pod);
  // Gives the pod its identity, volumes and claims back; after a conflict it goes on with the
  // cache's pod.
  sim::Task<Error> Update(api::Object set, api::Object pod);
  sim::Task<Error> Delete(api::Object set, api::Object pod);
  // The Event before a failed pod is deleted, where its successor follows at once.
  void RecordRecreation(const api::Object& set, const api::Object& pod);
  // Creates claims of a pod that are not there, and sets their owners.
  sim::Task<Error> CreateMissingClaims(api::Object set, api::Object pod);
  // The claims in the cache belong to whom the retention policy says.
  bool ClaimsMatchPolicy(const api::Object& set, const api::Object& pod) const;
  sim::Task<Error> UpdateClaimOwners(api::Object set, api::Object pod);
  // A claim still belongs to the last pod of that name, and will go with it: not the time for a
  // new pod.
  bool ClaimIsStale(const api::Object& set, const api::Object& pod) const;

 private:
  sim::Task<Error> CreateClaims(api::Object set, api::Object pod);
  sim::Task<Error> UpdateOnce(api::Object set, api::Object pod, bool* sent);
  // The cached claims of the pod, by the order of the templates; those that are not there are left
  // out.
  std::vector<api::Object> CachedClaims(const api::Object& set, const api::Object& pod) const;
  void Wrote(const api::Object& set, const client::SharedInformer& informer,
             const api::Object& written);
  void RecordPod(std::string_view verb, const api::Object& set, const api::Object& pod,
                 const Error& error);
  void RecordClaim(const api::Object& set, const api::Object& pod, const api::Object& claim,
                   const Error& error);

  client::Client& client_;
  client::EventRecorder& recorder_;
  client::SharedInformer& pods_;
  client::SharedInformer& claims_;
  ConsistencyStore& consistency_;
  const Profile& profile_;
};

}  // namespace ksim::controllers
