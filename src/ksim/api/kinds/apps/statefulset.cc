// The kind StatefulSet of apps/v1.
//
// Source: pkg/apis/apps/validation/validation.go ValidateStatefulSet.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/claim_defaults.h"
#include "ksim/api/kinds/shared/claim_warnings.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/kinds/shared/workload.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kStatefulSetTypes = R"(
RollingUpdateStatefulSetStrategy: maxUnavailable=*IntOrString partition=*int32
StatefulSet: apiVersion=string kind=string metadata=ObjectMeta spec=StatefulSetSpec
   status=StatefulSetStatus
StatefulSetCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:StatefulSetConditionType
StatefulSetOrdinals: start!=int32
StatefulSetPersistentVolumeClaimRetentionPolicy:
   whenDeleted=s:PersistentVolumeClaimRetentionPolicyType
   whenScaled=s:PersistentVolumeClaimRetentionPolicyType
StatefulSetSpec: minReadySeconds=int32 ordinals=*StatefulSetOrdinals
   persistentVolumeClaimRetentionPolicy=*StatefulSetPersistentVolumeClaimRetentionPolicy
   podManagementPolicy=s:PodManagementPolicyType replicas=*int32 revisionHistoryLimit=*int32
   selector!=*LabelSelector serviceName!=string template!=PodTemplateSpec
   updateStrategy=StatefulSetUpdateStrategy volumeClaimTemplates=[]PersistentVolumeClaim
StatefulSetStatus: availableReplicas!=int32 collisionCount=*int32
   conditions=[]StatefulSetCondition currentReplicas=int32 currentRevision=string
   observedGeneration=int64 readyReplicas=int32 replicas!=int32 updateRevision=string
   updatedReplicas=int32
StatefulSetUpdateStrategy: rollingUpdate=*RollingUpdateStatefulSetStrategy
   type=s:StatefulSetUpdateStrategyType
)";

Value DefaultStatefulSetStrategy(const Value& given) {
  Value strategy = given;
  if (strategy.Get(Fields().type).AsString().empty()) {
    strategy = WithNonEmpty(std::move(strategy), Fields().type, Value::Of("RollingUpdate"));
    strategy = WithDefault(std::move(strategy), Fields().rolling_update, Value::EmptyObject());
  }
  if (strategy.Get(Fields().type).AsString() != "RollingUpdate") return strategy;
  // The server drops maxUnavailable: gate MaxUnavailableStatefulSet is off in every version here.
  return EditField(std::move(strategy), Fields().rolling_update, [&](const Value& r) {
    return WithDefault(r.Erase("maxUnavailable"), Fields().partition, Value::Of(0));
  });
}

// Claim templates are written with their kind, whatever was sent: pkg/apis/apps/v1/conversion.go
// Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec.
Value DefaultClaimTemplate(const Value& given) {
  Value claim = DefaultClaim(given);
  const Value version = Value::Of("v1"), kind = Value::Of("PersistentVolumeClaim");
  if (claim.Get(Fields().api_version) != version)
    claim = std::move(claim).Set(Fields().api_version, version);
  if (claim.Get(Fields().kind) != kind) claim = std::move(claim).Set(Fields().kind, kind);
  return claim;
}

Value DefaultStatefulSet(const Value& tree, Compat compat) {
  static const Atom kClaimTemplates("volumeClaimTemplates");
  return EditSpec(tree, [&](const Value& s) {
    Value spec = EditField(s, kClaimTemplates, [](const Value& claims) {
      return EditItems(claims, DefaultClaimTemplate);
    });
    spec = WithNonEmpty(std::move(spec), Fields().pod_management_policy, Value::Of("OrderedReady"));
    spec = WithDefault(std::move(spec), Fields().update_strategy, Value::EmptyObject());
    spec = EditField(std::move(spec), Fields().update_strategy, DefaultStatefulSetStrategy);
    if (ProfileOf(compat).stateful_set_auto_delete) {
      spec = WithDefault(std::move(spec), Fields().persistent_volume_claim_retention_policy,
                         Value::EmptyObject());
      spec = EditField(
          std::move(spec), Fields().persistent_volume_claim_retention_policy, [](const Value& r) {
            return WithNonEmpty(WithNonEmpty(r, Fields().when_deleted, Value::Of("Retain")),
                                Fields().when_scaled, Value::Of("Retain"));
          });
    }
    spec = WithDefault(std::move(spec), Fields().replicas, Value::Of(1));
    return WithDefaultTemplate(
        WithDefault(std::move(spec), Fields().revision_history_limit, Value::Of(10)), compat);
  });
}

