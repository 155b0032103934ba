// Source: the text of an expression and the errors in it, shown as cel-go shows them:
//
//   ERROR: <input>:1:5: undeclared reference to 'x' (in container '')
//    | 1 + x
//    | ....^
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::cel {

struct SourceError {
  std::int32_t offset = -1;  // in code points; -1: of no place
  std::string message;
};

class Source {
 public:
  explicit Source(std::string_view text);
  std::string_view text() const { return text_; }
  const std::vector<char32_t>& runes() const { return runes_; }
  // All errors, in the order of their places.
  std::string Render(std::vector<SourceError> errors) const;

 private:
  struct Place {
    std::size_t line = 0;  // 0: of no place
    std::size_t column = 0;
  };
  Place PlaceOf(std::int32_t offset) const;
  std::string RenderOne(const SourceError& error) const;

  std::string text_;
  std::vector<char32_t> runes_;
  std::vector<std::size_t> line_starts_;
};

// At most so many errors are shown (common.Errors).
inline constexpr std::size_t kMaxErrors = 100;

}  // namespace ksim::cel
