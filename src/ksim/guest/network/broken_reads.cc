#include "ksim/guest/network/broken_reads.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"

namespace ksim::guest {
namespace {

namespace http = apiserver::http;

// A reflector tries these again. What it may not do or what is not there, it asks for again as
// well, but for ever.
bool MayBeAnsweredLater(int status) {
  return status == 0 || status == 410 || status == 429 || status >= 500;
}

}  // namespace

std::string BrokenReads::KeyOf(const http::HttpRequest& request) {
  if (request.method != "GET") return "";
  const std::optional<http::Url> url = http::ParseTarget(request.target);
  if (!url) return "";
  const http::RequestInfo info = http::ReadRequestInfo(request.method, *url);
  const bool many = info.verb == "list" || info.verb == "watch";
  if (!info.is_resource_request || !many || info.resource == "leases") return "";
  return fmt::format("{}?{}&{}", url->path, url->query.Get("labelSelector"),
                     url->query.Get("fieldSelector"));
}

bool BrokenReads::Broke(const std::string& key) {
  return !key.empty() && broken_.try_emplace(key, State::kAwaited).first->second == State::kAwaited;
}

bool BrokenReads::Answered(const std::string& key, int status) {
  if (MayBeAnsweredLater(status)) return Broke(key);
  broken_.erase(key);
  return false;
}

bool BrokenReads::Awaits(const std::string& key) const {
  const auto found = broken_.find(key);
  return found != broken_.end() && found->second == State::kAwaited;
}

void BrokenReads::GiveUp(const std::string& key) {
  const auto found = broken_.find(key);
  if (found != broken_.end()) found->second = State::kGivenUp;
}

bool BrokenReads::FaultEnded() {
  for (auto& [key, state] : broken_) state = State::kAwaited;
  return !broken_.empty();
}

}  // namespace ksim::guest
