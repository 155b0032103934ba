#include "ksim/api/kinds/admissionregistration/webhook_url.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/go_text.h"

namespace ksim::api {
namespace {

constexpr int kDefaultPort = 443;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsSchemeChar(char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; }

// Takes the text behind the last or first `mark` away and returns it.
std::string TakeBehind(std::string_view* text, char mark) {
  const std::size_t at = text->find(mark);
  if (at == text->npos) return "";
  std::string behind(text->substr(at + 1));
  *text = text->substr(0, at);
  return behind;
}

// The colon before the port of a host, npos without one.
std::size_t PortColon(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  if (colon == host.npos || (bracket != host.npos && colon < bracket)) return host.npos;
  return colon;
}

bool IsPort(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }

}  // namespace

WebhookUrl::WebhookUrl(std::string_view text) { Parse(text); }

void WebhookUrl::Parse(std::string_view text) {
  const std::string_view whole = text;
  const auto fail = [&](std::string_view why) {
    problem = fmt::format("parse {}: {}", GoQuote(whole), why);
  };
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return fail("net/url: invalid control character in URL");
  }
  fragment = TakeBehind(&text, '#');
  const std::size_t colon = text.find(':');
  if (colon == 0) return fail("missing protocol scheme");
  const bool has_scheme = colon != text.npos && IsLetter(text[0]) &&
                          std::all_of(text.begin(), text.begin() + colon, IsSchemeChar);
  if (has_scheme) {
    for (const char c : text.substr(0, colon))
      scheme.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    text.remove_prefix(colon + 1);
  }
  query = TakeBehind(&text, '?');
  if (!text.starts_with("//")) {
    if (!has_scheme && colon < text.find('/'))
      return fail("first path segment in URL cannot contain colon");
    path = text.starts_with('/') ? text : "";
    return;
  }
  text.remove_prefix(2);
  const std::size_t slash = std::min(text.find('/'), text.size());
  path = text.substr(slash);
  std::string_view authority = text.substr(0, slash);
  const std::size_t at = authority.rfind('@');
  if (at != authority.npos) {
    user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  host = authority;
  if (host.find(' ') != host.npos) return fail("invalid character \" \" in host name");
  const std::size_t port = PortColon(host);
  if (port != host.npos && !IsPort(std::string_view(host).substr(port + 1)))
    return fail(fmt::format("invalid port {} after host", GoQuote(host.substr(port))));
}

std::string WebhookUrl::HostName() const {
  std::string name = host.substr(0, PortColon(host));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return name;
}

int WebhookUrl::Port() const {
  const std::size_t colon = PortColon(host);
  if (colon == host.npos || colon + 1 == host.size()) return kDefaultPort;
  int port = 0;
  for (const char c : host.substr(colon + 1)) port = std::min(port * 10 + (c - '0'), 1'000'000);
  return port;
}

}  // namespace ksim::api
