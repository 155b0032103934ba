// PodControl: how the built-in workload controllers create and delete the pods they own: from a
// template, with one owner reference, with an Event about each call on the owner.
//
// Source: pkg/controller/controller_utils.go RealPodControl, GetPodFromTemplate, getPodsPrefix.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

// The pod that `template_tree` (a PodTemplateSpec) describes, owned by `owner`. Namespace and node
// name are not set. Fails on a template without labels: "unable to create pods, no labels".
api::Result<value::Value> PodFromTemplate(const value::Value& template_tree,
                                          const api::Object& owner);

// "NAME-", or "NAME" when "NAME-" is no valid beginning of a pod name.
std::string PodNamePrefix(std::string_view owner_name);

class PodControl {
 public:
  PodControl(client::Client& client, client::EventRecorder& recorder)
      : client_(client), recorder_(recorder) {}

  // POST of a pod, then SuccessfulCreate or FailedCreate on the owner. A refusal because the
  // namespace is terminating leaves no event. Its name begins with `generate_name`, or if that is
  // empty with the owner's name.
  sim::Task<client::Client::ObjectResult> Create(api::Object owner, std::string ns,
                                                 value::Value template_tree,
                                                 std::string generate_name = {});
  // DELETE without preconditions, then SuccessfulDelete or FailedDelete on the owner. NotFound is
  // returned, without an event.
  sim::Task<client::Client::ObjectResult> Delete(api::Object owner, api::Object pod);
  // Strategic merge PATCH of a pod; no event.
  sim::Task<client::Client::ObjectResult> Patch(std::string ns, std::string name,
                                                value::Value patch);

 private:
  client::Client& client_;
  client::EventRecorder& recorder_;
};

}  // namespace ksim::controllers
