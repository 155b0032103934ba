#include "ksim/value/json_place.h"

#include <cstdint>

#include "ksim/value/json.h"

namespace ksim::value {
namespace {

// Walks over a text that is JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { SkipBlanks(); }

  std::size_t at() const { return at_; }
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // Past a token and the blanks behind it.
  void Skip(std::size_t bytes) {
    at_ += bytes;
    SkipBlanks();
  }

  // Returns the extent of the value at the scan's place, and moves past it.
  JsonPlace Value() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      if (At('"')) {
        SkipString();
        continue;
      }
      if (At('{') || At('[')) ++depth;
      if (At('}') || At(']')) --depth;
      ++at_;
    } while (at_ < text_.size() && (depth > 0 || !EndsScalar()));
    const JsonPlace place{begin, at_};
    SkipBlanks();
    return place;
  }

 private:
  // After a string or a bracket at depth 0 the value is over; a number or a word goes on.
  bool EndsScalar() const {
    const char last = text_[at_ - 1];
    if (last == '"' || last == '}' || last == ']') return true;
    return std::string_view(",]} \t\r\n").find(text_[at_]) != std::string_view::npos;
  }
  void SkipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }
  void SkipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Moves to the member `name` of the object at the scan's place, and sets the extent of its name;
// false if there is none.
bool EnterField(std::string_view text, Atom name, Scanner* scan, JsonPlace* name_place) {
  if (!scan->At('{')) return false;
  scan->Skip(1);
  while (!scan->At('}')) {
    const JsonPlace key = scan->Value();
    scan->Skip(1);  // the colon
    const auto decoded = ParseJson(text.substr(key.begin, key.end - key.begin));
    if (decoded.ok() && decoded->AsString() == name.text()) {
      *name_place = key;
      return true;
    }
    scan->Value();
    if (scan->At(',')) scan->Skip(1);
  }
  return false;
}

bool EnterIndex(std::uint32_t index, Scanner* scan) {
  if (!scan->At('[')) return false;
  scan->Skip(1);
  for (std::uint32_t i = 0; !scan->At(']'); ++i) {
    if (i == index) return true;
    scan->Value();
    if (scan->At(',')) scan->Skip(1);
  }
  return false;
}

}  // namespace

JsonPlace FindInJson(std::string_view json, const Path& path, bool name_of) {
  Scanner reached(json);
  JsonPlace name;
  bool named = false;
  for (const PathStep& step : path.steps()) {
    Scanner next = reached;
    const bool found = step.kind == PathStep::Kind::kIndex
                           ? EnterIndex(step.index, &next)
                           : EnterField(json, step.name, &next, &name);
    named = found && step.kind == PathStep::Kind::kField;
    if (!found) break;
    reached = next;
  }
  return name_of && named ? name : reached.Value();
}

}  // namespace ksim::value
