#include "ksim/kubectl/printing/request_log.h"

#include <fmt/format.h>

#include "ksim/api/core/request_uri.h"
#include "ksim/client/core/payloads.h"
#include "ksim/kubectl/printing/http_texts.h"
#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

std::string Url(const client::RequestPayload& p) {
  return UrlOf(p.server, api::RequestUri(p.request));
}

std::string Curl(const client::RequestPayload& p) {
  const api::Request& r = p.request;
  std::string headers = fmt::format("-H \"User-Agent: {}\" -H \"Accept: application/json\"",
                                    r.user_agent.empty() ? r.client : r.user_agent);
  if (r.verb == api::Verb::kPatch)
    headers += fmt::format(" -H \"Content-Type: {}\"", api::ContentType(r.patch_type));
  else if (!r.body.is_null())
    headers += " -H \"Content-Type: application/json\"";
  return fmt::format("curl -v -X{} {} '{}'", Method(r.verb), headers, Url(p));
}

}  // namespace

void RequestLog::Take(const sim::Event& e) {
  if (e.kind == sim::EventKind::kRequest) TakeRequest(e);
  if (e.kind == sim::EventKind::kResponse) TakeResponse(e);
}

void RequestLog::TakeRequest(const sim::Event& e) {
  const auto& p = e.payload.As<client::RequestPayload>();
  sent_[p.request.id] = e.payload;
  if (level_ >= 8 && !p.request.body.is_null())
    Line(e, "Request Body: " + CutBody(value::ToJson(p.request.body), level_));
  if (level_ >= 9) Line(e, Curl(p));
  if (level_ == 7 || level_ == 8) {
    Line(e, fmt::format("{} {}", Method(p.request.verb), Url(p)));
    Line(e, "Request Headers:");
    Line(e, "    Accept: application/json");
    Line(e, "    User-Agent: " + p.request.user_agent);
  }
}

void RequestLog::TakeResponse(const sim::Event& e) {
  const auto& p = e.payload.As<client::ResponsePayload>();
  const auto it = sent_.find(p.id);
  if (it == sent_.end()) return;
  const sim::PayloadRef sent = std::move(it->second);
  sent_.erase(it);
  const auto& request = sent.As<client::RequestPayload>();
  const std::int64_t ms = p.latency.ns() / 1'000'000;
  if (level_ == 7 || level_ == 8)
    Line(e,
         fmt::format("Response Status: {} {} in {} milliseconds", p.code, StatusText(p.code), ms));
  else
    Line(e, fmt::format("{} {} {} {} in {} milliseconds", Method(request.request.verb),
                        Url(request), p.code, StatusText(p.code), ms));
  if (level_ < 8) return;
  if (p.code != 0) Headers(e, p);
  std::string body;
  if (!p.object.empty()) body = value::ToJson(p.object.ToTree());
  if (body.empty() && p.code >= 400) body = value::ToJson(p.status.ToTree());
  if (!body.empty()) Line(e, "Response Body: " + CutBody(body, level_));
}

// responsewriters/writers.go ErrorNegotiated: an error that says when to try again says it in a
// header too.
void RequestLog::Headers(const sim::Event& e, const client::ResponsePayload& p) {
  Line(e, "Response Headers:");
  Line(e, "    Content-Type: application/json");
  if (p.code >= 400 && p.status.details->retry_after_seconds > 0)
    Line(e, fmt::format("    Retry-After: {}", p.status.details->retry_after_seconds));
}

void RequestLog::Line(const sim::Event& e, const std::string& line) {
  text_ += fmt::format("I {:>10} {}] {}\n", FormatTime(e.time), e.actor.name(), line);
}

}  // namespace ksim::kubectl
