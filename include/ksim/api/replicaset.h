// ReplicaSetView: names and types over a replica set's tree. Status counts that are missing read
// as 0.
#pragma once
#include <cstdint>
#include <utility>

#include "ksim/api/object.h"

namespace ksim::api {

class ReplicaSetView {
 public:
  explicit ReplicaSetView(Object rs) : rs_(std::move(rs)) {}
  const Object& object() const { return rs_; }

  std::int64_t replicas() const;  // spec.replicas; 1 if missing (its default)
  Duration min_ready() const;
  const value::Value& selector() const;         // a LabelSelector
  const value::Value& pod_template() const;     // spec.template
  const value::Value& template_labels() const;  // null Value if none

  std::int64_t status_replicas() const;
  std::int64_t fully_labeled_replicas() const;
  std::int64_t ready_replicas() const;
  std::int64_t available_replicas() const;
  std::int64_t observed_generation() const;
  const value::Value& conditions() const;

 private:
  Object rs_;
};

}  // namespace ksim::api
