#include "ksim/apiserver/handlers/body_flaws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "ksim/api/core/go_text.h"

namespace ksim::apiserver {
namespace {

using value::Value;

constexpr std::string_view kStrict = "strict decoding error: ";
constexpr std::string_view kUnknownFormat = "the body of the request was in an unknown format";

// The message shows the body as it was sent, and not as it was read.
api::Status WithText(api::Status refused, std::string_view body_text) {
  const std::string message = refused.message.str();
  const std::size_t place = message.rfind(" (");
  if (message.starts_with("the object provided is unrecognized") && place != message.npos)
    refused.message = message.substr(0, place) + fmt::format(" ({})", SummarizeData(body_text));
  return refused;
}

}  // namespace

std::string SummarizeData(std::string_view text) {
  constexpr std::size_t kShown = 30;
  if (text.empty()) return "<empty>";
  std::string shown;
  if (text.front() == '{') {
    shown = text.substr(0, kShown);
  } else {
    for (const char c : text.substr(0, kShown))
      shown += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > kShown ? shown + " ..." : shown;
}

api::Result<Value> ReadableBody(const api::Request& request, std::string_view wanted) {
  if (request.flaws == nullptr || request.flaws->body.empty()) return Value();
  const api::RequestFlaws& flaws = *request.flaws;
  if (flaws.body.starts_with(kUnknownFormat)) return api::UnsupportedMediaType(flaws.body);
  return api::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): {} ({})", wanted,
                  flaws.body, SummarizeData(flaws.body_text)));
}

api::Result<Value> TellDuplicates(const api::Request& request, const api::ResourceInfo& kind,
                                  api::Result<Value> decoded, std::size_t warned,
                                  std::vector<std::string>* warnings) {
  if (request.flaws == nullptr) return decoded;
  if (!decoded.ok() && !request.flaws->body_text.empty())
    decoded = WithText(decoded.status(), request.flaws->body_text);
  if (request.flaws->duplicate_fields.empty()) return decoded;
  if (request.field_validation == "Ignore") return decoded;
  std::vector<std::string> texts;
  for (const std::string& path : request.flaws->duplicate_fields)
    texts.push_back(fmt::format("duplicate field {}", api::GoQuote(path)));
  if (request.field_validation != "Strict") {
    if (decoded.ok())
      warnings->insert(warnings->begin() + static_cast<std::ptrdiff_t>(warned), texts.begin(),
                       texts.end());
    return decoded;
  }
  const std::string all = fmt::format("{}", fmt::join(texts, ", "));
  if (decoded.ok())
    return api::BadRequest(fmt::format("{} in version {} cannot be handled as a {}: {}{}",
                                       kind.kind, api::GoQuote(kind.version), kind.kind, kStrict,
                                       all));
  const std::string message = decoded.status().message.str();
  const std::size_t place = message.find(kStrict);
  if (place == message.npos) return decoded;
  return api::BadRequest(message.substr(0, place + kStrict.size()) + all + ", " +
                         message.substr(place + kStrict.size()));
}

}  // namespace ksim::apiserver
