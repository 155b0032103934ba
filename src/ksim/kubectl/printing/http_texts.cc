#include "ksim/kubectl/printing/http_texts.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "ksim/api/schema/go_order.h"

namespace ksim::kubectl {

using api::Verb;

const char* Method(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "POST";
    case Verb::kUpdate:
      return "PUT";
    case Verb::kPatch:
      return "PATCH";
    case Verb::kDelete:
    case Verb::kDeleteCollection:
      return "DELETE";
    default:
      return "GET";
  }
}

std::string StatusText(int code) {
  static const std::map<int, const char*> kTexts{{200, "OK"},
                                                 {201, "Created"},
                                                 {202, "Accepted"},
                                                 {400, "Bad Request"},
                                                 {401, "Unauthorized"},
                                                 {403, "Forbidden"},
                                                 {404, "Not Found"},
                                                 {405, "Method Not Allowed"},
                                                 {409, "Conflict"},
                                                 {410, "Gone"},
                                                 {415, "Unsupported Media Type"},
                                                 {422, "Unprocessable Entity"},
                                                 {429, "Too Many Requests"},
                                                 {500, "Internal Server Error"},
                                                 {503, "Service Unavailable"},
                                                 {504, "Gateway Timeout"}};
  const auto it = kTexts.find(code);
  return it == kTexts.end() ? "" : it->second;
}

std::string UrlOf(std::string_view server, std::string_view target) {
  return fmt::format("https://{}:6443{}", server, target);
}

std::string CutBody(const std::string& text, int level) {
  const std::size_t limit = level >= 10 ? text.size() : level == 9 ? 10240 : 1024;
  if (text.size() <= limit) return text;
  return fmt::format("{} [truncated {} chars]", text.substr(0, limit), text.size() - limit);
}

std::string IndentedGoJson(const value::Value& status) {
  const std::string json = api::ToGoJson(status);
  std::string out;
  std::size_t depth = 0;
  bool in_text = false, escaped = false;
  const auto line = [&] { out += '\n' + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"' && !escaped) in_text = !in_text;
    escaped = in_text && c == '\\' && !escaped;
    const bool opens = !in_text && (c == '{' || c == '['),
               closes = !in_text && (c == '}' || c == ']');
    const bool empty = opens && i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']');
    if (closes) {
      --depth;
      if (json[i - 1] != '{' && json[i - 1] != '[') line();
    }
    out += c;
    if (opens) {
      ++depth;
      if (!empty) line();
    }
    if (!in_text && c == ',') line();
    if (!in_text && c == ':') out += ' ';
  }
  return out;
}

}  // namespace ksim::kubectl
