#include "ksim/controllers/statefulset/pod_identity.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/core/fields.h"
#include "ksim/controllers/common/pod_control.h"

namespace ksim::controllers {

using api::Fields;
using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kMaxOrdinal = INT32_MAX;

const Path& RollingUpdatePath() {
  static const Path path{"spec", "updateStrategy", "rollingUpdate"};
  return path;
}
const Path& VolumesPath() {
  static const Path path{"spec", "volumes"};
  return path;
}
Path LabelPath(std::string_view label) { return Path{"metadata", "labels", label}; }

const Value& ClaimTemplates(const api::Object& set) {
  static const value::Atom kClaimTemplates("volumeClaimTemplates");
  return set.spec().Get(kClaimTemplates);
}

std::string_view TemplateName(const Value& claim_template) {
  return claim_template.Get(Fields().metadata).Get(Fields().name).AsString();
}

// Claim names by the names of the volumes.
absl::btree_map<std::string_view, std::string> ClaimNames(const api::Object& set,
                                                          std::int64_t ordinal) {
  absl::btree_map<std::string_view, std::string> names;
  for (const Value& claim : ClaimTemplates(set).items())
    names[TemplateName(claim)] = SetClaimName(set, claim, ordinal);
  return names;
}

Value ClaimVolume(std::string_view volume, const std::string& claim) {
  return value::Obj({{"name", Value::String(volume)},
                     {"persistentVolumeClaim", value::Obj({{"claimName", Value::String(claim)}})}});
}

api::Object ClaimOf(const api::Object& set, const Value& claim_template, std::int64_t ordinal) {
  static const Path kMatchLabels{"spec", "selector", "matchLabels"};
  Value labels = claim_template.Get(Fields().metadata).Get(Fields().labels);
  if (labels.empty()) labels = Value::EmptyObject();
  for (const Value::Member& label : set.Get(kMatchLabels).members())
    labels = std::move(labels).Set(label.name, label.value);
  static const Path kName{"metadata", "name"}, kNamespace{"metadata", "namespace"},
      kLabels{"metadata", "labels"};
  Value claim = claim_template.Set("apiVersion", Value::Of("v1"))
                    .Set("kind", Value::Of("PersistentVolumeClaim"))
                    .Set(kName, Value::String(SetClaimName(set, claim_template, ordinal)))
                    .Set(kNamespace, Value::String(set.ns()));
  if (!labels.empty()) claim = std::move(claim).Set(kLabels, labels);
  return api::Object::FromTree(std::move(claim));
}

// newStatefulSetPod.
Value PodOfSet(const api::Object& set, std::int64_t ordinal, const Profile& profile) {
  static const Path kName{"metadata", "name"}, kHostname{"spec", "hostname"},
      kSubdomain{"spec", "subdomain"};
  api::Result<Value> built = PodFromTemplate(set.spec().Get(Fields().template_), set);
  Value pod = built.ok() ? *std::move(built) : Value::EmptyObject();
  const Value name = Value::String(SetPodName(set, ordinal));
  pod = WithIdentity(std::move(pod).Set(kName, name), set, profile);
  pod = std::move(pod).Set(kHostname, name);
  const Value& service = set.spec().Get("serviceName");
  if (!service.AsString().empty()) pod = std::move(pod).Set(kSubdomain, service);
  return WithStorage(std::move(pod), set);
}

}  // namespace

ParsedPodName ParsePodName(std::string_view name) {
  ParsedPodName parsed;
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos || dash + 1 == name.size()) return parsed;
  std::int64_t ordinal = 0;
  for (const char c : name.substr(dash + 1)) {
    if (c < '0' || c > '9') return parsed;
    if (ordinal <= kMaxOrdinal) ordinal = 10 * ordinal + (c - '0');
  }
  parsed.parent = name.substr(0, dash);
  if (ordinal <= kMaxOrdinal) parsed.ordinal = ordinal;
  return parsed;
}

std::int64_t OrdinalOf(const api::Object& pod) { return ParsePodName(pod.name()).ordinal; }

bool IsMemberOf(const api::Object& set, const api::Object& pod) {
  return ParsePodName(pod.name()).parent == set.name();
}

std::int64_t SetReplicas(const api::Object& set) {
  const Value& replicas = set.spec().Get(Fields().replicas);
  return replicas.is_int() ? replicas.AsInt() : 1;
}

Duration SetMinReady(const api::Object& set) {
  return Seconds(set.spec().Get(Fields().min_ready_seconds).AsInt());
}

std::int64_t SetPartition(const api::Object& set) {
  return set.Get(RollingUpdatePath()).Get(Fields().partition).AsInt();
}

