// JsonPath: kubectl's templates over documents, as in
// {range .items[*]}{.metadata.name}{"\n"}{end}: text, and paths in braces.
//
// Source: client-go util/jsonpath/jsonpath.go. ksim visits a map by name where
// upstream visits it in any order. Errors carry upstream's texts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/jsonpath_parser.h"
#include "ksim/value/value.h"

namespace ksim::value {

class JsonPath {
 public:
  enum class Missing { kEmpty, kError };  // a field that is not there: nothing, or "x is not found"
  // The results of each text and each pair of braces, those in a range once a round.
  using Results = std::vector<std::vector<Value>>;

  // InvalidArgument for a text that is no template.
  static absl::StatusOr<JsonPath> Parse(std::string_view text);

  // InvalidArgument if the template does not fit the tree: an index out of bounds, a filter of no
  // array.
  absl::StatusOr<Results> Find(const Value& tree, Missing missing = Missing::kEmpty) const;

  // Results as text: those of a pair of braces with blanks between, objects and arrays as JSON.
  static std::string Text(const Results& results);
  // Each pair of braces as a JSON array of what it found, each followed by a newline.
  static std::string Json(const Results& results);

 private:
  std::vector<JsonPathNode> nodes_;
};

}  // namespace ksim::value
