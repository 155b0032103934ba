// PathElement: one step of the way to a field, as managedFields name it: a field, the item of a
// keyed list, the item of a set, a position.
//
// Source: structured-merge-diff fieldpath/element.go, serialize-pe.go, path.go.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class PathElement {
 public:
  static PathElement Field(std::string_view name);
  static PathElement Key(value::Value fields);  // {"name": "c"}: the keys an item is known by
  static PathElement Item(value::Value scalar);
  static PathElement Index(std::int64_t position);

  // The member name it has in fieldsV1: f:spec, k:{"name":"c"}, v:"x", i:0.
  std::string ToString() const;
  // nullopt in the answer for a kind of element that only a newer server knows; it is left out.
  static absl::StatusOr<std::optional<PathElement>> Parse(std::string_view text);
  // As conflicts print it: .spec, [name="c"], [="x"], [0].
  std::string Print() const;

  const std::string* field() const { return kind_ == Kind::kField ? &name_ : nullptr; }
  bool is_key() const { return kind_ == Kind::kKey; }

  // Fields before keys before items before positions, and by content.
  friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b);
  friend bool operator==(const PathElement& a, const PathElement& b) { return (a <=> b) == 0; }

 private:
  enum class Kind : std::uint8_t { kField, kKey, kItem, kIndex };
  PathElement(Kind kind, std::string name, value::Value value)
      : kind_(kind), name_(std::move(name)), value_(std::move(value)) {}

  Kind kind_;
  std::string name_;    // kField
  value::Value value_;  // the others
};

using FieldPath = std::vector<PathElement>;
std::string Print(const FieldPath& path);  // .spec.containers[name="c"].image

}  // namespace ksim::apiserver
