// ClientGoLines: an exchange with an API server as client-go's debugging round tripper logs it, in
// the words of each version: up to 1.30 lines of text, in 1.36 names and values.
//
// Sources: client-go transport/round_trippers.go debuggingRoundTripper, rest/request.go glogBody
// and logBody; klog v2 internal/serialize/keyvalues.go.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/kubectl/profile.h"

namespace ksim::kubectl {

// A request and its answer. Headers are in the order of their names.
struct HttpExchange {
  HttpExchange() = default;
  using Fields = std::vector<std::pair<std::string, std::string>>;
  std::string method, url;
  std::string caller;  // FILE:LINE that asks, of whom 1.36 says that it has the bodies
  Fields request, response;
  std::string sent, answer;  // bodies, with the newline that an encoder ends them with; "": none
  int code = 0;              // 0: no answer
  std::int64_t milliseconds = 0;
};

class ClientGoLines {
 public:
  // Takes a line: FILE:LINE that prints it, and the text, which may have several lines.
  using Print = std::function<void(std::string_view place, std::string_view text)>;

  ClientGoLines(api::Compat compat, int level, Print print)
      : profile_(ProfileOf(compat)), level_(level), print_(std::move(print)) {}

  void Request(const HttpExchange& x) const;
  // The connection is made with a process's first request: the server's name, and its address.
  void Connection(std::string_view server, std::string_view address) const;
  // `kept`: the connection was there before.
  void Response(const HttpExchange& x, bool kept) const;

 private:
  void TextRequest(const HttpExchange& x) const;
  void TextResponse(const HttpExchange& x, bool kept) const;
  void StructuredRequest(const HttpExchange& x) const;
  void StructuredResponse(const HttpExchange& x, bool kept) const;
  void Body(const HttpExchange& x, std::string_view name, const std::string& body) const;

  const Profile& profile_;
  int level_;
  Print print_;
};

}  // namespace ksim::kubectl
