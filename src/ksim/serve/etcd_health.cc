#include "ksim/serve/etcd_health.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/base/status.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;

http::HttpResponse AnswerTo(const http::HttpRequest& request) {
  const std::optional<http::Url> url = http::ParseTarget(request.target);
  http::HttpResponse response;
  response.headers.Add("Content-Type", "application/json");
  if (url && url->path == "/health") {
    response.body = R"({"health":"true","reason":""})";
  } else if (url && url->path == "/version") {
    response.body = fmt::format(R"({{"etcdserver":"{}","etcdcluster":"3.5.0"}})", kEtcdVersion);
  } else {
    return http::PageNotFound();
  }
  return response;
}

}  // namespace

absl::StatusOr<std::unique_ptr<EtcdHealth>> EtcdHealth::Listen(const std::string& host,
                                                               std::uint16_t port) {
  std::unique_ptr<EtcdHealth> etcd(new EtcdHealth);
  ASSIGN_OR_RETURN(etcd->sockets_, Sockets::Listen(host, port, *etcd, SocketLimits(), nullptr));
  return etcd;
}

void EtcdHealth::Run(const std::function<bool()>& stop) {
  constexpr Duration kLongestWait = Milliseconds(50);
  while (!stop()) {
    sockets_->Poll(kLongestWait);
    sockets_->Flush();
  }
  sockets_->Close(Duration());
}

void EtcdHealth::OnOpen(std::int64_t connection, http::ResponseWriter& writer) {
  writers_[connection] = &writer;
}

void EtcdHealth::OnRequest(std::int64_t connection, http::StreamId stream,
                           http::HttpRequest request) {
  writers_.at(connection)->Respond(stream, AnswerTo(request));
}

}  // namespace ksim::serve
