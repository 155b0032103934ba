#include "ksim/apiserver/doors/http/answers.h"

#include <string>
#include <utility>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/gzip.h"

namespace ksim::apiserver::http {
namespace {

// Warning: 299 - "TEXT" (apiserver pkg/warning, apimachinery util/net NewWarningHeader)
void AddWarnings(const api::Response& response, HttpResponse* http) {
  for (const std::string& warning : response.warnings) {
    std::string quoted;
    for (const char c : warning) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c == '\n' || c == '\r' ? ' ' : c;
    }
    http->headers.Add("Warning", fmt::format("299 - \"{}\"", quoted));
  }
}

}  // namespace

HttpResponse EmptyAnswer(const api::Response& response) {
  HttpResponse answer;
  answer.code = response.code;
  answer.headers.Add("Cache-Control", "no-cache, private");
  AddWarnings(response, &answer);
  return answer;
}

HttpResponse StatusResponse(const api::Status& status, const OutputType* type) {
  HttpResponse response;
  response.code = status.code;
  const bool known = type != nullptr && type->media != nullptr;
  const Encoding encoding = known ? type->media->encoding : Encoding::kJson;
  response.headers.Add("Content-Type", known ? type->media->text() : "application/json");
  response.headers.Add("Cache-Control", "no-cache, private");
  if (status.details->retry_after_seconds > 0) {
    response.headers.Add("Retry-After", fmt::format("{}", status.details->retry_after_seconds));
  }
  response.body = Encode(status.ToTree(), encoding, known ? type->pretty : true);
  return response;
}

HttpResponse ObjectResponse(const AnswerForm& form, const api::Response& response,
                            VirtualTime now) {
  HttpResponse answer = EmptyAnswer(response);
  auto tree =
      TransformedBody(*form.resource, form.verb, response, form.type, form.table, form.compat, now);
  if (!tree.ok()) answer.code = tree.status().code;
  const int retry = response.status.details->retry_after_seconds;
  if (retry > 0) answer.headers.Add("Retry-After", fmt::format("{}", retry));
  answer.headers.Add("Content-Type", form.type.media->text());
  answer.body = Encode(tree.ok() ? *tree : tree.status().ToTree(), form.type.media->encoding,
                       form.type.pretty);
  if (form.gzip) CompressObject(&answer);
  return answer;
}

HttpResponse WatchHead(const AnswerForm& form, const api::Response& response) {
  HttpResponse answer = EmptyAnswer(response);
  std::string type = form.type.media->text();
  if (form.type.media->encoding != Encoding::kJson) type += ";stream=watch";
  answer.headers.Add("Content-Type", type);
  return answer;
}

}  // namespace ksim::apiserver::http
