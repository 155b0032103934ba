#include "ksim/apiserver/outbound/review_answer.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/schema/schema.h"
#include "ksim/value/go_json_problem.h"
#include "ksim/value/json.h"

namespace ksim::apiserver {
namespace {

using value::Value;

constexpr std::size_t kMaxErrorBody = 2048;  // maxUnstructuredResponseTextBytes

bool IsText(std::string_view content_type) {
  return content_type.empty() || content_type.starts_with("text/");
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// NewGenericServerResponse
std::string GenericMessage(int code, std::string_view said) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 415:
      return std::string(said);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      if (said.empty() || said == "unknown")
        return "the server was unable to respond with a content type that the client supports";
      return std::string(said);
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (code >= 500)
    return fmt::format("an error on the server ({}) has prevented the request from succeeding",
                       api::GoQuote(said));
  return fmt::format(
      "the server responded with the status code {} but did not return more information", code);
}

// A body that is no review of the kind: why, or "" if it is one.
std::string KindProblem(const Value& tree, const ReviewKind& wanted) {
  const std::string_view kind = tree.Get("kind").AsString();
  const std::string_view api_version = tree.Get("apiVersion").AsString();
  const std::string wanted_version = fmt::format("{}/{}", wanted.group, wanted.version);
  // The decoder takes what is missing from the type that it reads into.
  if ((kind.empty() || kind == wanted.kind) &&
      (api_version.empty() || api_version == wanted_version))
    return "";
  const bool other = api_version == fmt::format("{}/v1", wanted.group) ||
                     api_version == fmt::format("{}/v1beta1", wanted.group);
  if (kind == wanted.kind && other)
    return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                       api_version.substr(wanted.group.size() + 1), wanted.kind, wanted.version,
                       wanted.kind);
  return fmt::format(
      "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:100\"",
      api::GoQuote(kind.empty() ? wanted.kind : kind),
      api::GoQuote(api_version.empty() ? wanted_version : api_version));
}

// The error that client-go makes of the answer's HTTP status; "" for a good one.
std::string AnswerProblem(const WebhookAnswer& answer) {
  if (answer.status >= 200 && answer.status <= 206) {
    if (!answer.body.empty()) return "";
    return fmt::format("0-length response with status code: {} and content type: {}", answer.status,
                       answer.content_type);
  }
  // A Status in the body says it better.
  std::vector<std::string> duplicates;
  const auto tree = value::ParseJsonAsGo(answer.body, &duplicates);
  if (tree.ok() && tree->Get("kind").AsString() == "Status" &&
      tree->Get("status").AsString() == "Failure")
    return std::string(tree->Get("message").AsString());
  const std::string_view body = std::string_view(answer.body).substr(0, kMaxErrorBody);
  return GenericMessage(answer.status, IsText(answer.content_type) ? Trimmed(body) : "unknown");
}

}  // namespace

std::string GroupVersionKindText(const Value& tree) {
  const std::string_view api_version = tree.Get("apiVersion").AsString();
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == api_version.npos ? "" : api_version.substr(0, slash);
  const std::string_view version =
      slash == api_version.npos ? api_version : api_version.substr(slash + 1);
  return fmt::format("{}/{}, Kind={}", group, version, tree.Get("kind").AsString());
}

ReviewAnswer ReadReviewAnswer(const WebhookAnswer& answer, const ReviewKind& kind) {
  ReviewAnswer read;
  read.problem = AnswerProblem(answer);
  if (!read.problem.empty()) return read;
  std::vector<std::string> duplicates;
  const auto parsed = value::ParseJsonAsGo(answer.body, &duplicates);
  if (!parsed.ok()) {
    read.problem =
        "couldn't get version/kind; json parse error: " + value::GoJsonProblem(answer.body);
    return read;
  }
  if (!parsed->is_object()) {
    read.problem =
        "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value of type "
        "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }";
    return read;
  }
  const bool is_status =
      parsed->Get("kind").AsString() == "Status" && parsed->Get("apiVersion").AsString() == "v1";
  if (is_status) {
    if (parsed->Get("status").AsString() != "Success")
      read.problem = parsed->Get("message").AsString();
    return read;
  }
  read.problem = KindProblem(*parsed, kind);
  if (read.problem.empty()) read.problem = api::CheckStruct(kind.kind, *parsed);
  if (read.problem.empty()) read.review = *parsed;
  return read;
}

}  // namespace ksim::apiserver
