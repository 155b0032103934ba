#include "ksim/apiserver/apply/typed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"

namespace ksim::apiserver {

using value::Atom;
using value::Value;

namespace {

using How = Shape::Merge;

absl::Status At(const FieldPath& path, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", Print(path), what));
}

// Upstream prints the struct around the value.
std::string NotA(std::string_view what, const Value& v) {
  return fmt::format("expected {}, got &{{{}}}", what, value::GoFormat(v));
}

// Judges a tree that is applied.
class TypedCheck {
 public:
  // `all_keys`: an item must have every key of its list.
  explicit TypedCheck(bool all_keys) : all_keys_(all_keys) {}

  absl::Status Check(const Shape& shape, const Value& v) {
    if (std::string misfit = shape.Misfit(v); !misfit.empty()) return At(path_, misfit);
    const How how = shape.MergeOf(v);
    if (v.is_null() || how == How::kLeaf) return absl::OkStatus();
    if (how == How::kMap) return v.is_object() ? CheckFields(shape, v) : At(path_, NotA("map", v));
    return v.is_array() ? CheckItems(shape, v) : At(path_, NotA("list", v));
  }

 private:
  absl::Status CheckFields(const Shape& shape, const Value& v) {
    for (const Value::Member& m : v.members()) {
      path_.push_back(PathElement::Field(m.name.text()));
      if (shape.Lacks(m.name)) return At(path_, "field not declared in schema");
      if (absl::Status below = Check(shape.Field(m.name), m.value); !below.ok()) return below;
      path_.pop_back();
    }
    return absl::OkStatus();
  }

