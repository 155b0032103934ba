#include "ksim/api/rules/meta_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/known_trees.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/selector.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::int64_t kAnnotationsMax = 256 * 1024;
constexpr std::string_view kImmutable = "field is immutable";

NameProblems NameRule(const ResourceInfo& kind, std::string_view name, Compat compat) {
  const auto rule = SpecOf(kind).validation.name;
  return rule == nullptr ? Dns1123Subdomain(name) : rule(name, compat);
}

// `rule(name, is_base)` returns the problems of a name, or of the base of a generated one.
template <class Rule>
void CheckNames(const ResourceInfo& kind, const Value& metadata, const FieldPath& path,
                FieldErrorList* errors, const Rule& rule) {
  const std::string_view generate = metadata.Get(Fields().generate_name).AsString();
  if (!generate.empty())
    errors->InvalidAll(path.Child("generateName"), generate, rule(generate, true));
  const std::string_view name = metadata.Get(Fields().name).AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"), "name or generateName is required");
  } else {
    errors->InvalidAll(path.Child("name"), name, rule(name, false));
  }
  const std::string_view ns = metadata.Get(Fields().namespace_).AsString();
  if (kind.namespaced && ns.empty()) {
    errors->Required(path.Child("namespace"));
  } else if (kind.namespaced) {
    errors->InvalidAll(path.Child("namespace"), ns, Dns1123Label(ns, errors->compat()));
  } else if (!ns.empty()) {
    errors->Forbidden(path.Child("namespace"), "not allowed on this type");
  }
}

void CheckOwner(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  const FieldNames& n = Fields();
  const std::string_view api_version = ref.Get(n.api_version).AsString();
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  if (api_version.empty() || slashes > 1 || api_version.ends_with('/')) {
    errors->Invalid(path.Child("apiVersion"), api_version, "version must not be empty");
  }
  const bool named = errors->profile().owner_texts_name_field;
  for (const Atom field : {n.kind, n.name, n.uid}) {
    if (!ref.Get(field).AsString().empty()) continue;
    errors->Invalid(
        path.Child(field.text()), "",
        named ? fmt::format("{} must not be empty", field.text()) : "must not be empty");
  }
  if (api_version == "v1" && ref.Get(n.kind).AsString() == "Event") {
    errors->Invalid(path, ref, GoShape::kOther,
                    "/v1, Kind=Event is disallowed from being an owner");
  }
}

void CheckOwners(const Value& owners, const FieldPath& path, FieldErrorList* errors) {
  std::string first;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Value& ref = owners.at(i);
    CheckOwner(ref, path, errors);  // without its index, as upstream
    if (!ref.Get(Fields().controller).AsBool()) continue;
    const std::string name =
        fmt::format("{}/{}", ref.Get(Fields().kind).AsString(), ref.Get(Fields().name).AsString());
    if (first.empty()) {
      first = name;
    } else {
      errors->Invalid(path, owners, GoShape::kOther,
                      fmt::format("Only one reference can have Controller set to true. Found "
                                  "\"true\" in references for {} and {}",
                                  first, name));
    }
  }
}

