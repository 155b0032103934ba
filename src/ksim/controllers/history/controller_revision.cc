#include "ksim/controllers/history/controller_revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ksim/api/core/names.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/base/foreign_hashes.h"
#include "ksim/value/go_format.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr std::size_t kMaxRevisionPrefix = 223;

// strconv.ParseInt(label, 10, 32); nullopt if it is no such number.
std::optional<std::int64_t> NumericHash(const api::Object& revision) {
  const std::string_view label = revision.Label(kRevisionHashLabel);
  if (label.empty() || label.size() > 10) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : label) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  if (number > INT32_MAX) return std::nullopt;
  return number;
}

}  // namespace

Value TemplatePatch(const api::ResourceInfo& kind, const api::Object& owner, api::Compat compat) {
  static const Path kTemplate{"spec", "template"};
  const Value written = api::GoForm(kind, owner.tree(), compat, api::Stored::kYes);
  const Value tmpl = written.Get(kTemplate).Set("$patch", Value::Of("replace"));
  return value::Obj({{"spec", value::Obj({{"template", tmpl}})}});
}

std::string HashRevisionData(const Value& data, std::optional<std::int64_t> collisions) {
  std::string bytes = value::GoJson(data);
  if (collisions) bytes += std::to_string(*collisions);
  return api::SafeEncode(std::to_string(Fnv32(bytes)));
}

std::string RevisionName(std::string_view prefix, std::string_view hash) {
  return fmt::format("{}-{}", prefix.substr(0, kMaxRevisionPrefix), hash);
}

api::Object NewRevision(const api::Object& owner, const Value& data, std::int64_t revision,
                        std::optional<std::int64_t> collisions) {
  static const Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  const std::string hash = HashRevisionData(data, collisions);
  Value labels = owner.Get(kTemplateLabels);
  if (labels.is_null()) labels = Value::EmptyObject();
  labels = std::move(labels).Set(kRevisionHashLabel, Value::String(hash));
  const Value reference = value::Obj({{"apiVersion", Value::String(owner.api_version())},
                                      {"kind", Value::String(owner.kind())},
                                      {"name", Value::String(owner.name())},
                                      {"uid", Value::String(owner.uid())},
                                      {"controller", Value::Bool(true)},
                                      {"blockOwnerDeletion", Value::Bool(true)}});
  const Value metadata = value::Obj({{"name", Value::String(RevisionName(owner.name(), hash))},
                                     {"labels", labels},
                                     {"ownerReferences", value::Arr({reference})}});
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("apps/v1")},
                                           {"kind", Value::Of("ControllerRevision")},
                                           {"metadata", metadata},
                                           {"data", data},
                                           {"revision", Value::Int(revision)}}));
}

std::int64_t RevisionNumber(const api::Object& revision) {
  return revision.tree().Get("revision").AsInt();
}

const Value& RevisionData(const api::Object& revision) { return revision.tree().Get("data"); }

bool EqualRevisions(const api::Object& a, const api::Object& b, const Profile& profile) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (profile.compares_revision_hashes) {
    const std::optional<std::int64_t> hash_a = NumericHash(a), hash_b = NumericHash(b);
    if (hash_a && hash_b && *hash_a != *hash_b) return false;
  }
  return RevisionData(a) == RevisionData(b);
}

void SortRevisions(std::vector<api::Object>* revisions) {
  const auto key = [](const api::Object& o) {
    return std::make_tuple(RevisionNumber(o), o.creation_time(), o.name());
  };
  std::stable_sort(revisions->begin(), revisions->end(),
                   [&key](const api::Object& a, const api::Object& b) { return key(a) < key(b); });
}

std::int64_t NextRevisionNumber(const std::vector<api::Object>& sorted) {
  return sorted.empty() ? 1 : RevisionNumber(sorted.back()) + 1;
}

}  // namespace ksim::controllers
