#include "ksim/value/yaml_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/value/text.h"

namespace ksim::value {
namespace {

std::string PlaceText(const yaml_mark_t& mark) {
  return fmt::format("{}:{}", mark.line + 1, mark.column + 1);
}

std::string_view TextOrEmpty(const char* s) { return s == nullptr ? "" : s; }

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The character at a place of the source, '\0' at the end of its line.
char CharAt(const YamlFile& file, const yaml_mark_t& mark) {
  if (mark.line >= file.lines.size()) return '\0';
  const std::string& line = file.lines[mark.line];
  std::size_t column = 0;
  for (const char c : line) {
    if (!StartsCodePoint(c)) continue;
    if (column++ == mark.column) return c;
  }
  return '\0';
}

// The place of a problem. A problem at the end of the file is shown after the last word: behind it
// there is no line to show.
Span PlaceOfProblem(const YamlFile& file, const yaml_mark_t& mark) {
  std::size_t last = file.lines.size();
  while (last > 0 && file.lines[last - 1].find_first_not_of(" \t\r") == std::string::npos) --last;
  Span span = SpanOf(mark, mark);
  if (mark.line >= file.lines.size() && last > 0) {
    const std::string& line = file.lines[last - 1];
    const auto width = std::count_if(line.begin(), line.end(), StartsCodePoint);
    span.line = span.end_line = static_cast<int>(last);
    span.column = span.end_column = static_cast<int>(width) + 1;
  }
  ++span.end_column;
  return span;
}

// Problems with bytes have an offset only.
Diagnostic ReaderProblem(const yaml_parser_t& parser, const YamlFile& file, std::string_view text) {
  const LineColumn place = PlaceOf(text, parser.problem_offset);
  const Span span{place.line, place.column, place.line, place.column + 1};
  if (Has(TextOrEmpty(parser.problem), "control characters")) {
    return file.At(span,
                   fmt::format("control character U+{:04X} in the text", parser.problem_value),
                   "write it as an escape inside double quotes");
  }
  return file.At(span, "not valid UTF-8", "save the file as UTF-8");
}

struct Words {
  std::string message;
  std::string hint;
};

std::string Opened(const yaml_parser_t& parser, std::string_view what) {
  return fmt::format("{} starts at {}", what, PlaceText(parser.context_mark));
}

Words TabWords() {
  return {"tab where indentation is expected", "indent with spaces; YAML does not allow tabs here"};
}

Words ScannerWords(const yaml_parser_t& parser, const YamlFile& file) {
  const std::string_view problem = TextOrEmpty(parser.problem);
  const std::string_view context = TextOrEmpty(parser.context);
  const char c = CharAt(file, parser.problem_mark);
  if (Has(problem, "tab character")) return TabWords();
  if (Has(problem, "cannot start any token")) {
    if (c == '\t') return TabWords();
    return {fmt::format("a value cannot start with '{}'", c), "put it in quotes"};
  }
  if (Has(problem, "mapping values are not allowed")) {
    return {"a mapping is not allowed here",
            "check the indentation, or put a value that contains ': ' in quotes"};
  }
  if (Has(problem, "could not find expected ':'")) {
    return {"expected ':' after this key", Opened(parser, "the key")};
  }
  if (Has(problem, "block sequence entries are not allowed")) {
    return {"a list item is not allowed here", "put '-' on a line of its own, indented"};
  }
  if (Has(problem, "unknown escape character")) {
    yaml_mark_t letter = parser.problem_mark;
    ++letter.column;
    return {fmt::format("unknown escape '\\{}'", CharAt(file, letter)),
            "write '\\\\' for a backslash, or use single quotes"};
  }
  if (Has(problem, "document indicator") && Has(context, "quoted")) {
    return {"document marker inside a quoted string", Opened(parser, "the string")};
  }
  return {std::string(problem), std::string(context)};
}

Words ParserWords(const yaml_parser_t& parser) {
  const std::string_view problem = TextOrEmpty(parser.problem);
  const std::string_view context = TextOrEmpty(parser.context);
  if (Has(problem, "',' or ']'")) return {"expected ',' or ']'", Opened(parser, "the list")};
  if (Has(problem, "',' or '}'")) return {"expected ',' or '}'", Opened(parser, "the mapping")};
  if (Has(context, "block mapping")) {
    return {"expected a key", Opened(parser, "this does not line up with the mapping, which")};
  }
  if (Has(context, "block collection")) {
    return {"expected '-'", Opened(parser, "this does not line up with the list, which")};
  }
  if (Has(problem, "<document start>")) {
    return {"text after the end of the document", "start another document with ---"};
  }
  return {std::string(problem), std::string(context)};
}

}  // namespace

Span SpanOf(const yaml_mark_t& start, const yaml_mark_t& end) {
  return {static_cast<int>(start.line) + 1, static_cast<int>(start.column) + 1,
          static_cast<int>(end.line) + 1, static_cast<int>(end.column) + 1};
}

Diagnostic ParserProblem(const yaml_parser_t& parser, const YamlFile& file, std::string_view text) {
  if (parser.error == YAML_READER_ERROR) return ReaderProblem(parser, file, text);
  if (parser.error == YAML_MEMORY_ERROR) return file.At(Span(), "out of memory");
  const std::string_view context = TextOrEmpty(parser.context);
  if (Has(TextOrEmpty(parser.problem), "unexpected end of stream") &&
      Has(context, "quoted scalar")) {
    Span span = SpanOf(parser.context_mark, parser.context_mark);
    ++span.end_column;
    return file.At(span, "quoted string is not closed",
                   fmt::format("add the closing {}", CharAt(file, parser.context_mark)));
  }
  const Span span = PlaceOfProblem(file, parser.problem_mark);
  const Words words =
      parser.error == YAML_SCANNER_ERROR ? ScannerWords(parser, file) : ParserWords(parser);
  return file.At(span, words.message, words.hint);
}

}  // namespace ksim::value
