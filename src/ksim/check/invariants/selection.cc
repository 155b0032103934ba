#include "ksim/check/invariants/selection.h"

#include <algorithm>
#include <utility>

namespace ksim::check {
namespace {

// "example.dev/v1" -> "example.dev"
std::string_view GroupOf(const value::Value& tree) {
  const std::string_view version = tree.Get("apiVersion").AsString();
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
}

std::string KeyOf(const Observation& o) {
  std::string key(o.ns);
  if (!key.empty()) key += '/';
  return key += o.name;
}

}  // namespace

// Sorted by key. Pointers move when one comes or goes, trees never.
class Selection::List : public cel::ListNode {
 public:
  std::size_t size() const override { return sorted_.size(); }
  cel::Val at(std::size_t i) const override { return cel::FromTree(sorted_[i]->tree); }

  SelectedObject& object(std::size_t i) const { return *sorted_[i]; }
  SelectedObject* Find(std::string_view key) const {
    const auto it = Place(key);
    return it != sorted_.end() && (*it)->key == key ? it->get() : nullptr;
  }
  SelectedObject& Add(std::string key) {
    auto made = std::make_unique<SelectedObject>();
    made->key = std::move(key);
    return **sorted_.insert(Place(made->key), std::move(made));
  }
  SelectedObject Remove(std::string_view key) {
    const auto it = Place(key);
    SelectedObject out = std::move(**it);
    sorted_.erase(it);
    return out;
  }

 private:
  using Sorted = std::vector<std::unique_ptr<SelectedObject>>;
  Sorted::const_iterator Place(std::string_view key) const {
    return std::lower_bound(sorted_.begin(), sorted_.end(), key,
                            [](const auto& o, std::string_view k) { return o->key < k; });
  }
  Sorted sorted_;
};

Selection::Selection(const Invariant& invariant)
    : invariant_(invariant), objects_(std::make_shared<List>()) {
  auto labels = value::LabelSelector::Parse(invariant.selector);
  labels_ = labels.ok() ? *std::move(labels) : value::LabelSelector::Nothing();
}

bool Selection::Has(const value::Value& tree) const {
  if (tree.is_null()) return false;
  if (!invariant_.group.empty() && GroupOf(tree) != invariant_.group) return false;
  return labels_.empty() || labels_.Matches(tree.Get("metadata").Get("labels"));
}

SelectedChange Selection::Take(const Observation& o) {
  SelectedChange out;
  if (!invariant_.ns.empty() && o.ns != invariant_.ns) return out;
  if (!invariant_.object.empty() && o.name != invariant_.object) return out;
  out.is = Has(*o.after);
  std::string key = KeyOf(o);
  SelectedObject* known = objects_->Find(key);
  out.was = known != nullptr;
  out.changed_before = known != nullptr ? known->changed : o.t;
  if (!out.is) {
    if (out.was) out.gone = objects_->Remove(key);
    return out;
  }
  if (known == nullptr) known = &objects_->Add(std::move(key));
  known->tree = *o.after;
  known->changed = o.t;
  known->seq = o.seq;
  out.object = known;
  return out;
}

std::size_t Selection::size() const { return objects_->size(); }

std::shared_ptr<const cel::ListNode> Selection::list() const { return objects_; }

SelectedObject& Selection::at(std::size_t i) const { return objects_->object(i); }

SelectedObject* Selection::Find(std::string_view key) const { return objects_->Find(key); }

}  // namespace ksim::check
