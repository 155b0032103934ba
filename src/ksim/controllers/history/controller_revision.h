// ControllerRevisions as values: a workload's template at one moment, named by its hash and
// numbered in the order in which the workload had it. StatefulSets and DaemonSets keep their
// history so.
//
// Source: pkg/controller/history/controller_history.go NewControllerRevision,
// HashControllerRevision, EqualRevision, SortControllerRevisions; getPatch of
// pkg/controller/statefulset/stateful_set_utils.go and pkg/controller/daemon/update.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// ControllerRevisionHashLabel.
inline constexpr std::string_view kRevisionHashLabel = "controller.kubernetes.io/hash";

// The data of a revision of `owner`: the strategic merge patch {spec: {template: {$patch: replace,
// ...}}} with the template as Go of that version writes it. A new version of Kubernetes may write
// the same template in other bytes.
value::Value TemplatePatch(const api::ResourceInfo& kind, const api::Object& owner,
                           api::Compat compat);

// The hash of the data's bytes, and of a number that tells colliding ones apart.
std::string HashRevisionData(const value::Value& data, std::optional<std::int64_t> collisions);
// "PREFIX-HASH"; of the prefix at most 223 characters.
std::string RevisionName(std::string_view prefix, std::string_view hash);

// A revision that `owner` controls, with the labels of its template and that of the hash. Namespace
// and annotations are not set.
api::Object NewRevision(const api::Object& owner, const value::Value& data, std::int64_t revision,
                        std::optional<std::int64_t> collisions);

std::int64_t RevisionNumber(const api::Object& revision);
const value::Value& RevisionData(const api::Object& revision);

// The same data, byte for byte as Go compares; where the profile compares hashes, these too.
bool EqualRevisions(const api::Object& a, const api::Object& b, const Profile& profile);
// By number, then by age, then by name.
void SortRevisions(std::vector<api::Object>* revisions);
// One more than the number of the last of sorted revisions; 1 if there is none.
std::int64_t NextRevisionNumber(const std::vector<api::Object>& sorted);

}  // namespace ksim::controllers