std::int64_t StartOrdinal(const api::Object& set, const Profile& profile) {
  if (!profile.set_start_ordinals) return 0;
  return set.spec().Get("ordinals").Get("start").AsInt();
}

bool IsInOrdinalRange(const api::Object& set, const api::Object& pod, const Profile& profile) {
  const std::int64_t start = StartOrdinal(set, profile), ordinal = OrdinalOf(pod);
  return ordinal >= start && ordinal < start + SetReplicas(set);
}

std::string SetPodName(const api::Object& set, std::int64_t ordinal) {
  return fmt::format("{}-{}", set.name(), ordinal);
}

std::string SetClaimName(const api::Object& set, const Value& claim_template,
                         std::int64_t ordinal) {
  return fmt::format("{}-{}-{}", TemplateName(claim_template), set.name(), ordinal);
}

std::string_view RevisionOf(const api::Object& pod) { return pod.Label(kSetRevisionLabel); }

bool IdentityMatches(const api::Object& set, const api::Object& pod) {
  const ParsedPodName parsed = ParsePodName(pod.name());
  return parsed.ordinal >= 0 && parsed.parent == set.name() &&
         pod.name() == SetPodName(set, parsed.ordinal) && pod.ns() == set.ns() &&
         pod.Label(kSetPodNameLabel) == pod.name();
}

bool StorageMatches(const api::Object& set, const api::Object& pod) {
  const std::int64_t ordinal = OrdinalOf(pod);
  if (ordinal < 0) return false;
  absl::btree_map<std::string_view, std::string_view> claims;
  for (const Value& volume : pod.Get(VolumesPath()).items()) {
    claims[volume.Get(Fields().name).AsString()] =
        volume.Get("persistentVolumeClaim").Get(Fields().claim_name).AsString();
  }
  for (const Value& claim : ClaimTemplates(set).items()) {
    const auto it = claims.find(TemplateName(claim));
    if (it == claims.end() || it->second != SetClaimName(set, claim, ordinal)) return false;
  }
  return true;
}

Value WithIdentity(Value pod, const api::Object& set, const Profile& profile) {
  static const Path kName{"metadata", "name"}, kNamespace{"metadata", "namespace"};
  const std::int64_t ordinal = ParsePodName(pod.Get(kName).AsString()).ordinal;
  const Value name = Value::String(SetPodName(set, ordinal));
  pod = std::move(pod).Set(kName, name).Set(kNamespace, Value::String(set.ns()));
  pod = std::move(pod).Set(LabelPath(kSetPodNameLabel), name);
  if (!profile.pod_index_label) return pod;
  return std::move(pod).Set(LabelPath(kPodIndexLabel), Value::String(std::to_string(ordinal)));
}

// Upstream goes over a map of the claims; here they come by name.
Value WithStorage(Value pod, const api::Object& set) {
  static const Path kName{"metadata", "name"};
  const auto claims = ClaimNames(set, ParsePodName(pod.Get(kName).AsString()).ordinal);
  if (claims.empty()) return pod;
  std::vector<Value> volumes;
  for (const auto& [volume, claim] : claims) volumes.push_back(ClaimVolume(volume, claim));
  for (const Value& volume : pod.Get(VolumesPath()).items())
    if (!claims.contains(volume.Get(Fields().name).AsString())) volumes.push_back(volume);
  return std::move(pod).Set(VolumesPath(), Value::Array(std::move(volumes)));
}

std::vector<api::Object> ClaimsOf(const api::Object& set, const api::Object& pod) {
  absl::btree_map<std::string_view, api::Object> claims;
  for (const Value& claim : ClaimTemplates(set).items())
    claims[TemplateName(claim)] = ClaimOf(set, claim, OrdinalOf(pod));
  std::vector<api::Object> sorted;
  for (auto& [name, claim] : claims) sorted.push_back(std::move(claim));
  return sorted;
}

api::Object NewSetPod(const SetRevisions& revisions, std::int64_t ordinal, const Profile& profile) {
  const api::Object& set = revisions.current_set;
  const bool rolls =
      set.spec().Get(Fields().update_strategy).Get(Fields().type).AsString() == "RollingUpdate";
  const bool has_partition = !set.Get(RollingUpdatePath()).is_null();
  const std::int64_t start = StartOrdinal(set, profile);
  const std::int64_t kept =
      has_partition ? SetPartition(set) : set.status().Get("currentReplicas").AsInt();
  const bool current = (rolls || has_partition) && ordinal < start + kept;
  const Value pod =
      PodOfSet(current ? revisions.current_set : revisions.update_set, ordinal, profile);
  const std::string& revision = current ? revisions.current : revisions.update;
  return api::Object::FromTree(pod.Set(LabelPath(kSetRevisionLabel), Value::String(revision)));
}

}  // namespace ksim::controllers
