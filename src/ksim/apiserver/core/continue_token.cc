#include "ksim/apiserver/core/continue_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"
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

// Decodes base64, with Go's error for other text; line ends are skipped.
struct Decoded {
  Decoded() = default;
  std::string bytes, error;
};

Decoded FromBase64Url(std::string_view text) {
  Decoded out;
  std::uint32_t bits = 0;
  int count = 0, digits = 0;
  std::size_t four = 0;  // where the last four digits begin
  const auto illegal = [&](std::size_t at) {
    out.error = fmt::format("illegal base64 data at input byte {}", at);
    return out;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') continue;
    const std::size_t digit = kAlphabet.find(text[i]);
    if (digit == kAlphabet.npos) return illegal(i);
    if (digits++ % 4 == 0) four = i;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) out.bytes += static_cast<char>(bits >> (count -= 8));
  }
  return digits % 4 == 1 ? illegal(four) : out;
}

// encoding/json quoteChar: a byte is a character of its own.
std::string QuotedByte(std::string_view byte) {
  const auto c = static_cast<unsigned char>(byte.front());
  if (byte == "'") return "'\\''";
  if (byte == "\"") return "'\"'";
  const std::string text = c < 0x80 ? std::string(byte)
                                    : std::string{static_cast<char>(0xc0 | c >> 6),
                                                  static_cast<char>(0x80 | (c & 0x3f))};
  const std::string quoted = value::GoQuote(text);
  return "'" + quoted.substr(1, quoted.size() - 2) + "'";
}

// The error of encoding/json for a field of a wrong type; "" if the type is right.
std::string WrongField(const value::Value& v, std::string_view name, std::string_view type) {
  if (v.is_null() || (type == "string" ? v.is_string() : v.is_int())) return "";
  std::string word(value::JsonWord(v));
  if (type != "string" && v.is_number()) word += " " + value::ToJson(v);
  return fmt::format("json: cannot unmarshal {} into Go struct field continueToken.{} of type {}",
                     word, name, type);
}

// encoding/json's errors of the ordinary mistakes; "" if the text is that of a token.
std::string JsonError(std::string_view json, const absl::StatusOr<value::Value>& tree) {
  if (!tree.ok()) {
    const std::size_t first = std::min(json.find_first_not_of(" \t\n\r"), json.size());
    if (first == json.size()) return "unexpected end of JSON input";
    const std::string_view begin = json.substr(first, 1);
    if (std::string_view("{[\"-0123456789tfn").find(begin) != json.npos)
      return "the encoded value is no JSON object";
    return fmt::format("invalid character {} looking for beginning of value", QuotedByte(begin));
  }
  if (tree->is_null()) return "";
  if (!tree->is_object())
    return fmt::format("json: cannot unmarshal {} into Go value of type storage.continueToken",
                       value::JsonWord(*tree));
  for (const auto& [name, type] :
       {std::pair("v", "string"), std::pair("rv", "int64"), std::pair("start", "string")}) {
    if (std::string wrong = WrongField(tree->Get(name), name, type); !wrong.empty()) return wrong;
  }
  return "";
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
  const Decoded json = FromBase64Url(token);
  if (!json.error.empty()) return Bad("continue key is not valid: " + json.error);
  const auto tree = value::ParseJson(json.bytes);
  const std::string error = JsonError(json.bytes, tree);
  if (!error.empty()) return Bad("continue key is not valid: " + error);
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
  status.details->continue_token = EncodeContinue(ContinueToken(-1, token.start));
  return status;
}

}  // namespace ksim::apiserver
