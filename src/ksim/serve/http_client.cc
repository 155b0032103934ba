#include "ksim/serve/http_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "ksim/base/status.h"

namespace ksim::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::string_view kScheme = "http://";

absl::StatusOr<tcp::endpoint> EndpointOf(std::string_view server) {
  const auto bad = [server] {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is not http://ADDRESS:PORT, as ksim serve says it", server));
  };
  std::string_view rest = server;
  if (!rest.starts_with(kScheme)) return bad();
  rest.remove_prefix(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return bad();
  std::uint16_t port = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stopped, error] = std::from_chars(rest.data() + colon + 1, end, port);
  std::string host(rest.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code no_address;
  const asio::ip::address address = asio::ip::make_address(host, no_address);
  if (error != std::errc() || stopped != end || no_address) return bad();
  return tcp::endpoint(address, port);
}

}  // namespace

absl::StatusOr<HttpAnswer> Ask(std::string_view server, std::string_view method,
                               std::string_view path, std::string body) {
  ASSIGN_OR_RETURN(const tcp::endpoint endpoint, EndpointOf(server));
  asio::io_context io;
  tcp::socket socket(io);
  error_code error;
  socket.connect(endpoint, error);
  beast::http::request<beast::http::string_body> request;
  request.method_string({method.data(), method.size()});
  request.target({path.data(), path.size()});
  request.version(11);
  request.set(beast::http::field::host, "localhost");
  request.set(beast::http::field::user_agent, "ksim");
  request.set(beast::http::field::connection, "close");
  request.body() = std::move(body);
  request.prepare_payload();
  if (!error) beast::http::write(socket, request, error);
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(std::numeric_limits<std::uint32_t>::max());
  if (!error) beast::http::read(socket, buffer, parser, error);
  if (error) return absl::UnavailableError(fmt::format("{}: {}", server, error.message()));
  HttpAnswer answer;
  answer.code = static_cast<int>(parser.get().result_int());
  answer.body = std::move(parser.get().body());
  return answer;
}

}  // namespace ksim::serve