void CheckSetStrategy(const Value& strategy, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = strategy.Get(Fields().type).AsString();
  const Value& rolling = strategy.Get(Fields().rolling_update);
  if (type.empty()) {
    errors->Required(path);
  } else if (type == "OnDelete") {
    if (rolling.is_null()) return;
    errors->Invalid(path.Child("rollingUpdate"), rolling, GoShape::kOther,
                    "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    NonNegativeFields(rolling, {Fields().partition}, path.Child("rollingUpdate"), errors);
  } else {
    const StrategyNames names{"StatefulSetUpdateStrategy",
                              "RollingUpdateStatefulSetStrategy",
                              {{"Partition", "partition"}, {"MaxUnavailable", "maxUnavailable"}}};
    errors->Add("FieldValueInvalid",
                fmt::format("Invalid value: {}: must be 'RollingUpdate' or 'OnDelete'",
                            StrategyText(names, strategy, errors->compat())),
                path.ToString());
  }
}

void CheckRetention(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null()) return;
  for (const char* field : {"whenDeleted", "whenScaled"}) {
    const std::string_view what = policy.Get(field).AsString();
    if (what == "Retain" || what == "Delete") continue;
    errors->NotSupported(path.Child(field), what, {"Retain", "Delete"});
  }
}

// The template with a volume for each claim, as the controller will make the pods, which also get
// another hostname and subdomain.
Value TemplateWithClaims(const Value& spec) {
  static const value::Path kVolumes{"spec", "volumes"}, kHostname{"spec", "hostname"},
      kSubdomain{"spec", "subdomain"};
  Value tmpl = spec.Get(Fields().template_).Erase(kHostname).Erase(kSubdomain);
  const Value& claims = spec.Get("volumeClaimTemplates");
  std::vector<Value> volumes;
  for (const Value& claim : claims.items()) {
    const Value& name = claim.Get("metadata").Get("name");
    volumes.push_back(
        value::Obj({{"name", name}, {"persistentVolumeClaim", value::Obj({{"claimName", name}})}}));
  }
  if (volumes.empty()) return tmpl;
  const std::size_t own = volumes.size();
  for (const Value& volume : tmpl.Get(kVolumes).items()) {
    bool hidden = false;
    for (std::size_t i = 0; i < own; ++i) {
      hidden = hidden || volumes[i].Get("name") == volume.Get("name");
    }
    if (!hidden) volumes.push_back(volume);
  }
  return tmpl.Set(kVolumes, Value::Array(std::move(volumes)));
}

// ValidatePodTemplateSpecForStatefulSet. Older versions check only the metadata of the template.
void CheckSetTemplate(const value::LabelSelector& selector, const Value& spec,
                      const FieldPath& path, FieldErrorList* errors) {
  CheckMatch(selector, spec, path, errors);
  const FieldPath at = path.Child("template");
  if (errors->profile().stateful_set_template)
    ValidatePodTemplate(TemplateWithClaims(spec), at, errors);
  const Value& metadata = spec.Get(Fields().template_).Get("metadata");
  ValidateLabels(metadata.Get("labels"), at.Child("labels"), errors);
  ValidateAnnotations(metadata.Get("annotations"), at.Child("annotations"), errors);
}

void CheckSetSelector(const Value& selector, const FieldPath& path, FieldErrorList* errors) {
  if (selector.is_null()) return errors->Required(path);
  ValidateLabelSelector(selector, path, errors);
  if (!IsEmptySelector(selector)) return;
  errors->Invalid(path, selector, GoShape::kLabelSelector,
                  "empty selector is invalid for statefulset");
}

void ValidateStatefulSet(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const std::string_view policy = spec.Get(Fields().pod_management_policy).AsString();
  if (policy.empty()) {
    errors->Required(path.Child("podManagementPolicy"));
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    errors->Invalid(path.Child("podManagementPolicy"), policy,
                    "must be 'OrderedReady' or 'Parallel'");
  }
  CheckSetStrategy(spec.Get(Fields().update_strategy), path.Child("updateStrategy"), errors);
  CheckRetention(spec.Get("persistentVolumeClaimRetentionPolicy"),
                 path.Child("persistentVolumeClaimRetentionPolicy"), errors);
  NonNegativeFields(spec, {Fields().replicas, Fields().min_ready_seconds}, path, errors);
  errors->NonNegative(path.Child("ordinals.start"), spec.Get("ordinals").Get("start"));
  const Value& selector = spec.Get(Fields().selector);
  const FieldPath at = path.Child("selector");
  CheckSetSelector(selector, at, errors);
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) {
    CheckSetTemplate(*parsed, spec, path, errors);
  } else {
    errors->Invalid(at, selector, GoShape::kLabelSelector, "");
  }
  CheckAlways("StatefulSet", spec, path, errors);
}

// StatefulSetValidationOptions AllowInvalidServiceName: only a new object's name is checked.
void ValidateStatefulSetServiceName(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const std::string_view name = tree.Get(Fields().spec).Get("serviceName").AsString();
  if (!errors->profile().stateful_set_service_name || name.empty()) return;
  errors->InvalidAll(path.Child("serviceName"), name, Dns1123Label(name, errors->compat()));
}

