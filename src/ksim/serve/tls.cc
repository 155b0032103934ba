#include "ksim/serve/tls.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "ksim/base/status.h"
#include "ksim/serve/released_by.h"

namespace ksim::serve {
namespace {

using PemText = std::unique_ptr<BIO, ReleasedBy<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, ReleasedBy<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, ReleasedBy<EVP_PKEY_free>>;
using ContextPtr = std::unique_ptr<SSL_CTX, ReleasedBy<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, ReleasedBy<SSL_free>>;

constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";

std::vector<X509Ptr> CertificatesOf(std::string_view pem) {
  std::vector<X509Ptr> all;
  const PemText text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (X509* const one = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr))
    all.emplace_back(one);
  ERR_clear_error();
  return all;
}

std::string LastError() {
  const unsigned long code = ERR_get_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection broke off" : reason;
}

absl::Status Show(SSL_CTX* context, const KeyPair& shown) {
  const std::vector<X509Ptr> chain = CertificatesOf(shown.certificate);
  if (chain.empty()) return absl::InvalidArgumentError("there is no certificate in PEM");
  const PemText text(BIO_new_mem_buf(shown.key.data(), static_cast<int>(shown.key.size())));
  const KeyPtr key(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (key == nullptr) return absl::InvalidArgumentError("there is no key in PEM");
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return absl::InvalidArgumentError(fmt::format("certificate and key: {}", LastError()));
  }
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
      return absl::InvalidArgumentError(fmt::format("certificate {}: {}", i + 1, LastError()));
  return absl::OkStatus();
}

absl::Status Trust(SSL_CTX* context, const std::string& authority) {
  const std::vector<X509Ptr> all = CertificatesOf(authority);
  if (all.empty()) return absl::InvalidArgumentError("there is no authority in PEM");
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  // Go's pools take any certificate for an authority, too.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  for (const X509Ptr& one : all) X509_STORE_add_cert(store, one.get());
  ERR_clear_error();
  return absl::OkStatus();
}

// The texts of a name's entries of one kind, in order.
std::vector<std::string> Entries(X509_NAME* name, int kind) {
  std::vector<std::string> out;
  for (int at = X509_NAME_get_index_by_NID(name, kind, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, kind, at)) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) continue;
    out.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return out;
}

bool IsPlain(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
}

// CommonNameUserConversion; the last CN, as Go's pkix.Name has it.
std::optional<Identity> IdentityOf(X509* certificate) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const std::vector<std::string> names = Entries(subject, NID_commonName);
  if (names.empty() || names.back().empty()) return std::nullopt;
  Identity identity;
  identity.user = names.back();
  identity.groups = Entries(subject, NID_organizationName);
  const bool plain = IsPlain(identity.user) &&
                     std::all_of(identity.groups.begin(), identity.groups.end(), IsPlain);
  if (!plain) return std::nullopt;
  return identity;
}

class Session final : public TlsSession {
 public:
  Session(SSL_CTX* context, const std::string& host) : ssl_(SSL_new(context)) {
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_app_data(ssl_.get(), this);
    if (host.empty()) {
      SSL_set_accept_state(ssl_.get());
      return;
    }
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1) {
      SSL_set1_host(ssl_.get(), host.c_str());
      SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
    }
    SSL_set_connect_state(ssl_.get());
    Shake();
  }

  std::string Receive(std::string_view bytes) override {
    std::string plain;
    BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    if (!established_) Shake();
    if (!established_) return plain;
    std::array<char, 16384> buffer;
    ERR_clear_error();
    for (;;) {
      const int size = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (size <= 0) {
        NoteEnd(size);
        return plain;
      }
      plain.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }

  void Send(std::string_view plain) override {
    std::size_t written = 0;
    ERR_clear_error();
    if (plain.empty() || !established_ || !error_.empty()) return;
    if (SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written) != 1) NoteEnd(0);
  }

  void End() override {
    ERR_clear_error();
    if (established_ && error_.empty()) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }

  std::string TakeOutput() override {
    BIO* const out = SSL_get_wbio(ssl_.get());
    std::string bytes(BIO_ctrl_pending(out), '\0');
    if (!bytes.empty()) BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }

  bool established() const override { return established_; }
  bool ended() const override { return ended_; }
  std::string_view error() const override { return error_; }
  const Identity* identity() const override { return identity_ ? &*identity_ : nullptr; }

  // Takes any certificate in the handshake, and remembers whether it was good (x509.go
  // AuthenticateRequest: a bad one is no identity, and no end of the connection).
  static int OnVerify(int good, X509_STORE_CTX* store) {
    auto* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    if (good != 1) static_cast<Session*>(SSL_get_app_data(ssl))->verified_ = false;
    return 1;
  }

 private:
  void Shake() {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    if (done != 1) return NoteEnd(done);
    established_ = true;
    const X509Ptr certificate(SSL_get1_peer_certificate(ssl_.get()));
    if (SSL_is_server(ssl_.get()) == 1 && certificate != nullptr && verified_)
      identity_ = IdentityOf(certificate.get());
  }

  void NoteEnd(int result) {
    const int why = SSL_get_error(ssl_.get(), result);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return;
    ended_ = true;
    if (why == SSL_ERROR_ZERO_RETURN) return;
    const long verified = SSL_get_verify_result(ssl_.get());
    error_ = LastError();
    if (SSL_is_server(ssl_.get()) != 1 && verified != X509_V_OK)
      error_ = X509_verify_cert_error_string(verified);
  }

  const SslPtr ssl_;
  bool established_ = false;
  bool ended_ = false;
  bool verified_ = true;
  std::string error_;
  std::optional<Identity> identity_;
};

class OpenSsl final : public Tls {
 public:
  OpenSsl(ContextPtr context, std::string host)
      : context_(std::move(context)), host_(std::move(host)) {}
  std::unique_ptr<TlsSession> Begin() const override {
    return std::make_unique<Session>(context_.get(), host_);
  }

 private:
  const ContextPtr context_;
  const std::string host_;  // "": a server's
};

ContextPtr NewContext(const SSL_METHOD* method) {
  ContextPtr context(SSL_CTX_new(method));
  if (context == nullptr) return context;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  return context;
}

// The first protocol of ours that the client has, too; without one there is no connection.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in,
                   unsigned int in_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, kProtocols, sizeof(kProtocols) - 1, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tls>> MakeTlsServer(const KeyPair& shown,
                                                   const std::string& client_authority) {
  ContextPtr context = NewContext(TLS_server_method());
  if (context == nullptr) return absl::InternalError(LastError());
  RETURN_IF_ERROR(Show(context.get(), shown));
  SSL_CTX_set_alpn_select_cb(context.get(), ChooseProtocol, nullptr);
  if (!client_authority.empty()) {
    RETURN_IF_ERROR(Trust(context.get(), client_authority));
    for (const X509Ptr& one : CertificatesOf(client_authority))
      SSL_CTX_add_client_CA(context.get(), one.get());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, Session::OnVerify);
  }
  return std::make_unique<OpenSsl>(std::move(context), "");
}

absl::StatusOr<std::unique_ptr<Tls>> MakeTlsClient(const std::string& authority,
                                                   const std::string& host, const KeyPair& shown) {
  ContextPtr context = NewContext(TLS_client_method());
  if (context == nullptr) return absl::InternalError(LastError());
  RETURN_IF_ERROR(Trust(context.get(), authority));
  if (!shown.empty()) RETURN_IF_ERROR(Show(context.get(), shown));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return std::make_unique<OpenSsl>(std::move(context), host);
}

}  // namespace ksim::serve
