#include "ksim/apiserver/apply/field_set.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver {

using value::Value;

FieldSet::FieldSet() = default;
FieldSet::FieldSet(const FieldSet& other) = default;
FieldSet::FieldSet(FieldSet&& other) noexcept = default;
FieldSet& FieldSet::operator=(FieldSet other) noexcept {
  entries_.swap(other.entries_);
  return *this;
}
FieldSet::~FieldSet() = default;

// Walks two sets side by side and keeps the paths that the operation selects.
class FieldSetBuilder {
 public:
  using Entry = FieldSet::Entry;
  enum class Op : std::uint8_t { kUnion, kIntersection, kDifference, kRecursiveDifference };

  static FieldSet Combine(const FieldSet& a, const FieldSet& b, Op op) {
    FieldSet out;
    auto x = a.entries_.begin();
    auto y = b.entries_.begin();
    while (x != a.entries_.end() || y != b.entries_.end()) {
      const bool from_a =
          y == b.entries_.end() || (x != a.entries_.end() && x->element <= y->element);
      const bool from_b =
          x == a.entries_.end() || (y != b.entries_.end() && y->element <= x->element);
      Both(from_a ? &*x : nullptr, from_b ? &*y : nullptr, op, &out.entries_);
      if (from_a) ++x;
      if (from_b) ++y;
    }
    return out;
  }

 private:
  static bool Keeps(bool a, bool b, Op op) {
    if (op == Op::kUnion) return a || b;
    if (op == Op::kIntersection) return a && b;
    return a && !b;
  }

  static void Both(const Entry* a, const Entry* b, Op op, std::vector<Entry>* out) {
    static const FieldSet kNothing;
    Entry entry(a != nullptr ? a->element : b->element);
    const bool in_a = a != nullptr && a->member;
    const bool in_b = b != nullptr && b->member;
    entry.member = Keeps(in_a, in_b, op);
    if (op != Op::kRecursiveDifference || !in_b)
      entry.below =
          Combine(a != nullptr ? a->below : kNothing, b != nullptr ? b->below : kNothing, op);
    if (entry.member || !entry.below.empty()) out->push_back(std::move(entry));
  }
};

FieldSet::Entry& FieldSet::At(const PathElement& element) {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), element,
                       [](const Entry& entry, const PathElement& e) { return entry.element < e; });
  if (at != entries_.end() && at->element == element) return *at;
  return *entries_.emplace(at, element);
}

const FieldSet::Entry* FieldSet::Find(const PathElement& element) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), element,
                       [](const Entry& entry, const PathElement& e) { return entry.element < e; });
  return at != entries_.end() && at->element == element ? &*at : nullptr;
}

void FieldSet::Insert(const FieldPath& path) {
  FieldSet* set = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Entry& entry = set->At(path[i]);
    if (i + 1 == path.size()) entry.member = true;
    set = &entry.below;
  }
}

FieldSet FieldSet::OfFields(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet out;
  for (const auto& names : paths) {
    FieldPath path;
    for (const std::string_view name : names) path.push_back(PathElement::Field(name));
    out.Insert(path);
  }
  return out;
}

bool FieldSet::HasMember(const PathElement& element) const {
  const Entry* entry = Find(element);
  return entry != nullptr && entry->member;
}

const FieldSet& FieldSet::Below(const PathElement& element) const {
  static const FieldSet kNothing;
  const Entry* entry = Find(element);
  return entry != nullptr ? entry->below : kNothing;
}

bool FieldSet::Has(const FieldPath& path) const {
  const FieldSet* set = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) set = &set->Below(path[i]);
  return !path.empty() && set->HasMember(path.back());
}

void FieldSet::Visit(FieldPath* prefix, absl::FunctionRef<void(const FieldPath&)> visit) const {
  for (const Entry& entry : entries_) {
    if (!entry.member) continue;
    prefix->push_back(entry.element);
    visit(*prefix);
    prefix->pop_back();
  }
  for (const Entry& entry : entries_) {
    prefix->push_back(entry.element);
    entry.below.Visit(prefix, visit);
    prefix->pop_back();
  }
}

void FieldSet::ForEach(absl::FunctionRef<void(const FieldPath&)> visit) const {
  FieldPath prefix;
  Visit(&prefix, visit);
}

FieldSet FieldSet::Union(const FieldSet& o) const {
  return FieldSetBuilder::Combine(*this, o, FieldSetBuilder::Op::kUnion);
}
FieldSet FieldSet::Intersection(const FieldSet& o) const {
  return FieldSetBuilder::Combine(*this, o, FieldSetBuilder::Op::kIntersection);
}
FieldSet FieldSet::Difference(const FieldSet& o) const {
  return FieldSetBuilder::Combine(*this, o, FieldSetBuilder::Op::kDifference);
}
FieldSet FieldSet::RecursiveDifference(const FieldSet& o) const {
  return FieldSetBuilder::Combine(*this, o, FieldSetBuilder::Op::kRecursiveDifference);
}

Value FieldSet::ToFieldsV1() const {
  value::ObjectBuilder out;
  for (const Entry& entry : entries_) {
    Value below = entry.below.ToFieldsV1();
    if (entry.member && !entry.below.empty()) below = below.Set(".", Value::EmptyObject());
    out.Add(entry.element.ToString(), std::move(below));
  }
  return out.Build();
}

// True if "." is among the fields: then their parent is a member itself.
bool FieldSet::Read(const Value& fields, absl::Status* status) {
  bool self = false;
  for (const Value::Member& m : fields.members()) {
    if (m.name.text() == ".") {
      self = true;
      continue;
    }
    absl::StatusOr<std::optional<PathElement>> element = PathElement::Parse(m.name.text());
    if (!element.ok()) *status = element.status();
    if (!element.ok() || !element->has_value()) continue;
    FieldSet below;
    const bool member = below.Read(m.value, status) || below.empty();
    Entry& entry = At(**element);
    entry.member = member;
    entry.below = std::move(below);
  }
  return self;
}

absl::StatusOr<FieldSet> FieldSet::FromFieldsV1(const Value& fields) {
  FieldSet out;
  absl::Status status;
  if (!fields.is_object() && !fields.is_null())
    return absl::InvalidArgumentError("fieldsV1 is no object");
  out.Read(fields, &status);
  if (!status.ok()) return status;
  return out;
}

bool operator==(const FieldSet& a, const FieldSet& b) {
  return std::equal(a.entries_.begin(), a.entries_.end(), b.entries_.begin(), b.entries_.end(),
                    [](const FieldSet::Entry& x, const FieldSet::Entry& y) {
                      return x.element == y.element && x.member == y.member && x.below == y.below;
                    });
}

}  // namespace ksim::apiserver
