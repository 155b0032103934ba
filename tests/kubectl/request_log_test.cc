#include "ksim/kubectl/printing/request_log.h"

#include <gtest/gtest.h>

#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/client/core/payloads.h"

namespace ksim::kubectl {
namespace {

// The log of a create request that the server answers with `status`.
std::string LogOf(const api::Status& status, int level, bool lost = false) {
  const api::Kinds kinds;
  api::Request request;
  request.id = 1;
  request.verb = api::Verb::kCreate;
  request.resource = kinds.ByResource("", "pods");
  request.ns = "default";
  auto* response = new client::ResponsePayload;
  response->id = 1;
  response->code = lost ? 0 : status.code;
  response->status = status;
  std::vector<sim::Event> events(2);
  events[0].kind = sim::EventKind::kRequest;
  events[0].payload =
      sim::MakePayload<client::RequestPayload>(std::move(request), "kube-apiserver-0");
  events[1].kind = sim::EventKind::kResponse;
  events[1].payload = sim::PayloadRef(response);
  RequestLog log(level);
  for (const sim::Event& e : events) log.Take(e);
  return log.text();
}

// API-26
TEST(RequestLog, AnErrorThatSaysWhenToTryAgainSaysItInAHeader) {
  const api::GroupResource pods("", "pods");
  struct Row {
    api::Status status;
    const char* header;  // "": none
  };
  const Row rows[] = {{api::TooManyRequests("slow down", 7), "Retry-After: 7"},
                      {api::TimeoutError("too late", 3), "Retry-After: 3"},
                      {api::GenerateNameConflict(pods, "web-"), "Retry-After: 1"},
                      {api::AlreadyExists(pods, "web"), ""},
                      {api::TooManyRequests("slow down", 0), ""}};
  for (const Row& row : rows) {
    for (const int level : {7, 8, 9, 10}) {
      const std::string log = LogOf(row.status, level);
      const bool headers = level >= 8;
      EXPECT_EQ(log.find("Response Headers:") != std::string::npos, headers) << level;
      const bool told = headers && *row.header != '\0';
      EXPECT_EQ(log.find("Retry-After") != std::string::npos, told) << level << "\n" << log;
      if (told) {
        EXPECT_NE(log.find(row.header), std::string::npos) << log;
      }
    }
  }
}

TEST(RequestLog, NoAnswerHasNoHeaders) {
  const api::Status none = api::TooManyRequests("slow down", 7);
  EXPECT_EQ(LogOf(none, 8, true).find("Response Headers:"), std::string::npos);
}

}  // namespace
}  // namespace ksim::kubectl
