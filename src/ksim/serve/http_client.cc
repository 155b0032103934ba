#include "ksim/serve/http_client.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <charconv>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "ksim/base/status.h"
#include "ksim/serve/tls.h"

namespace ksim::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

struct Place {
  bool secure = false;
  std::string host;
  tcp::endpoint endpoint;
};

absl::StatusOr<Place> PlaceOf(std::string_view server) {
  const auto bad = [server] {
    return absl::InvalidArgumentError(fmt::format(
        "\"{}\" is not http://ADDRESS:PORT or https://ADDRESS:PORT, as ksim serve says it",
        server));
  };
  constexpr std::string_view kPlain = "http://", kSecure = "https://";
  Place place;
  place.secure = server.starts_with(kSecure);
  if (!place.secure && !server.starts_with(kPlain)) return bad();
  std::string_view rest = server;
  rest.remove_prefix(place.secure ? kSecure.size() : kPlain.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return bad();
  std::uint16_t port = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stopped, error] = std::from_chars(rest.data() + colon + 1, end, port);
  place.host = rest.substr(0, colon);
  if (place.host == "localhost") place.host = "127.0.0.1";
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  error_code no_address;
  const asio::ip::address address = asio::ip::make_address(place.host, no_address);
  if (error != std::errc() || stopped != end || no_address) return bad();
  place.endpoint = tcp::endpoint(address, port);
  return place;
}

std::string TextOf(const Access& access, const Place& place, std::string_view method,
                   std::string_view path, const std::string& body) {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ksim\r\nConnection: close\r\n"
      "{}Content-Length: {}\r\n\r\n{}",
      method, path, place.secure ? place.host : "localhost",
      access.token.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", access.token),
      body.size(), body);
}

// A connection that waits, with TLS or without.
class Line {
 public:
  Line(tcp::socket& socket, std::unique_ptr<TlsSession> session)
      : socket_(socket), session_(std::move(session)) {}

  // The plain text that comes next, perhaps none. An error of TLS is `said`.
  std::string Read(error_code& error, std::string* said) {
    Write("", error);
    if (error) return {};
    const std::size_t size = socket_.read_some(asio::buffer(buffer_), error);
    if (error) return {};
    if (session_ == nullptr) return {buffer_.data(), size};
    std::string plain = session_->Receive({buffer_.data(), size});
    *said = session_->error();
    if (session_->ended() && plain.empty()) error = asio::error::eof;
    error_code ignored;
    Write("", ignored);
    return plain;
  }

  void Write(std::string_view plain, error_code& error) {
    std::string bytes(plain);
    if (session_ != nullptr) {
      session_->Send(plain);
      bytes = session_->TakeOutput();
    }
    if (!bytes.empty()) asio::write(socket_, asio::buffer(bytes), error);
  }

  bool ready() const { return session_ == nullptr || session_->established(); }

 private:
  tcp::socket& socket_;
  const std::unique_ptr<TlsSession> session_;
  std::array<char, 16384> buffer_;
};

}  // namespace

absl::StatusOr<HttpAnswer> Ask(const Access& access, std::string_view method, std::string_view path,
                               std::string body) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(access.server));
  std::unique_ptr<TlsSession> session;
  if (place.secure) {
    ASSIGN_OR_RETURN(const std::unique_ptr<Tls> tls,
                     MakeTlsClient(access.authority, place.host, access.client));
    session = tls->Begin();
  }
  asio::io_context io;
  tcp::socket socket(io);
  error_code error;
  std::string said;
  socket.connect(place.endpoint, error);
  Line line(socket, std::move(session));
  while (!error && said.empty() && !line.ready()) line.Read(error, &said);
  if (!error && said.empty()) line.Write(TextOf(access, place, method, path, body), error);
  beast::http::response_parser<beast::http::string_body> parser;
  parser.eager(true);
  parser.body_limit(std::numeric_limits<std::uint32_t>::max());
  std::string bytes;
  while (!error && said.empty() && !parser.is_done()) {
    bytes += line.Read(error, &said);
    const bool end = error == asio::error::eof;
    if (end) error = {};
    if (!error && !bytes.empty()) {
      bytes.erase(0, parser.put(asio::buffer(bytes), error));
      if (error == beast::http::error::need_more) error = {};
    }
    if (!error && end && !parser.is_done()) parser.put_eof(error);
    if (end) break;
  }
  if (error || !said.empty() || !parser.is_done()) {
    return absl::UnavailableError(fmt::format("{}: {}", access.server,
                                              !said.empty() ? said
                                              : error       ? error.message()
                                                            : "no whole answer"));
  }
  HttpAnswer answer;
  answer.code = static_cast<int>(parser.get().result_int());
  answer.body = std::move(parser.get().body());
  return answer;
}

}  // namespace ksim::serve