  absl::Status CheckItems(const Shape& shape, const Value& v) {
    FieldSet seen;
    for (std::size_t i = 0; i < v.size(); ++i) {
      absl::StatusOr<PathElement> element = ElementOf(shape, v.at(i));
      if (!element.ok())
        return At(path_, fmt::format("element {}: {}", i, Message(element.status())));
      if (seen.HasMember(*element))
        return At(path_, fmt::format("duplicate entries for key {}", element->Print()));
      seen.Insert({*element});
      path_.push_back(*element);
      if (absl::Status below = Check(shape.Below(*element), v.at(i)); !below.ok()) return below;
      path_.pop_back();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PathElement> ElementOf(const Shape& shape, const Value& item) const {
    const std::string_view omitted =
        all_keys_ && item.is_object() ? shape.OmittedKey(item) : std::string_view();
    if (omitted.empty()) return shape.ElementOf(item);
    return absl::InvalidArgumentError(
        fmt::format("associative list with keys has an element that omits key field \"{}\" (and "
                    "doesn't have default value)",
                    omitted));
  }

  bool all_keys_;
  FieldPath path_;
};

// Collects the fields of one tree.
class FieldCollector {
 public:
  FieldSet Run(const Shape& shape, const Value& v) {
    Walk(shape, v);
    return std::move(set_);
  }

 private:
  void Walk(const Shape& shape, const Value& v) {
    const How how = shape.MergeOf(v);
    if (how == How::kLeaf) {
      set_.Insert(path_);
    } else if (how == How::kMap) {
      WalkMap(shape, v);
    } else {
      WalkList(shape, v);
    }
  }

  void WalkMap(const Shape& shape, const Value& v) {
    for (const Value::Member& m : v.members()) {
      path_.push_back(PathElement::Field(m.name.text()));
      Walk(shape.Field(m.name), m.value);
      const bool hollow = m.value.is_null() || (m.value.is_object() && m.value.empty());
      if (hollow || !shape.Names(m.name.text())) set_.Insert(path_);
      path_.pop_back();
    }
  }

  // An item that is there twice is owned as a whole.
  void WalkList(const Shape& shape, const Value& v) {
    FieldSet once, twice;
    for (const Value& item : v.items()) {
      const absl::StatusOr<PathElement> element = shape.ElementOf(item);
      if (!element.ok()) continue;
      (once.HasMember(*element) ? twice : once).Insert({*element});
    }
    for (const Value& item : v.items()) {
      const absl::StatusOr<PathElement> element = shape.ElementOf(item);
      if (!element.ok()) continue;
      path_.push_back(*element);
      if (!twice.HasMember(*element)) Walk(shape.Below(*element), item);
      set_.Insert(path_);
      path_.pop_back();
    }
  }

  FieldPath path_;
  FieldSet set_;
};

// The items of a list that merges, by their elements; in the order of the list.
struct ListIndex {
  ListIndex(const Shape& shape, const Value* list) {
    if (list == nullptr) return;
    for (const Value& item : list->items()) {
      absl::StatusOr<PathElement> element = shape.ElementOf(item);
      if (element.ok()) entries.emplace_back(*std::move(element), &item);
    }
  }
  std::vector<const Value*> All(const PathElement& element) const {
    std::vector<const Value*> found;
    for (const auto& [e, item] : entries)
      if (e == element) found.push_back(item);
    return found;
  }
  bool Has(const PathElement& element) const { return !All(element).empty(); }
  std::vector<std::pair<PathElement, const Value*>> entries;
};

// Compares two trees. A null pointer is an absent value; one of the two may be.
class Comparer {
 public:
  Comparison Run(const Shape& shape, const Value& before, const Value& after) {
    Walk(shape, &before, &after);
    return std::move(result_);
  }

 private:
  // How both merge. Nulls and empty containers on both sides are leaves, which keeps the
  // difference between null and empty.
  static How HowBoth(const Shape& shape, const Value* a, const Value* b) {
    const How how = shape.MergeOf(b != nullptr ? *b : *a);
    const bool nothing = (a == nullptr || a->empty()) && (b == nullptr || b->empty());
    return nothing ? How::kLeaf : how;
  }

  void Walk(const Shape& shape, const Value* a, const Value* b) {
    // Trees share what did not change: a shared subtree is the same.
    if (a != nullptr && b != nullptr && a->SameTree(*b)) return;
    // Without a schema a value may become one of another kind: that changes it as a whole.
    if (a != nullptr && b != nullptr && !a->is_null() && !b->is_null() &&
        shape.MergeOf(*a) != shape.MergeOf(*b)) {
      Walk(shape, a, nullptr);
      Leaf(a, b);
      Walk(shape, nullptr, b);
      return;
    }
    const How how = HowBoth(shape, a, b);
    if (how == How::kLeaf) {
      Leaf(a, b);
      return;
    }
    if (how == How::kMap) {
      Fields(shape, a, b);
    } else {
      Items(shape, a, b);
    }
    if (a == nullptr) result_.added.Insert(path_);
    if (b == nullptr) result_.removed.Insert(path_);
  }

  void Leaf(const Value* a, const Value* b) {
    if (a == nullptr) {
      result_.added.Insert(path_);
    } else if (b == nullptr) {
      result_.removed.Insert(path_);
    } else if (*a != *b) {
      result_.modified.Insert(path_);
    }
  }

  void Below(const Shape& shape, const PathElement& element, const Value* a, const Value* b) {
    path_.push_back(element);
    Walk(shape.Below(element), a, b);
    path_.pop_back();
  }

  void Fields(const Shape& shape, const Value* a, const Value* b) {
    static const Value kNone;
    const Value& before = a != nullptr ? *a : kNone;
    const Value& after = b != nullptr ? *b : kNone;
    for (const Value::Member& m : before.members())
      Below(shape, PathElement::Field(m.name.text()), &m.value, after.Find(m.name));
    for (const Value::Member& m : after.members()) {
      if (before.Find(m.name) == nullptr)
        Below(shape, PathElement::Field(m.name.text()), nullptr, &m.value);
    }
  }

  void Items(const Shape& shape, const Value* a, const Value* b) {
    const ListIndex before(shape, a), after(shape, b);
    FieldSet done;
    for (const ListIndex* index : {&before, &after}) {
      for (const auto& [element, item] : index->entries) {
        if (done.HasMember(element)) continue;
        done.Insert({element});
        SameElement(shape, element, before.All(element), after.All(element));
      }
    }
  }

  // Items that are there twice count as one value.
  void SameElement(const Shape& shape, const PathElement& element,
                   const std::vector<const Value*>& a, const std::vector<const Value*>& b) {
    const auto first = [](const std::vector<const Value*>& v) {
      return v.empty() ? nullptr : v.front();
    };
    if (a.size() <= 1 && b.size() <= 1) return Below(shape, element, first(a), first(b));
    FieldPath path = path_;
    path.push_back(element);
    if (a.size() > 1 && b.size() > 1) {
      const bool equal = std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                    [](const Value* x, const Value* y) { return *x == *y; });
      if (!equal) result_.modified.Insert(path);
    } else if (a.size() > 1) {
      if (!b.empty()) Below(shape, element, nullptr, b.front());
      result_.removed.Insert(path);
    } else {
      if (!a.empty()) Below(shape, element, a.front(), nullptr);
      result_.added.Insert(path);
    }
  }

  FieldPath path_;
  Comparison result_;
};

}  // namespace

absl::Status CheckTyped(const Shape& shape, const Value& v, bool all_keys) {
  return TypedCheck(all_keys).Check(shape, v);
}

FieldSet FieldsOf(const Shape& shape, const Value& v) { return FieldCollector().Run(shape, v); }

Comparison Compare(const Shape& shape, const Value& before, const Value& after) {
  return Comparer().Run(shape, before, after);
}

FieldSet WithNamedFields(const Shape& shape, const FieldSet& set) {
  FieldSet out;
  for (const FieldSet::Entry& entry : set.entries()) {
    const std::string* field = entry.element.field();
    const FieldSet below = WithNamedFields(shape.Below(entry.element), entry.below);
    const bool member = entry.member || (!below.empty() && field != nullptr && shape.Names(*field));
    if (member) out.Insert({entry.element});
    below.ForEach([&](const FieldPath& path) {
      FieldPath whole{entry.element};
      whole.insert(whole.end(), path.begin(), path.end());
      out.Insert(whole);
    });
  }
  return out;
}

}  // namespace ksim::apiserver
