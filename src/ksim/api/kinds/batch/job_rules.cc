#include "ksim/api/kinds/batch/job_rules.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/selector.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kLegacyUid = "controller-uid", kLegacyName = "job-name";
constexpr std::string_view kPrefixedUid = "batch.kubernetes.io/controller-uid",
                           kPrefixedName = "batch.kubernetes.io/job-name";

const Value& TemplateOf(const Value& job) { return job.Get(Fields().spec).Get(Fields().template_); }

// ValidateHasLabel.
void CheckHasLabel(const Value& labels, std::string_view label, std::string_view wanted,
                   FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath tmpl = spec.Child("template");
  const FieldPath metadata = tmpl.Child("metadata");
  const FieldPath all = metadata.Child("labels");
  const std::string detail = fmt::format("must be '{}'", wanted);
  if (!labels.Has(label)) {
    errors->Required(all.Key(label), detail);
  } else if (labels.Get(label).AsString() != wanted) {
    errors->Invalid(all.Key(label), labels, GoShape::kStringMap, detail);
  }
}

// The old tree with a part as the new one has it.
Value WithPartOf(Value old, const Value& updated, const Path& part) {
  const Value& its = updated.Get(part);
  return its.is_null() ? old.Erase(part) : old.Set(part, its);
}

// The old template, with what a Job that has not started may change taken from the new one.
Value WithDirectivesOf(Value old, const Value& updated) {
  static const Path kAffinity{"spec", "affinity"};
  static const Path kNodeAffinity{"spec", "affinity", "nodeAffinity"};
  if (!updated.Get(kAffinity).is_null()) {
    if (old.Get(kAffinity).is_null()) old = old.Set(kAffinity, Value::EmptyObject());
    old = WithPartOf(std::move(old), updated, kNodeAffinity);
  } else if (!old.Get(kAffinity).is_null()) {
    old = old.Erase(kNodeAffinity);
    if (old.Get(kAffinity).empty()) old = old.Erase(kAffinity);
  }
  static const Path kParts[] = {{"spec", "nodeSelector"},
                                {"spec", "tolerations"},
                                {"metadata", "annotations"},
                                {"metadata", "labels"},
                                {"spec", "schedulingGates"}};
  for (const Path& part : kParts) old = WithPartOf(std::move(old), updated, part);
  return old;
}

// validatePodResourceUpdatesOnly: the old containers, with the resources of the new ones.
Value WithResourcesOf(Value old, const Value& updated) {
  for (const char* const field : {"containers", "initContainers"}) {
    const Value& before = old.Get(field);
    const Value& now = updated.Get(field);
    if (before.empty() || before.size() != now.size()) continue;
    static const Path kResources{"resources"};
    std::vector<Value> containers;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool same = before.at(i).Get("name") == now.at(i).Get("name");
      containers.push_back(same ? WithPartOf(before.at(i), now.at(i), kResources) : before.at(i));
    }
    old = old.Set(field, Value::Array(std::move(containers)));
  }
  return old;
}

}  // namespace

void CheckGeneratedSelector(const Value& job, FieldErrorList* errors) {
  const Value& spec = job.Get(Fields().spec);
  const Value& selector = spec.Get(Fields().selector);
  if (spec.Get("manualSelector").AsBool() || selector.is_null()) return;
  const std::string_view uid = job.Get(Fields().metadata).Get("uid").AsString();
  const std::string_view name = job.Get(Fields().metadata).Get("name").AsString();
  const Value& labels = TemplateOf(job).Get(Fields().metadata).Get(Fields().labels);
  CheckHasLabel(labels, kLegacyUid, uid, errors);
  CheckHasLabel(labels, kLegacyName, name, errors);
  Value expected =
      value::Obj({{kLegacyUid, Value::String(uid)}, {kLegacyName, Value::String(name)}});
  // A Job of the days before these labels does not have them.
  const bool prefixed = labels.Has(kPrefixedUid) || labels.Has(kPrefixedName);
  if (errors->profile().job_prefixed_labels && prefixed) {
    CheckHasLabel(labels, kPrefixedUid, uid, errors);
    CheckHasLabel(labels, kPrefixedName, name, errors);
    expected =
        expected.Set(kPrefixedUid, Value::String(uid)).Set(kPrefixedName, Value::String(name));
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (!parsed.ok() || parsed->Matches(expected)) return;
  const FieldPath path("spec");
  errors->Invalid(path.Child("selector"), selector, GoShape::kLabelSelector,
                  "`selector` not auto-generated");
}

void CheckPodHostname(const Value& job, FieldErrorList* errors) {
  const Value& spec = job.Get(Fields().spec);
  const std::int64_t completions = spec.Get(Fields().completions).AsInt();
  if (spec.Get(Fields().completion_mode).AsString() != "Indexed" || completions <= 0) return;
  const std::string_view name = job.Get(Fields().metadata).Get("name").AsString();
  const std::string last = fmt::format("{}-{}", name, completions - 1);
  if (Dns1123Label(last, errors->compat()).empty()) return;
  const FieldPath metadata("metadata");
  errors->Invalid(metadata.Child("name"), name,
                  fmt::format("will not able to create pod with invalid DNS label: {}", last));
}

void CheckTemplateUpdate(const Value& job, const Value& old, const FieldPath& path,
                         FieldErrorList* errors) {
  const Value& status = old.Get(Fields().status);
  const bool suspended = old.Get(Fields().spec).Get(Fields().suspend).AsBool();
  const bool not_started = status.Get("startTime").is_null();
  const bool later = errors->profile().job_suspended_may_change;
  const bool rests =
      suspended && status.Get("active").AsInt() == 0 &&
      (not_started || ConditionStatus(status.Get("conditions"), "Suspended") == "True");
  const Value& now = TemplateOf(job);
  Value before = TemplateOf(old);
  if (later ? rests : suspended && not_started) before = WithDirectivesOf(std::move(before), now);
  if (!later || !rests) {
    ValidateImmutable(now, before, GoShape::kOther, path.Child("template"), errors);
    return;
  }
  const Value& spec = now.Get(Fields().spec);
  ValidateImmutable(spec, WithResourcesOf(before.Get(Fields().spec), spec), GoShape::kOther,
                    path.Child("template.spec"), errors);
}

}  // namespace ksim::api
