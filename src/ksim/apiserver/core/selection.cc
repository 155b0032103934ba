#include "ksim/apiserver/core/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/go_text.h"
#include "ksim/base/status.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

struct FieldLabel {
  std::string_view label;
  Path path;
  std::string_view fallback = {};  // for a missing value
};

struct KindFields {
  std::string_view group, resource;
  bool has_namespace = true;
  std::vector<FieldLabel> labels;
  bool Profile::* since = nullptr;  // null: in every version
};

const std::vector<KindFields>& Table() {
  static const std::vector<KindFields> table{
      {"",
       "pods",
       true,
       {{"spec.nodeName", {"spec", "nodeName"}},
        {"spec.host", {"spec", "nodeName"}},
        {"spec.restartPolicy", {"spec", "restartPolicy"}},
        {"spec.schedulerName", {"spec", "schedulerName"}},
        {"spec.serviceAccountName", {"spec", "serviceAccountName"}},
        {"spec.hostNetwork", {"spec", "hostNetwork"}, "false"},
        {"status.phase", {"status", "phase"}},
        {"status.podIP", {"status", "podIP"}},
        {"status.podIPs", {"status", "podIPs", "none"}},
        {"status.nominatedNodeName", {"status", "nominatedNodeName"}}}},
      {"", "nodes", false, {{"spec.unschedulable", {"spec", "unschedulable"}, "false"}}},
      {"", "namespaces", false, {{"status.phase", {"status", "phase"}}}},
      {"",
       "services",
       true,
       {{"spec.clusterIP", {"spec", "clusterIP"}}, {"spec.type", {"spec", "type"}}},
       &Profile::service_field_labels},
      {"", "secrets", true, {{"type", {"type"}}}},
      {"", "replicationcontrollers", true, {{"status.replicas", {"status", "replicas"}, "0"}}},
      {"batch", "jobs", true, {{"status.successful", {"status", "succeeded"}, "0"}}},
      {"",
       "events",
       true,
       {{"involvedObject.kind", {"involvedObject", "kind"}},
        {"involvedObject.namespace", {"involvedObject", "namespace"}},
        {"involvedObject.name", {"involvedObject", "name"}},
        {"involvedObject.uid", {"involvedObject", "uid"}},
        {"involvedObject.apiVersion", {"involvedObject", "apiVersion"}},
        {"involvedObject.resourceVersion", {"involvedObject", "resourceVersion"}},
        {"involvedObject.fieldPath", {"involvedObject", "fieldPath"}},
        {"reason", {"reason"}},
        {"reportingComponent", {"reportingComponent"}},
        {"source", {"source", "component"}},
        {"type", {"type"}}}},
      {"events.k8s.io",
       "events",
       true,
       {{"regarding.kind", {"regarding", "kind"}},
        {"regarding.namespace", {"regarding", "namespace"}},
        {"regarding.name", {"regarding", "name"}},
        {"regarding.uid", {"regarding", "uid"}},
        {"regarding.apiVersion", {"regarding", "apiVersion"}},
        {"regarding.resourceVersion", {"regarding", "resourceVersion"}},
        {"regarding.fieldPath", {"regarding", "fieldPath"}},
        {"reason", {"reason"}},
        {"reportingController", {"reportingController"}},
        {"type", {"type"}}}}};
  return table;
}

const KindFields* FieldsOf(const api::ResourceInfo& r) {
  for (const KindFields& kind : Table()) {
    if (kind.group == r.group && kind.resource == r.resource) return &kind;
  }
  return nullptr;
}

const FieldLabel* Find(const KindFields& kind, std::string_view label) {
  for (const FieldLabel& f : kind.labels) {
    if (f.label == label) return &f;
  }
  return nullptr;
}

std::string Text(const Value& v, std::string_view fallback) {
  if (v.is_bool()) return v.AsBool() ? "true" : "false";
  if (v.is_int()) return std::to_string(v.AsInt());
  if (v.is_string()) return std::string(v.AsString());
  return std::string(fallback);
}

bool IsMetadata(std::string_view field) {
  return field == "metadata.name" || field == "metadata.namespace";
}

// The value that a term demands of the field; null if none does.
const std::string* FindExact(const auto& terms, std::string_view field) {
  for (const value::FieldSelector::Term& term : terms) {
    if (term.field.text() == field && !term.negated) return &term.value;
  }
  return nullptr;
}

}  // namespace

std::string SelectorText(const api::ListOptions& options) {
  std::string text = options.label_selector.str();
  if (!options.field_selector.empty())
    text.append(text.empty() ? "" : ";").append(options.field_selector);
  return text;
}

