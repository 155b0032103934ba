#include "ksim/serve/tls_connection.h"

#include <algorithm>

namespace ksim::serve {
namespace {

constexpr std::size_t kRecordHead = 5;

// tlsRecordHeaderLooksLikeHTTP
bool LooksLikeHttp(std::string_view head) {
  constexpr std::string_view kBeginnings[] = {"GET /", "HEAD ", "POST ", "PUT /", "OPTIO"};
  return std::find(std::begin(kBeginnings), std::end(kBeginnings), head) != std::end(kBeginnings);
}

// The first record is a handshake or an alert, of a version that can be (crypto/tls conn.go
// readRecordOrCCS).
bool LooksLikeTls(std::string_view head) {
  constexpr char kAlert = 21, kHandshake = 22;
  return (head[0] == kHandshake || head[0] == kAlert) && static_cast<unsigned char>(head[1]) < 0x10;
}

}  // namespace

bool TlsConnection::RefuseWhatIsNoTls(std::string_view bytes) {
  if (begun_) return false;
  first_ += bytes;
  if (first_.size() < kRecordHead) return true;  // not yet known
  const std::string_view head = std::string_view(first_).substr(0, kRecordHead);
  begun_ = LooksLikeTls(head);
  if (begun_) return false;
  ended_ = true;
  if (LooksLikeHttp(head)) {
    refusal_ =
        "HTTP/1.0 400 Bad Request\r\n\r\n"
        "Client sent an HTTP request to an HTTPS server.\n";
  }
  return true;
}

void TlsConnection::Receive(std::string_view bytes) {
  if (ended_ || RefuseWhatIsNoTls(bytes)) return;
  const std::string first = std::exchange(first_, {});
  const std::string plain = session_->Receive(first.empty() ? bytes : std::string_view(first));
  if (!plain.empty()) inner_->Receive(plain);
  if (!session_->ended()) return;
  ended_ = true;
  inner_->Close();
}

std::string TlsConnection::TakeOutput() {
  if (!refusal_.empty()) return std::exchange(refusal_, {});
  if (const std::string plain = inner_->TakeOutput(); !plain.empty()) session_->Send(plain);
  if (inner_->closed() || ended_) session_->End();
  return session_->TakeOutput();
}

}  // namespace ksim::serve
