// A rule's fieldPath, of rules.h. Upstream: validation.go ValidFieldPath.
#include <algorithm>
#include <string>
#include <vector>

#include "ksim/cel/rules/rules.h"

namespace ksim::cel {
namespace {

// '.', '[', ']', quoted texts, and what stands between.
std::vector<std::string> PathTokens(std::string_view text) {
  std::vector<std::string> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '\'') {
      while (end < text.size() && !(text[end] == '\'' && text[end - 1] != '\\')) ++end;
      end = std::min(end + 1, text.size());
    } else if (c != '.' && c != '[' && c != ']') {
      while (end < text.size() && text[end] != '.' && text[end] != '[' && text[end] != ']') ++end;
    }
    tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string UnescapeQuoted(std::string_view text, std::string* problem) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv'\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
    const std::size_t at = kLetters.find(text[++i]);
    if (at == std::string_view::npos) {
      *problem = "invalid string literal: invalid escape char \\" + std::string(1, text[i]);
      return "";
    }
    out += kMeanings[at];
  }
  return out;
}

}  // namespace

std::string FieldOfRule(std::string_view field_path, const Schema& schema, std::string* problem) {
  const Schema* at = &schema;
  std::string path;
  const std::vector<std::string> tokens = PathTokens(field_path);
  const auto fail = [problem](const std::string& why) {
    *problem = why;
    return std::string();
  };
  const auto step = [&](const std::string& name) {
    if (at->has_properties) {
      const auto found = at->properties.find(name);
      if (found == at->properties.end()) return false;
      at = &found->second->Own();
      path += (path.empty() ? "" : ".") + name;
      return true;
    }
    if (at->additional == nullptr) return false;
    at = &at->additional->Own();
    path += "[" + name + "]";
    return true;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string name;
    if (tokens[i] == "[") {
      if (++i == tokens.size()) return fail("unexpected end of JSON path");
      const std::string& quoted = tokens[i];
      if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') {
        return fail("expected single quoted string but got " + quoted);
      }
      name = UnescapeQuoted(std::string_view(quoted).substr(1, quoted.size() - 2), problem);
      if (!problem->empty()) return "";
      if (++i == tokens.size()) return fail("unexpected end of JSON path");
      if (tokens[i] != "]") return fail("expected ] but got " + tokens[i]);
    } else if (tokens[i] == ".") {
      if (++i == tokens.size()) return fail("unexpected end of JSON path");
      name = tokens[i];
    } else {
      return fail("expected [ or . but got: " + tokens[i]);
    }
    if (!step(name)) return fail("does not refer to a valid field");
  }
  return path;
}

}  // namespace ksim::cel
