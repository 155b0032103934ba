// The identity of a StatefulSet's pods: their names, ordinals and labels, and the claims and
// volumes that go with them.
//
// Source: pkg/controller/statefulset/stateful_set_utils.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// The labels of such pods.
inline constexpr std::string_view kSetPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view kSetRevisionLabel = "controller-revision-hash";

// A name "PARENT-ORDINAL" in parts (getParentNameAndOrdinal): no parent where it does not end in a
// number, no ordinal (-1) where that is too great.
struct ParsedPodName {
  ParsedPodName() = default;
  std::string_view parent;  // points into the name
  std::int64_t ordinal = -1;
};
ParsedPodName ParsePodName(std::string_view name);
std::int64_t OrdinalOf(const api::Object& pod);
bool IsMemberOf(const api::Object& set, const api::Object& pod);

// Fields of a set's spec, with the defaults of those that may be missing.
std::int64_t SetReplicas(const api::Object& set);
Duration SetMinReady(const api::Object& set);
// spec.updateStrategy.rollingUpdate.partition; 0 if there is none.
std::int64_t SetPartition(const api::Object& set);
std::int64_t StartOrdinal(const api::Object& set, const Profile& profile);
bool IsInOrdinalRange(const api::Object& set, const api::Object& pod, const Profile& profile);

std::string SetPodName(const api::Object& set, std::int64_t ordinal);
std::string SetClaimName(const api::Object& set, const value::Value& claim_template,
                         std::int64_t ordinal);
// "" of a pod without the label.
std::string_view RevisionOf(const api::Object& pod);

bool IdentityMatches(const api::Object& set, const api::Object& pod);
// The pod's volumes have those claims that the set's templates give it.
bool StorageMatches(const api::Object& set, const api::Object& pod);
// updateIdentity, updateStorage: the pod with what the set gives it.
value::Value WithIdentity(value::Value pod, const api::Object& set, const Profile& profile);
value::Value WithStorage(value::Value pod, const api::Object& set);

// The claims of a pod, by the names of their templates.
std::vector<api::Object> ClaimsOf(const api::Object& set, const api::Object& pod);

// A pod that has not been created: of the current revision up to the partition, else of the update
// revision. The sets are the set with the template of each.
struct SetRevisions {
  SetRevisions() = default;
  api::Object current_set, update_set;
  std::string current, update;  // names of ControllerRevisions
};
api::Object NewSetPod(const SetRevisions& revisions, std::int64_t ordinal, const Profile& profile);

}  // namespace ksim::controllers
