#include "ksim/guest/network/served_call.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace ksim::guest {
namespace {

// An API server's side of a call: the answer that it hears.
struct Heard {
  Heard() = default;
  std::string text = "nothing";
};

// A reply that writes into `heard`, also that it was dropped.
apiserver::WebhookServer::Reply Into(Heard& heard) {
  struct Drop {
    explicit Drop(Heard& h) : heard(h) {}
    ~Drop() {
      if (heard.text == "nothing") heard.text = "lost";
    }
    Heard& heard;
  };
  return [drop = std::make_unique<Drop>(heard)](apiserver::WebhookAnswer answer) {
    drop->heard.text =
        std::to_string(answer.status) + " " + answer.content_type + " " + answer.body;
  };
}

// The text that is heard when an answer comes byte by byte, and the connection ends or not.
std::string Hear(std::string_view bytes, bool ends = false) {
  Heard heard;
  ServedCall call(Into(heard));
  for (const char c : bytes) call.Receive(std::string_view(&c, 1));
  if (ends) call.End();
  return heard.text;
}

TEST(ServedCall, SendsARequestThatGoReads) {
  apiserver::WebhookRequest request;
  request.path = "/validate?timeout=10s";
  request.host = "hooks.default.svc:443";
  request.body = "{}";
  EXPECT_EQ(ServedCall::TextOf(request),
            "POST /validate?timeout=10s HTTP/1.1\r\nHost: hooks.default.svc:443\r\n"
            "User-Agent: kube-apiserver-admission\r\nContent-Length: 2\r\n"
            "Accept: application/json, */*\r\nContent-Type: application/json\r\n"
            "Connection: close\r\n\r\n{}");
}

TEST(ServedCall, AnAnswerIsGivenOnceItIsWhole) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  EXPECT_EQ(Hear(head + "Content-Length: 2\r\n\r\n{"), "nothing");
  EXPECT_EQ(Hear(head + "Content-Length: 2\r\n\r\n{}"), "200 application/json {}");
  EXPECT_EQ(Hear(head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n"), "nothing");
  EXPECT_EQ(Hear(head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"),
            "200 application/json {}");
  EXPECT_EQ(Hear(head + "Connection: close\r\n\r\n{}"), "nothing");
  EXPECT_EQ(Hear(head + "Connection: close\r\n\r\n{}", true), "200 application/json {}");
  EXPECT_EQ(Hear("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "404  ");
}

TEST(ServedCall, WhatIsNoAnswerIsALostConnection) {
  EXPECT_EQ(Hear("SSH-2.0-OpenSSH\r\n"), "lost");
  Heard heard;
  {
    ServedCall call(Into(heard));
    call.Receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
    call.End();
    EXPECT_EQ(heard.text, "nothing");
  }
  EXPECT_EQ(heard.text, "lost") << "its guest is gone";
}

}  // namespace
}  // namespace ksim::guest
