// FieldSet: a set of paths, kept as a tree: the fields that a manager owns or an update changed.
//
// Source: structured-merge-diff fieldpath/set.go, serialize.go.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "ksim/apiserver/apply/path_element.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class FieldSet {
 public:
  struct Entry;

  FieldSet();
  FieldSet(const FieldSet& other);
  FieldSet(FieldSet&& other) noexcept;
  FieldSet& operator=(FieldSet other) noexcept;
  ~FieldSet();

  // The empty path names the whole object, which no manager owns: it is left out.
  void Insert(const FieldPath& path);
  // Paths of plain field names: {{"metadata", "name"}, {"kind"}}.
  static FieldSet OfFields(std::initializer_list<std::initializer_list<std::string_view>> paths);

  bool empty() const { return entries_.empty(); }
  bool Has(const FieldPath& path) const;
  bool HasMember(const PathElement& element) const;  // the path of that one element
  const FieldSet& Below(const PathElement& element) const;
  const std::vector<Entry>& entries() const { return entries_; }
  // Visits members first, then the paths below each, as upstream does.
  void ForEach(absl::FunctionRef<void(const FieldPath&)> visit) const;

  FieldSet Union(const FieldSet& o) const;
  FieldSet Intersection(const FieldSet& o) const;
  FieldSet Difference(const FieldSet& o) const;
  // The same without all that is below the members of `o`.
  FieldSet RecursiveDifference(const FieldSet& o) const;

  // fieldsV1: {"f:spec":{"f:replicas":{}}}, with "." for a member that has members below.
  value::Value ToFieldsV1() const;
  static absl::StatusOr<FieldSet> FromFieldsV1(const value::Value& fields);

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  friend class FieldSetBuilder;
  Entry& At(const PathElement& element);
  const Entry* Find(const PathElement& element) const;
  void Visit(FieldPath* prefix, absl::FunctionRef<void(const FieldPath&)> visit) const;
  bool Read(const value::Value& fields, absl::Status* status);

  std::vector<Entry> entries_;  // sorted; each is a member or has something below
};

struct FieldSet::Entry {
  explicit Entry(PathElement e) : element(std::move(e)) {}
  PathElement element;
  bool member = false;
  FieldSet below;
};

}  // namespace ksim::apiserver
