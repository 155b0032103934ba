#include "ksim/kubelet/runtime/printed_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ksim::kubelet {
namespace {

constexpr std::string_view kAfter = " after ";

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// "TEXT after 5s"; without a time that can be read all of it is the text.
PlannedLine ParseLine(std::string_view entry) {
  PlannedLine line;
  line.text = std::string(entry);
  const std::size_t at = entry.rfind(kAfter);
  if (at == std::string_view::npos) return line;
  const absl::StatusOr<Duration> after =
      ParseDuration(WithoutBlanks(entry.substr(at + kAfter.size())));
  if (!after.ok() || *after < Duration()) return line;
  line.text = std::string(WithoutBlanks(entry.substr(0, at)));
  line.after = *after;
  return line;
}

// The offset of the next bar that stands by itself; npos if there is none.
std::size_t FindBar(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n;";
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string_view::npos; ++at) {
    const bool begins = at == 0 || kAround.find(text[at - 1]) != std::string_view::npos;
    const bool ends = at + 1 == text.size() || kAround.find(text[at + 1]) != std::string_view::npos;
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<PlannedLine> LinesOf(const api::Object& pod, std::string_view container, int run) {
  std::vector<PlannedLine> out;
  std::string_view list = pod.Annotation(fmt::format("log.ksim.dev/{}", container));
  for (; run > 0 && FindBar(list) != std::string_view::npos; --run)
    list.remove_prefix(FindBar(list) + 1);
  list = list.substr(0, FindBar(list));
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(";\n"), list.size());
    const std::string_view entry = WithoutBlanks(list.substr(0, end));
    if (!entry.empty()) out.push_back(ParseLine(entry));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

}  // namespace ksim::kubelet
