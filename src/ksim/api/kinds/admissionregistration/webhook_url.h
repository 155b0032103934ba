// WebhookUrl: the parts of clientConfig.url of a webhook.
//
// Source: net/url Parse, as far as URLs of webhooks go.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

struct WebhookUrl {
  WebhookUrl() = default;
  explicit WebhookUrl(std::string_view text);
  std::string scheme;
  std::string user;  // user information before the '@'
  std::string host;  // with its port, if it names one: "example.com:8443", "[::1]:443"
  std::string path;
  std::string query, fragment;
  std::string problem;  // why the text is no URL, in Go's words; "" for a good one

  std::string HostName() const;  // without the port and brackets
  int Port() const;              // 443 if none is named

 private:
  void Parse(std::string_view text);
};

}  // namespace ksim::api
