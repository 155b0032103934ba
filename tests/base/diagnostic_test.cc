#include "ksim/base/diagnostic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ksim {
namespace {

Diagnostic Wrong(int line, int column, int end_column, std::string source_line) {
  Diagnostic d;
  d.file = "scenarios/bad.yaml";
  d.span = {line, column, line, end_column};
  d.message = "spec.replicas must be an integer, got the string \"three\"";
  d.source_line = std::move(source_line);
  return d;
}

TEST(Diagnostic, ShowsPlaceLineCaretAndHint) {
  Diagnostic d = Wrong(7, 15, 20, "    replicas: three");
  d.hint = "write 3";
  EXPECT_EQ(
      Render(d, false),
      R"(scenarios/bad.yaml:7:15: error: spec.replicas must be an integer, got the string "three"
    7 |     replicas: three
      |               ^~~~~
      hint: write 3
)");
}

TEST(Diagnostic, LeavesOutWhatIsNotKnown) {
  Diagnostic d;
  d.message = "unknown command \"rnu\"";
  EXPECT_EQ(Render(d, false), "error: unknown command \"rnu\"\n");
  d.file = "a.yaml";
  d.message = "no such file or directory";
  EXPECT_EQ(Render(d, false), "a.yaml: error: no such file or directory\n");
  d.span = {3, 1, 3, 2};
  d.severity = Diagnostic::Severity::kWarning;
  d.message = "odd";
  EXPECT_EQ(Render(d, false), "a.yaml:3:1: warning: odd\n");
}

TEST(Diagnostic, TakesThePlaceOffWhatAReaderSays) {
  struct Case {
    std::string_view text;
    int line, column;
    std::string_view rest;
  };
  for (const Case& c : {Case{"line 3 column 9: expected ','", 3, 9, "expected ','"},
                        Case{"line 12: no event", 12, 1, "no event"},
                        Case{"line three is odd", 0, 0, "line three is odd"},
                        Case{"no header", 0, 0, "no header"}, Case{"", 0, 0, ""}}) {
    std::string_view text = c.text;
    const Span place = TakePlace(&text);
    EXPECT_EQ(place.line, c.line) << c.text;
    EXPECT_EQ(place.column, c.column) << c.text;
    EXPECT_EQ(text, c.rest);
  }
}

std::string Underlined(const Diagnostic& d) {
  const std::string text = Render(d, false);
  const std::size_t last = text.rfind("      | ");
  return text.substr(last + 8, text.size() - last - 9);
}

TEST(Diagnostic, UnderlinesOnlyTheLine) {
  EXPECT_EQ(Underlined(Wrong(1, 3, 4, "abcdef")), "  ^");
  EXPECT_EQ(Underlined(Wrong(1, 3, 3, "abcdef")), "  ^");      // an empty span is a caret
  EXPECT_EQ(Underlined(Wrong(1, 3, 99, "abcdef")), "  ^~~~");  // not past the end of the line
  EXPECT_EQ(Underlined(Wrong(1, 7, 8, "abcdef")), "      ^");  // behind the last character
  Diagnostic over_lines = Wrong(1, 3, 2, "abcdef");
  over_lines.span.end_line = 4;
  EXPECT_EQ(Underlined(over_lines), "  ^~~~");
}

TEST(Diagnostic, CountsCodePointsAndKeepsTabs) {
  EXPECT_EQ(Underlined(Wrong(1, 8, 12, "na\u00efve: four")), "       ^~~~");
  EXPECT_EQ(Underlined(Wrong(1, 3, 5, "\t\tab")), "\t\t^~");
}

TEST(Diagnostic, ShowsOfALongLineWhatIsAroundTheSpan) {
  const auto shown = [](const Diagnostic& d) {
    const std::string text = Render(d, false);
    return text.substr(text.find('\n') + 1);
  };
  const std::string many(400, 'x');
  EXPECT_EQ(shown(Wrong(1, 3, 6, "- bad: " + many)),
            "    1 | - bad: " + many.substr(0, 153) + "...\n      |   ^~~\n");
  EXPECT_EQ(shown(Wrong(1, 401, 404, many + "bad" + many)),
            "    1 | ..." + many.substr(0, 60) + "bad" + many.substr(0, 97) + "...\n      | " +
                std::string(63, ' ') + "^~~\n");
  EXPECT_EQ(
      shown(Wrong(1, 401, 404, many + "bad")),
      "    1 | ..." + many.substr(0, 157) + "bad\n      | " + std::string(160, ' ') + "^~~\n");
  std::string umlauts;
  for (int i = 0; i < 400; ++i) umlauts += "\u00fc";
  EXPECT_EQ(shown(Wrong(1, 401, 402, umlauts)).find(umlauts.substr(0, 320)), 11u);
}

TEST(Diagnostic, ColourChangesNoText) {
  Diagnostic d = Wrong(7, 15, 20, "    replicas: three");
  d.hint = "write 3";
  std::string painted = Render(d, true);
  EXPECT_NE(painted.find("\033[1;31merror:\033[0m"), std::string::npos);
  for (std::size_t at; (at = painted.find('\033')) != std::string::npos;)
    painted.erase(at, painted.find('m', at) - at + 1);
  EXPECT_EQ(painted, Render(d, false));
}

TEST(Diagnostic, ManyAreCutAndCounted) {
  std::vector<Diagnostic> list(23);
  for (Diagnostic& d : list) d.message = "x";
  const std::string text = Render(list, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 21);
  EXPECT_TRUE(text.ends_with("error: x\n3 more problems not shown\n"));
  list.resize(21);
  EXPECT_TRUE(Render(list, false).ends_with("\n1 more problem not shown\n"));
  list.resize(20);
  EXPECT_TRUE(Render(list, false).ends_with("error: x\n"));
}

TEST(Nearest, FindsTheIntendedWord) {
  const std::vector<std::string_view> commands = {"run",  "replay", "diff",     "fuzz",
                                                  "seed", "faults", "replicas", "until"};
  const struct {
    std::string_view word, want;
  } kCases[] = {
      {"rnu", "run"},        // two neighbours swapped is one edit
      {"fautls", "faults"},  // likewise
      {"replica", "replicas"},
      {"replcias", "replicas"},
      {"unitl", "until"},
      {"dif", "diff"},
      {"frobnicate", ""},
      {"xy", ""},
      {"", ""},
      {"run", "run"},
      {"ab", ""},  // a third of two letters is none
  };
  for (const auto& c : kCases) EXPECT_EQ(Nearest(c.word, commands), c.want) << c.word;
}

TEST(Nearest, FirstOfEquallyNear) {
  EXPECT_EQ(Nearest("cat", {"car", "can"}), "car");
  EXPECT_EQ(Nearest("cat", {}), "");
}

}  // namespace
}  // namespace ksim
