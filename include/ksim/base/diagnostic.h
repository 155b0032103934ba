// Diagnostic: one complaint about a file, with its place. All readers of user files return these;
// rendering is `file:line:col: error: message`, the line, a caret with tildes, a hint.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ksim {

// 1-based line and column (in Unicode code points, as editors count); end is exclusive on one line.
struct Span {
  int line = 0;  // 0 = no place (then only `file: error: message` is shown)
  int column = 0;
  int end_line = 0;
  int end_column = 0;
};

struct Diagnostic {
  enum class Severity { kError, kWarning };
  Severity severity = Severity::kError;
  std::string file;  // as the user named it
  Span span;
  std::string message;      // no trailing full stop
  std::string hint;         // "" = none
  std::string source_line;  // the text of span.line, without newline; "" = unknown
};

// `color` adds ANSI colours; never changes the text.
std::string Render(const Diagnostic& d, bool color);

// All of them, at most `max`, then "N more problems not shown".
std::string Render(const std::vector<Diagnostic>& ds, bool color, int max = 20);

// Takes the place off the front of what a reader says, "line 3 column 9: ..." or "line 3: ...";
// none if it begins otherwise. `text` stays as it is then.
Span TakePlace(std::string_view* text);

// The candidate nearest to `word` by edit distance, if within a third of its length; else "".
std::string Nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace ksim
