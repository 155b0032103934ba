#include "ksim/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ksim {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kGreen = "\033[1;32m";
constexpr std::string_view kCyan = "\033[1;36m";
constexpr std::string_view kReset = "\033[0m";

std::string Paint(std::string_view text, std::string_view with, bool color) {
  if (!color) return std::string(text);
  return fmt::format("{}{}{}", with, text, kReset);
}

std::string Place(const Diagnostic& d) {
  if (d.file.empty()) return "";
  if (d.span.line == 0) return d.file + ": ";
  return fmt::format("{}:{}:{}: ", d.file, d.span.line, d.span.column);
}

bool StartsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

int CodePoints(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), StartsCodePoint));
}

// The blanks under the line up to the caret; tabs where the line has tabs.
std::string Indent(std::string_view line, int column) {
  std::string indent;
  for (const char c : line) {
    if (!StartsCodePoint(c)) continue;
    if (static_cast<int>(indent.size()) + 1 >= column) break;
    indent.push_back(c == '\t' ? '\t' : ' ');
  }
  indent.resize(static_cast<std::size_t>(std::max(column - 1, 0)), ' ');
  return indent;
}

// A caret and tildes over the span, at most to the end of the line.
std::string Underline(const Diagnostic& d) {
  const int line_end = CodePoints(d.source_line) + 1;
  int end = d.span.end_line > d.span.line ? line_end : d.span.end_column;
  end = std::min(end, line_end);
  const int tildes = std::max(end - d.span.column - 1, 0);
  return "^" + std::string(static_cast<std::size_t>(tildes), '~');
}

// Where the n-th code point of `text` begins.
std::size_t OffsetOf(std::string_view text, int n) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (StartsCodePoint(text[at]) && n-- == 0) break;
  return at;
}

// Keeps only the part around the span of a line that would flood a terminal.
Diagnostic WithShortLine(const Diagnostic& d) {
  constexpr int kLongest = 160, kBefore = 60;
  static constexpr std::string_view kCut = "...";
  const int length = CodePoints(d.source_line);
  if (length <= kLongest) return d;
  const int first = std::max(std::min(d.span.column - 1 - kBefore, length - kLongest), 0);
  const std::size_t begin = OffsetOf(d.source_line, first);
  const std::size_t end = OffsetOf(d.source_line, first + kLongest);
  Diagnostic out = d;
  out.source_line = fmt::format("{}{}{}", first > 0 ? kCut : "",
                                std::string_view(d.source_line).substr(begin, end - begin),
                                end < d.source_line.size() ? kCut : "");
  const int shift = first > 0 ? first - static_cast<int>(kCut.size()) : 0;
  out.span.column -= shift;
  out.span.end_column -= shift;
  return out;
}

}  // namespace

std::string Render(const Diagnostic& d, bool color) {
  const bool error = d.severity == Diagnostic::Severity::kError;
  std::string out = Paint(Place(d), kBold, color && !d.file.empty());
  out += Paint(error ? "error:" : "warning:", error ? kRed : kYellow, color);
  out += fmt::format(" {}\n", d.message);
  if (d.span.line > 0 && !d.source_line.empty()) {
    const Diagnostic shown = WithShortLine(d);
    out += fmt::format("{:>5} | {}\n", d.span.line, shown.source_line);
    out += fmt::format("      | {}{}\n", Indent(shown.source_line, shown.span.column),
                       Paint(Underline(shown), kGreen, color));
  }
  if (!d.hint.empty()) out += fmt::format("      {} {}\n", Paint("hint:", kCyan, color), d.hint);
  return out;
}

std::string Render(const std::vector<Diagnostic>& ds, bool color, int max) {
  std::string out;
  const std::size_t shown = std::min(ds.size(), static_cast<std::size_t>(std::max(max, 0)));
  for (std::size_t i = 0; i < shown; ++i) out += Render(ds[i], color);
  const std::size_t rest = ds.size() - shown;
  if (rest > 0) out += fmt::format("{} more problem{} not shown\n", rest, rest == 1 ? "" : "s");
  return out;
}

namespace {

// Takes `word` and the number behind it off the front of `text`; 0 when they are not there.
int TakeNumber(std::string_view word, std::string_view* text) {
  int number = 0;
  if (!text->starts_with(word)) return 0;
  const char* begin = text->data() + word.size();
  const auto [end, error] = std::from_chars(begin, text->data() + text->size(), number);
  if (error != std::errc()) return 0;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

}  // namespace

Span TakePlace(std::string_view* text) {
  Span place;
  place.line = TakeNumber("line ", text);
  if (place.line == 0) return place;
  place.column = std::max(1, TakeNumber(" column ", text));
  if (text->starts_with(": ")) text->remove_prefix(2);
  return place;
}

namespace {

// Edit distance with insertion, deletion, substitution and the swap of two neighbours.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::size_t best = word.size() / 3;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance > best || (distance == best && !nearest.empty())) continue;
    best = distance;
    nearest = candidate;
  }
  return std::string(nearest);
}

}  // namespace ksim
