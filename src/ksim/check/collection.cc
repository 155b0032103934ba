#include "ksim/check/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/kinds.h"
#include "ksim/base/hash.h"

namespace ksim::check {
namespace {

using value::Value;

// Field labels that read as the text at the path of the same name, "" if it is not set. Others have
// defaults or other names, and what selects by them is not judged.
constexpr std::array<std::string_view, 12> kPlainFields = {"metadata.name",
                                                           "metadata.namespace",
                                                           "spec.nodeName",
                                                           "spec.schedulerName",
                                                           "spec.restartPolicy",
                                                           "status.phase",
                                                           "involvedObject.kind",
                                                           "involvedObject.name",
                                                           "involvedObject.namespace",
                                                           "involvedObject.uid",
                                                           "reason",
                                                           "type"};

// Read once: a selector is asked about every change.
const std::vector<value::Path>& PlainPaths() {
  static const std::vector<value::Path> paths = [] {
    std::vector<value::Path> out;
    for (const std::string_view field : kPlainFields) out.push_back(*value::Path::Parse(field));
    return out;
  }();
  return paths;
}

std::string_view PlainFieldOf(const Value& tree, std::string_view field) {
  const auto at = std::find(kPlainFields.begin(), kPlainFields.end(), field);
  return tree.Get(PlainPaths()[static_cast<std::size_t>(at - kPlainFields.begin())]).AsString();
}

const Value& LabelsOf(const Value& tree) {
  return tree.Get(api::Fields().metadata).Get(api::Fields().labels);
}

const Value& NodeNameOf(const Value& tree) {
  return tree.Get(api::Fields().spec).Get(api::Fields().node_name);
}

}  // namespace

Collection::Collection(std::string_view resource, std::string_view ns, std::string_view name,
                       std::string_view labels, std::string_view fields)
    : resource_(resource),
      ns_(ns),
      name_(name),
      label_text_(labels),
      field_text_(fields),
      resource_hash_(Hash64(resource)) {
  const bool selects = !labels.empty() || !fields.empty();  // mostly not
  if (selects && !ReadSelectors(labels, fields)) return;
  const bool cluster_wide = resource_ == "nodes" || resource_ == "namespaces";
  if (!name_.empty() && (cluster_wide || !ns_.empty()))
    object_ = api::ObjectHash(resource_, ns_, name_);
  everything_ = ns_.empty() && name_.empty() && labels_.empty() && fields_.empty();
}

// False if they cannot be read.
bool Collection::ReadSelectors(std::string_view labels, std::string_view fields) {
  absl::StatusOr<value::LabelSelector> l = value::LabelSelector::Parse(labels);
  absl::StatusOr<value::FieldSelector> f = value::FieldSelector::Parse(fields);
  judgeable_ = l.ok() && f.ok();
  if (!judgeable_) return false;
  labels_ = *std::move(l);
  fields_ = *std::move(f);
  for (const value::FieldSelector::Term& term : fields_.terms()) {
    const bool plain = std::find(kPlainFields.begin(), kPlainFields.end(), term.field.text()) !=
                       kPlainFields.end();
    if (!plain) judgeable_ = false;
    if (term.field.text() == "spec.nodeName" && !term.negated && fields_.terms().size() == 1)
      node_ = term.value;
  }
  if (const auto only = fields_.RequiresExactMatch("metadata.name"); only && name_.empty())
    name_ = *only;
  return true;
}

Collection Collection::Opaque(std::string_view resource) {
  Collection c(resource, "", "", "", "");
  c.judgeable_ = false;
  return c;
}

bool Collection::Has(const CommittedChange& of, const Value& tree) const {
  if (tree.is_null()) return false;
  if (everything_) return true;
  if (!ns_.empty() && of.ns != ns_) return false;
  if (!name_.empty() && of.name != name_) return false;
  if (!labels_.empty() && !labels_.Matches(LabelsOf(tree))) return false;
  if (!node_.empty()) return NodeNameOf(tree).AsString() == node_;
  if (!judgeable_) return fields_.Matches(tree);
  return fields_.MatchesFields(
      [&tree](std::string_view field) { return PlainFieldOf(tree, field); });
}

Meaning Collection::Of(const CommittedChange& change) const {
  const bool before = Has(change, change.before);
  const bool after = Has(change, change.after);
  if (after) return before ? Meaning::kModified : Meaning::kAdded;
  return before ? Meaning::kDeleted : Meaning::kNothing;
}

std::string Collection::ToString() const {
  std::string out = resource_;
  if (!name_.empty()) out += "/" + name_;
  if (!ns_.empty()) out += " in " + ns_;
  if (!label_text_.empty()) out += " with " + label_text_;
  if (!field_text_.empty()) out += " where " + field_text_;
  return out;
}

const Changes* Collection::Candidates(const CommitHistory& history) const {
  if (object_ != 0) return &history.OfObject(object_);
  if (!node_.empty() && resource_ == "pods") return &history.OnNode(node_);
  return nullptr;
}

std::size_t Collection::FirstIn(const CommitHistory& history, std::size_t from,
                                std::size_t to) const {
  if (from >= to) return CommitHistory::kNone;  // as mostly: nothing lies between
  const ResourceChanges& all = ChangesIn(history);
  from = std::max(from, all.first);
  if (const Changes* candidates = Candidates(history)) {
    auto it = std::lower_bound(
        candidates->begin(), candidates->end(), from,
        [](const CommittedChange* c, std::size_t position) { return c->position < position; });
    for (; it != candidates->end() && (*it)->position < to; ++it)
      if (Of(**it) != Meaning::kNothing) return (*it)->position;
    return CommitHistory::kNone;
  }
  for (std::size_t i = from; i < to && i < all.end(); ++i)
    if (everything_ || Of(*all.at(i)) != Meaning::kNothing) return i;
  return CommitHistory::kNone;
}

std::vector<const CommittedChange*> Collection::ContentAt(const CommitHistory& history,
                                                          std::int64_t revision) const {
  std::vector<std::pair<std::string, const CommittedChange*>> rows;
  const Changes* candidates = Candidates(history);
  for (const CommittedChange* c : candidates != nullptr ? *candidates : ChangesIn(history).list) {
    if (c->revision > revision) break;
    // A change counts if it is its object's last one up to the revision.
    if (c->after.is_null() || history.At(c->object, revision) != c) continue;
    if (Has(*c, c->after)) rows.emplace_back(c->ns.empty() ? c->name : c->ns + "/" + c->name, c);
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const CommittedChange*> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back(row.second);
  return out;
}

std::uint64_t HashOfContent(const std::vector<const CommittedChange*>& content) {
  Hasher hash;
  std::string key;
  for (const CommittedChange* c : content) {
    key.assign(c->ns);
    if (!key.empty()) key += '/';
    key += c->name;
    hash.Add(key).Add(c->uid()).Add(c->revision);
  }
  return hash.Digest();
}

}  // namespace ksim::check
