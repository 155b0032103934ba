#include "ksim/kubectl/printing/tab_writer.h"

#include <algorithm>
#include <utility>

#include "ksim/kubectl/printing/cell_text.h"

namespace ksim::kubectl {
namespace {

constexpr std::size_t kColumnPadding = 2;

using TabbedLine =
    std::vector<std::string_view>;  // cells; what is behind the last tab is in no column

std::vector<std::string_view> Split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find_first_of(at, begin);
    out.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return out;
    begin = end + 1;
  }
}

// text/tabwriter Writer.format: a column is a block of neighbouring lines that have a cell there;
// the columns to its right are laid out within it.
class Layout {
 public:
  explicit Layout(std::string_view text) {
    for (std::string_view line : Split(text, "\n")) lines_.push_back(Split(line, "\t\v"));
  }

  std::string Text() {
    Format(0, lines_.size());
    if (!out_.empty()) out_.pop_back();  // the text ends where its last line does
    return std::move(out_);
  }

 private:
  void Format(std::size_t begin, std::size_t end) {
    const std::size_t column = widths_.size();
    const auto has_cell = [&](std::size_t i) { return column + 1 < lines_[i].size(); };
    std::size_t written = begin;
    for (std::size_t i = begin; i < end;) {
      if (!has_cell(i)) {
        ++i;
        continue;
      }
      WriteLines(written, i);
      const std::size_t block = i;
      std::size_t width = 0;
      for (; i < end && has_cell(i); ++i)
        width = std::max(width, CodePointCount(lines_[i][column]) + kColumnPadding);
      widths_.push_back(width);
      Format(block, i);
      widths_.pop_back();
      written = i;
    }
    WriteLines(written, end);
  }

  void WriteLines(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const TabbedLine& line = lines_[i];
      for (std::size_t c = 0; c < line.size(); ++c) {
        out_ += line[c];
        if (c + 1 < line.size()) out_.append(widths_[c] - CodePointCount(line[c]), ' ');
      }
      out_ += '\n';
    }
  }

  std::vector<TabbedLine> lines_;
  std::vector<std::size_t> widths_;  // of the columns to the left
  std::string out_;
};

}  // namespace

void TabWriter::Append(int level, std::string_view text) {
  text_.append(static_cast<std::size_t>(level) * 2, ' ');
  text_ += EscapeTerminal(text);
}

// text/tabwriter: a form feed ends its line, and what follows is aligned on its own.
void TabWriter::Flush() {
  const std::string text = std::exchange(text_, {});
  bool first = true;
  for (const std::string_view part : Split(text, "\f")) {
    if (!std::exchange(first, false)) out_ += '\n';
    out_ += Layout(part).Text();
  }
}

std::string TabWriter::Take() {
  Flush();
  return std::exchange(out_, {});
}

}  // namespace ksim::kubectl
