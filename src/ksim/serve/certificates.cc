#include "ksim/serve/certificates.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "ksim/base/status.h"
#include "ksim/serve/released_by.h"

namespace ksim::serve {
namespace {

constexpr long kBackdated = -5 * 60;         // seconds: clocks differ (CertificateValidity)
constexpr long kValid = 365 * 24 * 60 * 60;  // seconds

using Key = std::unique_ptr<EVP_PKEY, ReleasedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, ReleasedBy<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, ReleasedBy<X509_EXTENSION_free>>;
using Bytes = std::unique_ptr<BIO, ReleasedBy<BIO_free>>;

absl::Status Failed(std::string_view what) {
  return absl::InternalError(fmt::format("OpenSSL could not {}", what));
}

Bytes Reading(std::string_view text) {
  return Bytes(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes, &data);
  return {data, static_cast<std::size_t>(size)};
}

absl::StatusOr<KeyPair> PairOf(X509* certificate, EVP_PKEY* key) {
  const Bytes certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Failed("write a certificate");
  }
  KeyPair pair;
  pair.certificate = TextOf(certificate_text.get());
  pair.key = TextOf(key_text.get());
  return pair;
}

bool AddEntry(X509_NAME* name, const char* field, const std::string& text) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

// A certificate for `key` with what all have, unsigned.
Certificate Begin(EVP_PKEY* key, const Subject& subject) {
  Certificate certificate(X509_new());
  std::uint64_t serial = 0;
  if (certificate == nullptr ||
      RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial)) != 1) {
    return nullptr;
  }
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  bool good = X509_set_version(certificate.get(), 2) == 1 &&
              ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1) == 1 &&
              X509_gmtime_adj(X509_getm_notBefore(certificate.get()), kBackdated) != nullptr &&
              X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kValid) != nullptr &&
              X509_set_pubkey(certificate.get(), key) == 1;
  for (const std::string& o : subject.organizations) good = good && AddEntry(name, "O", o);
  good = good && AddEntry(name, "CN", subject.name);
  return good ? std::move(certificate) : nullptr;
}

struct Addition {
  int id;
  std::string text;
};

// Adds the extensions and signs.
bool Complete(X509* certificate, X509* issuer, EVP_PKEY* issuer_key,
              const std::vector<Addition>& additions) {
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1) return false;
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  for (const Addition& a : additions) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, a.id, a.text.c_str()));
    if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) return false;
  }
  return X509_sign(certificate, issuer_key, EVP_sha256()) > 0;
}

std::string AlternativeNames(const Subject& subject) {
  std::string out;
  for (const std::string& name : subject.dns_names)
    out += fmt::format("{}DNS:{}", out.empty() ? "" : ",", name);
  for (const std::string& address : subject.addresses)
    out += fmt::format("{}IP:{}", out.empty() ? "" : ",", address);
  return out;
}

}  // namespace

absl::StatusOr<KeyPair> MakeAuthority(std::string_view name) {
  Subject subject;
  subject.name = name;
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = key == nullptr ? nullptr : Begin(key.get(), subject);
  if (certificate == nullptr ||
      !Complete(certificate.get(), certificate.get(), key.get(),
                {{NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign"},
                 {NID_basic_constraints, "critical,CA:TRUE"},
                 {NID_subject_key_identifier, "hash"}})) {
    return Failed("make an authority");
  }
  return PairOf(certificate.get(), key.get());
}

absl::StatusOr<KeyPair> MakeCertificate(const KeyPair& authority, const Subject& subject) {
  const Bytes issuer_text = Reading(authority.certificate), key_text = Reading(authority.key);
  const Certificate issuer(PEM_read_bio_X509(issuer_text.get(), nullptr, nullptr, nullptr));
  const Key issuer_key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = key == nullptr ? nullptr : Begin(key.get(), subject);
  std::vector<Addition> additions = {
      {NID_key_usage, "critical,digitalSignature,keyEncipherment"},
      {NID_ext_key_usage, subject.is_server() ? "serverAuth" : "clientAuth"},
      {NID_basic_constraints, "critical,CA:FALSE"},
      {NID_authority_key_identifier, "keyid"}};
  if (subject.is_server()) additions.push_back({NID_subject_alt_name, AlternativeNames(subject)});
  if (issuer == nullptr || issuer_key == nullptr || certificate == nullptr ||
      !Complete(certificate.get(), issuer.get(), issuer_key.get(), additions)) {
    return Failed(fmt::format("make a certificate for {}", subject.name));
  }
  return PairOf(certificate.get(), key.get());
}

absl::StatusOr<std::string> MakeToken() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return Failed("draw a token");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace ksim::serve