void CheckFinalizers(const Value& finalizers, const FieldPath& path, FieldErrorList* errors) {
  bool orphan = false, foreground = false;
  for (const Value& f : finalizers.items()) {
    const std::string_view name = f.AsString();
    errors->InvalidAll(path, name, QualifiedName(name, errors->compat()));
    orphan = orphan || name == "orphan";
    foreground = foreground || name == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors->Invalid(path, finalizers, GoShape::kStringSlice,
                    "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

void CheckNoNewFinalizers(const Value& finalizers, const Value& old, const FieldPath& path,
                          FieldErrorList* errors) {
  std::vector<std::string> extra;
  for (const Value& f : finalizers.items()) {
    const auto items = old.items();
    if (std::find(items.begin(), items.end(), f) == items.end()) extra.emplace_back(f.AsString());
  }
  if (extra.empty()) return;
  std::sort(extra.begin(), extra.end());
  extra.erase(std::unique(extra.begin(), extra.end()), extra.end());
  errors->Forbidden(path, fmt::format("no new finalizers can be added if the object is being "
                                      "deleted, found new finalizers {}",
                                      GoStringSlice(extra)));
}

}  // namespace

void ValidateLabels(const Value& labels, const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : labels.members()) {
    errors->InvalidAll(path, m.name.text(), QualifiedName(m.name.text(), errors->compat()));
    errors->InvalidAll(path, m.value.AsString(), LabelValue(m.value.AsString(), errors->compat()));
  }
}

void ValidateAnnotations(const Value& annotations, const FieldPath& path, FieldErrorList* errors) {
  std::int64_t size = 0;
  for (const Value::Member& m : annotations.members()) {
    errors->InvalidAll(path, m.name.text(),
                       QualifiedName(AsciiLower(m.name.text()), errors->compat()));
    size += static_cast<std::int64_t>(m.name.text().size() + m.value.AsString().size());
  }
  if (size > kAnnotationsMax) errors->TooLong(path, kAnnotationsMax);
}

void ValidateLabelSelector(const Value& selector, const FieldPath& path, FieldErrorList* errors) {
  for (value::FieldProblem& p : value::ValidateLabelSelector(selector, path.ToString())) {
    errors->Add(std::move(p.reason), WordedFor(std::move(p.body), errors->compat()),
                std::move(p.field));
  }
}

void ValidateImmutable(const Value& updated, const Value& old, GoShape shape, const FieldPath& path,
                       FieldErrorList* errors) {
  if (updated.SameTree(old) || updated == old) return;
  if (updated.is_string() && shape != GoShape::kTime) {
    errors->Invalid(path, updated.AsString(), kImmutable);
  } else {
    errors->Invalid(path, updated, shape, kImmutable);
  }
}

namespace {

// The parts of metadata that a create and an update validate alike.
void CheckContents(const Value& metadata, const FieldPath& path, FieldErrorList* errors) {
  ValidateLabels(metadata.Get(Fields().labels), path.Child("labels"), errors);
  ValidateAnnotations(metadata.Get(Fields().annotations), path.Child("annotations"), errors);
  CheckOwners(metadata.Get(Fields().owner_references), path.Child("ownerReferences"), errors);
}

// The changes of metadata that an update may not make.
void CheckChanges(const Value& metadata, const Value& old, const FieldPath& path,
                  FieldErrorList* errors) {
  const FieldNames& n = Fields();
  if (!old.Get(n.deletion_timestamp).is_null()) {
    CheckNoNewFinalizers(metadata.Get(n.finalizers), old.Get(n.finalizers),
                         path.Child("finalizers"), errors);
  }
  if (metadata.Get(n.generation).AsInt() < old.Get(n.generation).AsInt()) {
    errors->Invalid(path.Child("generation"), metadata.Get(n.generation).AsInt(),
                    "must not be decremented");
  }
  for (const Atom field : {n.name, n.namespace_, n.uid}) {
    ValidateImmutable(metadata.Get(field), old.Get(field), GoShape::kOther,
                      path.Child(field.text()), errors);
  }
  for (const Atom field : {n.creation_timestamp, n.deletion_timestamp}) {
    ValidateImmutable(metadata.Get(field), old.Get(field), GoShape::kTime, path.Child(field.text()),
                      errors);
  }
  ValidateImmutable(metadata.Get(n.deletion_grace_period_seconds),
                    old.Get(n.deletion_grace_period_seconds), GoShape::kOther,
                    path.Child("deletionGracePeriodSeconds"), errors);
}

void CheckRest(const Value& metadata, const FieldPath& path, FieldErrorList* errors) {
  errors->NonNegative(path.Child("generation"), metadata.Get(Fields().generation));
  CheckContents(metadata, path, errors);
  CheckFinalizers(metadata.Get(Fields().finalizers), path.Child("finalizers"), errors);
}

}  // namespace

void ValidateObjectMeta(const ResourceInfo& kind, const Value& metadata, FieldErrorList* errors) {
  const FieldPath path("metadata");
  CheckNames(kind, metadata, path, errors, [&](std::string_view name, bool base) {
    return NameRule(kind, base ? MaskTrailingDash(name) : std::string(name), errors->compat());
  });
  CheckRest(metadata, path, errors);
  if (SpecOf(kind).validation.standard_finalizers) ValidateKubeFinalizers(metadata, errors);
}

void ValidateKubeFinalizers(const Value& metadata, FieldErrorList* errors) {
  const Value& names = metadata.Get(Fields().finalizers);
  if (names.size() == 0) return;
  const FieldPath path("metadata");
  const FieldPath finalizers = path.Child("finalizers");
  for (std::size_t i = 0; i < names.size(); ++i) {
    ValidateKubeFinalizer(names.at(i).AsString(), finalizers.Index(i), errors);
  }
}

void ValidateKubeFinalizer(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
  if (standard || name.find('/') != name.npos) return;
  errors->Invalid(path, name,
                  "name is neither a standard finalizer name nor is it fully qualified");
}

// Most updates leave the metadata as they are, so good ones are remembered.
void ValidateCommonMeta(const ResourceInfo& kind, const Value& metadata, FieldErrorList* errors) {
  // NOLINT(ksim-static): a hit and a miss find the same errors.
  thread_local KnownTrees good;
  const auto aspect = 2 * static_cast<std::uint64_t>(errors->compat()) + (kind.namespaced ? 1 : 0);
  const KnownTrees::Place known = good.Of(metadata, aspect);
  if (known.found()) return;
  const std::size_t before = errors->size();
  const FieldPath path("metadata");
  CheckNames(kind, metadata, path, errors, [](std::string_view name, bool base) {
    return base ? PathSegmentPrefix(name) : PathSegmentName(name);
  });
  CheckRest(metadata, path, errors);
  if (errors->size() == before) known.Remember();
}

void ValidateObjectMetaUpdate(const Value& metadata, const Value& old, bool good_contents,
                              FieldErrorList* errors) {
  const FieldPath path("metadata");
  if (metadata != old) CheckChanges(metadata, old, path, errors);
  if (!good_contents) CheckContents(metadata, path, errors);
}

}  // namespace ksim::api
