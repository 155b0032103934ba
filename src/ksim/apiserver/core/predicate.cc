#include "ksim/apiserver/core/predicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/apiserver/core/field_labels.h"
#include "ksim/base/status.h"

namespace ksim::apiserver {
namespace {

using value::Value;

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
  // A continued list stays in the collection that it began with
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
