#include "ksim/cel/syntax/source.h"

#include <algorithm>

#include "ksim/cel/values/go_text.h"
#include "ksim/value/text.h"

namespace ksim::cel {

Source::Source(std::string_view text) : text_(text), runes_(Runes(text)), line_starts_{0} {
  for (std::size_t i = 0; i < runes_.size(); ++i) {
    if (runes_[i] == U'\n') line_starts_.push_back(i + 1);
  }
}

Source::Place Source::PlaceOf(std::int32_t offset) const {
  if (offset < 0) return {0, 0};
  const auto at = static_cast<std::size_t>(offset);
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
  const auto line = static_cast<std::size_t>(next - line_starts_.begin());
  return {line, at - line_starts_[line - 1]};
}

std::string Source::RenderOne(const SourceError& error) const {
  const Place place = PlaceOf(error.offset);
  // cel-go writes "no place" as line -1, column -1, of which it shows the column plus one.
  std::string text = "ERROR: <input>:";
  if (place.line == 0) return text + "-1:0: " + error.message;
  text += std::to_string(place.line) + ":" + std::to_string(place.column + 1) + ": ";
  text += error.message;
  std::size_t end = line_starts_[place.line - 1];
  while (end < runes_.size() && runes_[end] != U'\n') ++end;
  std::string line;
  std::string pointer;
  const std::size_t start = line_starts_[place.line - 1];
  for (std::size_t i = start; i < end; ++i) {
    value::AppendUtf8(runes_[i] == U'\t' ? U' ' : runes_[i], &line);
    if (i < start + place.column) value::AppendUtf8(runes_[i] < 0x80 ? U'.' : 0xFF0E, &pointer);
  }
  if (line.size() > 16384) return text;
  const std::size_t at = start + place.column;
  value::AppendUtf8(at < end && runes_[at] >= 0x80 ? 0xFF3E : U'^', &pointer);
  return text + "\n | " + line + "\n | " + pointer;
}

std::string Source::Render(std::vector<SourceError> errors) const {
  std::stable_sort(errors.begin(), errors.end(),
                   [](const SourceError& a, const SourceError& b) { return a.offset < b.offset; });
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kMaxErrors; ++i) {
    if (i > 0) text += "\n";
    text += RenderOne(errors[i]);
  }
  if (errors.size() > kMaxErrors) {
    text += "\n" + std::to_string(errors.size() - kMaxErrors) + " more errors were truncated";
  }
  return text;
}

}  // namespace ksim::cel
