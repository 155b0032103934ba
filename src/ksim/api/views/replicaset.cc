#include "ksim/api/replicaset.h"

namespace ksim::api {

using value::Value;

std::int64_t ReplicaSetView::replicas() const {
  const Value& replicas = rs_.spec().Get("replicas");
  return replicas.is_int() ? replicas.AsInt() : 1;
}
Duration ReplicaSetView::min_ready() const {
  return Seconds(rs_.spec().Get("minReadySeconds").AsInt());
}
const Value& ReplicaSetView::selector() const { return rs_.spec().Get("selector"); }
const Value& ReplicaSetView::pod_template() const { return rs_.spec().Get("template"); }
const Value& ReplicaSetView::template_labels() const {
  return pod_template().Get("metadata").Get("labels");
}
std::int64_t ReplicaSetView::status_replicas() const {
  return rs_.status().Get("replicas").AsInt();
}
std::int64_t ReplicaSetView::fully_labeled_replicas() const {
  return rs_.status().Get("fullyLabeledReplicas").AsInt();
}
std::int64_t ReplicaSetView::ready_replicas() const {
  return rs_.status().Get("readyReplicas").AsInt();
}
std::int64_t ReplicaSetView::available_replicas() const {
  return rs_.status().Get("availableReplicas").AsInt();
}
std::int64_t ReplicaSetView::observed_generation() const {
  return rs_.status().Get("observedGeneration").AsInt();
}
const Value& ReplicaSetView::conditions() const { return rs_.status().Get("conditions"); }

}  // namespace ksim::api
