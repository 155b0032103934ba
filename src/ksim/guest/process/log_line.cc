#include "ksim/guest/process/log_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "nlohmann/json.hpp"

namespace ksim::guest {
namespace {

std::string_view LevelOfLetter(char letter) {
  switch (letter) {
    case 'I':
      return "info";
    case 'W':
      return "warning";
    case 'E':
      return "error";
    case 'F':
      return "fatal";
    default:
      return "";
  }
}

std::string LevelOfWord(std::string word) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (word == "warn") return "warning";
  if (word == "dpanic" || word == "panic") return "fatal";
  if (word == "trace") return "debug";
  static constexpr std::array<std::string_view, 5> kLevels = {"debug", "info", "warning", "error",
                                                              "fatal"};
  return std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end() ? word : "";
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// FILE.go:LINE
bool IsPlace(std::string_view text) {
  const std::size_t at = text.find(".go:");
  return at != std::string_view::npos && at + 4 < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 4, text.end(), IsDigit) &&
         text.find(' ') == std::string_view::npos;
}

bool ReadKlog(std::string_view line, LogLine* out) {
  if (line.size() < 6 || LevelOfLetter(line[0]).empty()) return false;
  if (!std::all_of(line.begin() + 1, line.begin() + 5, IsDigit) || line[5] != ' ') return false;
  const std::size_t end = line.find("] ");
  if (end == std::string_view::npos) return false;
  const std::string_view head = line.substr(0, end);
  const std::string_view place = head.substr(head.rfind(' ') + 1);
  if (!IsPlace(place)) return false;
  out->level = LevelOfLetter(line[0]);
  out->place = place;
  out->text = line.substr(end + 2);
  return true;
}

bool ReadConsole(std::string_view line, LogLine* out) {
  std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || tab < 10 || !IsDigit(line[0])) return false;
  std::string_view rest = line.substr(tab + 1);
  tab = rest.find('\t');
  if (tab == std::string_view::npos) return false;
  std::string level = LevelOfWord(std::string(rest.substr(0, tab)));
  if (level.empty()) return false;
  rest.remove_prefix(tab + 1);
  tab = rest.find('\t');
  if (tab != std::string_view::npos && IsPlace(rest.substr(0, tab))) {
    out->place = rest.substr(0, tab);
    rest.remove_prefix(tab + 1);
  }
  out->level = std::move(level);
  out->text = rest;
  return true;
}

bool ReadJson(std::string_view line, LogLine* out) {
  if (line.empty() || line.front() != '{' || line.back() != '}') return false;
  nlohmann::ordered_json tree =
      nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!tree.is_object()) return false;
  const auto level = tree.find("level");
  const auto text = tree.find("msg");
  if (level == tree.end() || !level->is_string() || text == tree.end() || !text->is_string())
    return false;
  out->level = LevelOfWord(level->get<std::string>());
  out->text = text->get<std::string>();
  const auto caller = tree.find("caller");
  if (caller != tree.end() && caller->is_string()) out->place = caller->get<std::string>();
  for (const char* known : {"level", "msg", "ts", "time", "caller"}) tree.erase(known);
  if (!tree.empty())
    out->text += " " + tree.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return true;
}

}  // namespace

LogLine ParseLogLine(std::string_view line) {
  LogLine out;
  if (ReadKlog(line, &out) || ReadConsole(line, &out) || ReadJson(line, &out)) return out;
  out.text = line;
  return out;
}

}  // namespace ksim::guest
