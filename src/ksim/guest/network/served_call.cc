#include "ksim/guest/network/served_call.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "ksim/apiserver/doors/http/chunked_body.h"

namespace ksim::guest {
namespace {

namespace beast = boost::beast;

// Upstream reads an answer whatever its size; a guest that sends without end shall not fill the
// machine's memory.
constexpr std::size_t kMostBody = std::size_t{64} << 20;

}  // namespace

std::string ServedCall::TextOf(const apiserver::WebhookRequest& request) {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: kube-apiserver-admission\r\nContent-Length: "
      "{}\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\nConnection: "
      "close\r\n\r\n{}",
      request.method, request.path, request.host, request.body.size(), request.body);
}

void ServedCall::Receive(std::string_view bytes) {
  if (over_) return;
  bytes_.append(bytes);
  Read(false);
}

void ServedCall::End() {
  if (!over_) Read(true);
}

void ServedCall::Read(bool ended) {
  beast::http::response_parser<beast::http::empty_body> head;
  head.header_limit(std::numeric_limits<std::uint32_t>::max());
  head.body_limit(std::numeric_limits<std::uint64_t>::max());
  beast::error_code error;
  const std::size_t size = head.put(boost::asio::buffer(bytes_), error);
  if (error == beast::http::error::need_more) return;
  if ((error && error != beast::http::error::unexpected_body) || !head.is_header_done()) {
    over_ = true;  // no HTTP: whoever asked hears that the connection was lost
    reply_ = nullptr;
    return;
  }
  const std::string_view rest = std::string_view(bytes_).substr(size);
  std::string body;
  if (head.chunked()) {
    apiserver::http::ChunkedBody chunks;
    chunks.Take(rest, kMostBody, &body);
    if (!chunks.done()) return;
  } else if (const auto length = head.content_length()) {
    if (rest.size() < *length) return;
    body = rest.substr(0, *length);
  } else if (ended) {
    body = rest;
  } else {
    return;
  }
  over_ = true;
  apiserver::WebhookAnswer answer(std::move(body), head.get().result_int());
  const auto type = head.get()[beast::http::field::content_type];
  answer.content_type.assign(type.data(), type.size());
  std::exchange(reply_, nullptr)(std::move(answer));
}

}  // namespace ksim::guest
