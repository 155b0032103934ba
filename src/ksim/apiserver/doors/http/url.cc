#include "ksim/apiserver/doors/http/url.h"

#include <cstddef>

#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Control characters make a URL invalid (net/url stringContainsCTLByte).
bool HasControlByte(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) return true;
  }
  return false;
}

}  // namespace

void QueryValues::Add(std::string name, std::string value) {
  for (auto& [known, values] : values_) {
    if (known == name) {
      values.push_back(std::move(value));
      return;
    }
  }
  values_.push_back({std::move(name), {}});
  values_.back().second.push_back(std::move(value));
}

const std::vector<std::string>* QueryValues::Find(std::string_view name) const {
  for (const auto& [known, values] : values_) {
    if (known == name) return &values;
  }
  return nullptr;
}

std::string_view QueryValues::Get(std::string_view name) const {
  const std::vector<std::string>* values = Find(name);
  return values == nullptr ? std::string_view() : std::string_view(values->front());
}

std::optional<std::string> Unescape(std::string_view text, bool plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

QueryValues ParseQuery(std::string_view query) {
  QueryValues values;
  while (!query.empty()) {
    const std::string_view pair = Cut(query, '&');
    if (pair.empty() || pair.find(';') != pair.npos) continue;
    const std::size_t equals = pair.find('=');
    std::optional<std::string> name = Unescape(pair.substr(0, equals), true);
    std::optional<std::string> value =
        equals == pair.npos ? "" : Unescape(pair.substr(equals + 1), true);
    if (name.has_value() && value.has_value()) values.Add(*std::move(name), *std::move(value));
  }
  return values;
}

std::optional<Url> ParseTarget(std::string_view target) {
  if (HasControlByte(target)) return std::nullopt;
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.find("://");
    if (scheme == target.npos || scheme == 0) return std::nullopt;
    const std::string name = Lower(target.substr(0, scheme));
    if (name != "http" && name != "https") return std::nullopt;
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t path = rest.find_first_of("/?");
    target = path == rest.npos ? std::string_view("/") : rest.substr(path);
  }
  const std::size_t mark = target.find('?');
  std::optional<std::string> path = Unescape(target.substr(0, mark), false);
  if (!path.has_value()) return std::nullopt;
  Url url;
  url.path = *std::move(path);
  if (mark != target.npos) url.query = ParseQuery(target.substr(mark + 1));
  return url;
}

}  // namespace ksim::apiserver::http
