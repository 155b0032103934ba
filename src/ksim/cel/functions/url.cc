#include "ksim/cel/functions/url.h"

#include <algorithm>

#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

enum class Part { kPath, kUser, kHost, kZone, kQuery };

bool IsUrlLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int UrlHexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// net/url shouldEscape.
bool ShouldEscape(char c, Part part) {
  if (IsUrlLetter(c) || value::IsDigit(c)) return false;
  constexpr std::string_view kHostMarks = "!$&'()*+,;=:[]<>\"";
  const bool host = part == Part::kHost || part == Part::kZone;
  if (host && kHostMarks.find(c) != std::string_view::npos) return false;
  if (c == '-' || c == '_' || c == '.' || c == '~') return false;
  constexpr std::string_view kReserved = "$&+,/:;=?@";
  if (kReserved.find(c) == std::string_view::npos) return true;
  if (part == Part::kPath) return c == '?';
  if (part == Part::kUser) return c == '@' || c == '/' || c == '?' || c == ':';
  return true;
}

// The text with %XX and, in a query, + resolved. An error: net/url's EscapeError and the like.
std::optional<std::string> Unescape(std::string_view text, Part part, std::string* error) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || UrlHexDigit(text[i + 1]) < 0 || UrlHexDigit(text[i + 2]) < 0) {
        *error = "invalid URL escape " + value::GoQuote(text.substr(i, 3));
        return std::nullopt;
      }
      const char decoded =
          static_cast<char>(UrlHexDigit(text[i + 1]) * 16 + UrlHexDigit(text[i + 2]));
      const bool percent = text.substr(i, 3) == "%25";
      const bool bad_host = part == Part::kHost && UrlHexDigit(text[i + 1]) < 8 && !percent;
      const bool bad_zone =
          part == Part::kZone && !percent && decoded != ' ' && ShouldEscape(decoded, Part::kHost);
      if (bad_host || bad_zone) {
        *error = "invalid URL escape " + value::GoQuote(text.substr(i, 3));
        return std::nullopt;
      }
      out += decoded;
      i += 3;
      continue;
    }
    const bool host = part == Part::kHost || part == Part::kZone;
    if (host && static_cast<unsigned char>(c) < 0x80 && ShouldEscape(c, part)) {
      *error = "invalid character " + value::GoQuote(text.substr(i, 1)) + " in host name";
      return std::nullopt;
    }
    out += c == '+' && part == Part::kQuery ? ' ' : c;
    ++i;
  }
  return out;
}

std::string Escape(std::string_view text, Part part) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (!ShouldEscape(c, part)) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

bool IsOptionalPort(std::string_view port) {
  if (port.empty()) return true;
  if (port[0] != ':') return false;
  port.remove_prefix(1);
  return std::all_of(port.begin(), port.end(), value::IsDigit);
}

bool IsUserInfo(std::string_view text) {
  constexpr std::string_view kMarks = "-._:~!$&'()*+,;=%@";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return IsUrlLetter(c) || value::IsDigit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

std::optional<std::string> ParseBracketedHost(std::string_view host, std::string* error) {
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos) {
    *error = "missing ']' in host";
    return std::nullopt;
  }
  const std::string_view port = host.substr(close + 1);
  if (!IsOptionalPort(port)) {
    *error = "invalid port " + value::GoQuote(port) + " after host";
    return std::nullopt;
  }
  const std::string_view name = host.substr(1, close - 1);
  const std::size_t zone = name.find("%25");
  std::optional<std::string> address = Unescape(name.substr(0, zone), Part::kHost, error);
  if (!address.has_value()) return std::nullopt;
  if (zone != std::string_view::npos) {
    const std::optional<std::string> rest = Unescape(name.substr(zone), Part::kZone, error);
    if (!rest.has_value()) return std::nullopt;
    *address += *rest;
  }
  return "[" + *address + "]" + std::string(port);
}

