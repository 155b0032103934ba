#include "ksim/apiserver/etcd3/continue_token.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kVersion = "meta.k8s.io/v1";

std::string ToBase64Url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) out += kAlphabet[bits << (6 - count) & 63];
  return out;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == kAlphabet.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8));
  }
  return out;
}

// Go's path.Clean("/" + start) keeps it as it is: no empty, "." or ".." element, no slash at the
// end.
bool IsCleanPath(std::string_view start) {
  while (true) {
    const std::size_t slash = start.find('/');
    const std::string_view element = start.substr(0, slash);
    if (element.empty() || element == "." || element == "..") return false;
    if (slash == start.npos) return true;
    start.remove_prefix(slash + 1);
  }
}

api::Status Bad(std::string_view why) {
  return api::BadRequest(fmt::format("invalid continue token: {}", why));
}

}  // namespace

std::string EncodeContinue(const ContinueToken& token) {
  using value::Value;
  return ToBase64Url(fmt::format("{{\"v\":\"{}\",\"rv\":{},\"start\":{}}}", kVersion,
                                 token.revision, value::ToJson(Value::Of(token.start))));
}

api::Result<ContinueToken> DecodeContinue(std::string_view token) {
  const std::optional<std::string> json = FromBase64Url(token);
  if (!json) return Bad("continue key is not valid: illegal base64 data");
  const auto tree = value::ParseJson(*json);
  if (!tree.ok() || !tree->is_object())
    return Bad("continue key is not valid: the encoded value is no JSON object");
  if (tree->Get("v").AsString() != kVersion)
    return Bad("continue key is not valid: server does not recognize this encoded version " +
               std::string(tree->Get("v").AsString()));
  ContinueToken out(tree->Get("rv").AsInt(), std::string(tree->Get("start").AsString()));
  if (out.revision == 0)
    return Bad(
        "continue key is not valid: incorrect encoded start resourceVersion (version "
        "meta.k8s.io/v1)");
  if (out.start.empty())
    return Bad("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  if (out.start.front() == '/') out.start.erase(0, 1);
  if (!IsCleanPath(out.start)) return Bad("continue key is not valid: " + out.start);
  return out;
}

api::Status ExpiredContinue(const ContinueToken& token) {
  api::Status status = api::Expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  status.continue_token = EncodeContinue(ContinueToken(-1, token.start));
  return status;
}

}  // namespace ksim::apiserver
