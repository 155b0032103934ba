// Sockets: the bound of TLS's handshake, by a client that never does it.
#include "ksim/serve/sockets.h"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "ksim/base/os.h"
#include "ksim/serve/credentials.h"

namespace ksim::serve {
namespace {

namespace asio = boost::asio;
namespace http = apiserver::http;

class Counts final : public SocketUser {
 public:
  void OnOpen(std::int64_t, http::ResponseWriter&) override { ++open; }
  void OnRequest(std::int64_t, http::StreamId, http::HttpRequest) override { ++requests; }
  void OnGone(std::int64_t, http::StreamId) override {}
  void OnClose(std::int64_t) override { --open; }
  int open = 0, requests = 0;
};

TEST(Sockets, EndAClientThatDoesNotFinishTheHandshake) {
  const auto credentials = MakeServerCredentials("127.0.0.1", GivenCredentials()).value();
  const auto tls = MakeTlsServer(credentials.shown, credentials.client_authority).value();
  Counts user;
  SocketLimits limits;
  limits.handshake = Milliseconds(100);
  const auto sockets = Sockets::Listen("127.0.0.1", 0, user, limits, tls.get()).value();
  asio::io_context io;
  asio::ip::tcp::socket client(io);
  client.connect({asio::ip::make_address("127.0.0.1"), sockets->port()});
  const std::string half = MakeTlsClient(credentials.access.authority, "127.0.0.1", {})
                               .value()
                               ->Begin()
                               ->TakeOutput()
                               .substr(0, 100);
  asio::write(client, asio::buffer(half));
  const Duration begun = os::MonotonicNow();
  bool opened = false;
  do {
    sockets->Poll(Milliseconds(20));
    sockets->Flush();
    opened = opened || user.open == 1;
  } while ((!opened || user.open == 1) && os::MonotonicNow() - begun < Seconds(5));
  EXPECT_TRUE(opened);
  EXPECT_EQ(user.open, 0);
  EXPECT_EQ(user.requests, 0);
}

}  // namespace
}  // namespace ksim::serve