std::optional<std::string> ParseHost(std::string_view host, std::string* error) {
  if (host.starts_with('[')) return ParseBracketedHost(host, error);
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) {
    *error = "invalid port " + value::GoQuote(host.substr(colon)) + " after host";
    return std::nullopt;
  }
  return Unescape(host, Part::kHost, error);
}

// The text in front of the first colon if it is a scheme.
std::size_t SchemeLength(std::string_view text, std::string* error) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsUrlLetter(c)) continue;
    if (value::IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return 0;
      continue;
    }
    if (c != ':') return 0;
    if (i == 0) *error = "missing protocol scheme";
    return i;
  }
  return 0;
}

std::optional<Url> Parse(std::string_view text, std::string* error) {
  const auto fail = [error](const char* why) {
    *error = why;
    return std::nullopt;
  };
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return fail("net/url: invalid control character in URL");
    }
  }
  if (text.empty()) return fail("empty url");
  Url url;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  const std::size_t scheme = SchemeLength(text, error);
  if (!error->empty()) return std::nullopt;
  for (const char c : text.substr(0, scheme)) {
    url.scheme += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (scheme > 0) text.remove_prefix(scheme + 1);
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    url.raw_query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  if (!text.starts_with('/')) {
    if (scheme > 0) return url;  // opaque
    return fail("invalid URI for request");
  }
  if (scheme > 0 && text.starts_with("//")) {
    std::string_view authority = text.substr(2);
    const std::size_t slash = authority.find('/');
    text = slash == std::string_view::npos ? "" : authority.substr(slash);
    authority = authority.substr(0, slash);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
      if (!IsUserInfo(authority.substr(0, at))) return fail("net/url: invalid userinfo");
      if (!Unescape(authority.substr(0, at), Part::kUser, error)) return std::nullopt;
      authority.remove_prefix(at + 1);
    }
    const std::optional<std::string> host = ParseHost(authority, error);
    if (!host.has_value()) return std::nullopt;
    url.host = *host;
  }
  const std::optional<std::string> path = Unescape(text, Part::kPath, error);
  if (!path.has_value()) return std::nullopt;
  url.path = *path;
  if (Escape(*path, Part::kPath) != text) url.raw_path = text;
  return url;
}

}  // namespace

std::optional<Url> Url::ParseRequest(std::string_view text, std::string* error) {
  error->clear();
  std::optional<Url> url = Parse(text, error);
  if (!url.has_value()) *error = "parse " + value::GoQuote(text) + ": " + *error;
  return url;
}

std::string Url::Hostname() const {
  std::string_view name = host;
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && IsOptionalPort(name.substr(colon))) {
    name = name.substr(0, colon);
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return std::string(name);
}

std::string Url::Port() const {
  const std::string_view name = host;
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || !IsOptionalPort(name.substr(colon))) return "";
  return std::string(name.substr(colon + 1));
}

std::string Url::EscapedPath() const {
  if (!raw_path.empty()) {
    constexpr std::string_view kAllowed = "!$&'()*+,;=:@[]%";
    const bool valid = std::all_of(raw_path.begin(), raw_path.end(), [&](char c) {
      return kAllowed.find(c) != std::string_view::npos || !ShouldEscape(c, Part::kPath);
    });
    if (valid) return raw_path;
  }
  return path == "*" ? "*" : Escape(path, Part::kPath);
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
  std::string_view rest = raw_query;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (one.empty() || one.find(';') != std::string_view::npos) continue;
    const std::size_t equals = one.find('=');
    std::string error;
    const auto name = Unescape(one.substr(0, equals), Part::kQuery, &error);
    const auto text = Unescape(equals == std::string_view::npos ? "" : one.substr(equals + 1),
                               Part::kQuery, &error);
    if (!name.has_value() || !text.has_value()) continue;
    auto place = std::find_if(parameters.begin(), parameters.end(),
                              [&](const auto& parameter) { return parameter.first == *name; });
    if (place == parameters.end()) place = parameters.insert(place, {*name, {}});
    place->second.push_back(*text);
  }
  return parameters;
}

}  // namespace ksim::cel