void ValidateStatefulSetStatus(const Value& tree, FieldErrorList* errors) {
  constexpr std::string_view kReplicas = "cannot be greater than status.replicas";
  const Value& status = tree.Get(Fields().status);
  NonNegativeFields(status,
                    {Fields().replicas, Fields().ready_replicas, Fields().current_replicas,
                     Fields().updated_replicas, Fields().available_replicas,
                     Fields().observed_generation, Fields().collision_count},
                    FieldPath("status"), errors);
  for (const Atom counter : {Fields().ready_replicas, Fields().current_replicas,
                             Fields().updated_replicas, Fields().available_replicas}) {
    AtMost(status, counter, Fields().replicas, kReplicas, errors);
  }
  AtMost(status, Fields().available_replicas, Fields().ready_replicas,
         "cannot be greater than status.readyReplicas", errors);
}

void ValidateStatefulSetUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const bool history = errors->profile().stateful_set_updates_history;
  const bool ordinals = errors->profile().stateful_set_start_ordinal;
  Value now = tree.Get(Fields().spec);
  Value before = old.Get(Fields().spec);
  for (const char* free : {"replicas", "ordinals", "template", "updateStrategy",
                           "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    now = now.Erase(free);
    before = before.Erase(free);
  }
  if (history) {
    now = now.Erase("revisionHistoryLimit");
    before = before.Erase("revisionHistoryLimit");
  }
  if (now == before) return;
  errors->Forbidden(
      FieldPath("spec"),
      fmt::format("updates to statefulset spec for fields other than 'replicas', {}'template', "
                  "'updateStrategy', {}'persistentVolumeClaimRetentionPolicy' and "
                  "'minReadySeconds' are forbidden",
                  ordinals ? "'ordinals', " : "", history ? "'revisionHistoryLimit', " : ""));
}

NameProblems StatefulSetNameProblems(std::string_view name, Compat compat) {
  // The pods of a StatefulSet are named after it, and host names of pods are labels.
  const bool label = ProfileOf(compat).stateful_set_name_is_label;
  return label ? Dns1123Label(name, compat) : Dns1123Subdomain(name);
}

std::vector<std::string> StatefulSetCells(const Object& o, VirtualTime now) {
  return cells::WithContainers({cells::Name(o), ReadyOfReplicas(o), cells::Age(o, now)}, o);
}

// The path of an update's claims is upstream's: Child("Spec").
void WarnOfStatefulSet(const Value& tree, std::string_view claim_suffix, const Profile& profile,
                       std::vector<std::string>* warnings) {
  const Value& spec = tree.Get("spec");
  const Value& claims = spec.Get("volumeClaimTemplates");
  for (std::size_t i = 0; profile.warns_of_claims && i < claims.size(); ++i)
    WarnOfClaimSpec(claims.at(i).Get("spec"),
                    fmt::format("spec.volumeClaimTemplates[{}]{}", i, claim_suffix), warnings);
  if (profile.warns_of_history_limit && spec.Get("revisionHistoryLimit").AsInt() < 0)
    warnings->emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 "
        "is recommended");
}

std::vector<std::string> StatefulSetWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings = TemplateWarnings(tree, compat);
  WarnOfStatefulSet(tree, "", ProfileOf(compat), &warnings);
  return warnings;
}

std::vector<std::string> StatefulSetUpdateWarnings(const Value& updated, const Value& old,
                                                   Compat compat) {
  std::vector<std::string> warnings = TemplateUpdateWarnings(updated, old, compat);
  WarnOfStatefulSet(updated, ".Spec", ProfileOf(compat), &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kStatefulSetKind = {
    .group = "apps",
    .kind = "StatefulSet",
    .resource = "statefulsets",
    .short_names = {"sts"},
    .category = "all",
    .has_status = true,
    .has_scale = true,
    .has_generation = true,
    .go_types = kStatefulSetTypes,
    .patch_schema = &kWorkloadPatch,
    .columns = {{"Name"}, {"Ready"}, {"Age"}, {"Containers", kWide}, {"Images", kWide}},
    .cells = StatefulSetCells,
    .defaults = DefaultStatefulSet,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckNewObject, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_status_update = {kCheckStatus, kCheckMetaUpdate},
            .object = ValidateStatefulSet,
            .new_object = ValidateStatefulSetServiceName,
            .change = ValidateStatefulSetUpdate,
            .status = ValidateStatefulSetStatus,
            .name = StatefulSetNameProblems,
        },
    .warnings_on_create = StatefulSetWarnings,
    .warnings_on_update = StatefulSetUpdateWarnings,
};

}  // namespace ksim::api