std::string FieldValue(const api::ResourceInfo& r, const api::Object& object,
                       std::string_view field) {
  if (field == "metadata.name") return std::string(object.name());
  if (field == "metadata.namespace") return std::string(object.ns());
  const KindFields* kind = FieldsOf(r);
  const FieldLabel* label = kind == nullptr ? nullptr : Find(*kind, field);
  if (label == nullptr) return "";
  std::string text = Text(object.Get(label->path), label->fallback);
  // An event's source falls back to who reports it (pkg/registry/core/event ToSelectableFields).
  if (text.empty() && field == "source") return Text(object.tree().Get("reportingComponent"), "");
  return text;
}

api::Status CheckFieldLabels(const api::ResourceInfo& r, const value::FieldSelector& fields,
                             const Profile& profile) {
  const KindFields* kind = FieldsOf(r);
  if (kind != nullptr && kind->since != nullptr && !(profile.*kind->since)) kind = nullptr;
  for (const value::FieldSelector::Term& term : fields.terms()) {
    const std::string_view field = term.field.text();
    if (kind == nullptr) {
      if (IsMetadata(field)) continue;
      return api::BadRequest(
          fmt::format("\"{}\" is not a known field selector: only \"metadata.name\", "
                      "\"metadata.namespace\"",
                      field));
    }
    const bool metadata =
        field == "metadata.name" || (field == "metadata.namespace" && kind->has_namespace);
    if (metadata || Find(*kind, field) != nullptr) continue;
    // pkg/apis/batch/v1/conversion.go has words of its own.
    if (r.kind == "Job")
      return api::BadRequest(
          fmt::format("field label {} not supported for Job", api::GoQuote(field)));
    return api::BadRequest(fmt::format("field label not supported: {}", field));
  }
  return api::Status();
}

api::Result<Predicate> Predicate::Make(const api::ResourceInfo& r, std::string_view ns,
                                       std::string_view name, const api::ListOptions& options,
                                       const Profile& profile) {
  auto labels = value::LabelSelector::Parse(options.label_selector);
  if (!labels.ok()) return api::BadRequest(Message(labels.status()));
  auto fields = value::FieldSelector::Parse(options.field_selector);
  if (!fields.ok()) return api::BadRequest(Message(fields.status()));
  const api::Status checked = CheckFieldLabels(r, *fields, profile);
  if (!checked.ok()) return checked;

  Predicate p;
  p.resource_ = &r;
  // A list that goes on does so in the collection that it began with
  // (selection_predicate.go MatchesSingle, MatchesSingleNamespace).
  const bool goes_on = !options.continue_token.empty();
  const auto exact = [&](std::string_view field) {
    return goes_on ? std::nullopt : fields->RequiresExactMatch(field);
  };
  if (const auto field = exact("metadata.namespace"); field && r.namespaced) {
    if (ns.empty()) ns = *field;
    p.contradictory_ = ns != *field;
  }
  if (const auto field = exact("metadata.name")) {
    if (!name.empty() && name != *field)
      return api::BadRequest("fieldSelector metadata.name doesn't match requested name");
    name = *field;
  }
  if (!ns.empty() || !name.empty()) p.scope_ = Value::Of(fmt::format("{}/{}", ns, name));
  p.ns_size_ = static_cast<std::uint32_t>(ns.size());
  p.labels_ = *std::move(labels);
  p.fields_.assign(fields->terms().begin(), fields->terms().end());
  p.matches_everything_ = ns.empty() && name.empty() && !p.has_selectors();
  return p;
}

const std::string* Predicate::node_name() const {
  if (resource_->resource != "pods" || !resource_->group.empty()) return nullptr;
  const std::string* node = FindExact(fields_, "spec.nodeName");
  return node != nullptr ? node : FindExact(fields_, "spec.host");
}

bool Predicate::MatchesSelectors(const api::Object& object) const {
  if (contradictory_) return false;
  if (!labels_.empty() && !labels_.Matches(object.labels())) return false;
  const auto get = [&](std::string_view field) { return FieldValue(*resource_, object, field); };
  return std::all_of(fields_.begin(), fields_.end(),
                     [&get](const auto& term) { return term.Matches(get); });
}

bool Predicate::MatchesAll(const api::Object& object) const {
  if (!ns().empty() && object.ns() != ns()) return false;
  if (!name().empty() && object.name() != name()) return false;
  return MatchesSelectors(object);
}

std::string Predicate::SingleKey() const {
  if (name().empty()) return "";
  if (!resource_->namespaced) return std::string(name());
  return std::string(ns().empty() ? "" : scope_.AsString());
}

std::string Predicate::KeyPrefix() const {
  if (ns().empty() || !resource_->namespaced) return "";
  return std::string(scope_.AsString().substr(0, ns_size_ + 1));
}

}  // namespace ksim::apiserver
