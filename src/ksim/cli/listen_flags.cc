#include "ksim/cli/listen_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"

namespace ksim::cli {
namespace {

bool IsAnyAddress(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

// The file's contents; nothing, and an error printed, if it cannot be read.
bool ReadPem(Io& io, std::string_view flag, const std::string& file, std::string* out) {
  if (file.empty()) return true;
  absl::StatusOr<std::string> text = os::ReadFile(file);
  if (!text.ok()) {
    Refuse(io, flag, fmt::format("{}: {}", file, Message(text.status())));
    return false;
  }
  if (text->find("-----BEGIN") == text->npos) {
    Refuse(io, flag, fmt::format("{} is not in PEM", file),
           "-----BEGIN CERTIFICATE----- or a PRIVATE KEY");
    return false;
  }
  *out = *std::move(text);
  return true;
}

}  // namespace

void AddListenFlags(FlagSet& set, ListenFlags& flags) {
  set.Add("--listen", &flags.listen,
          "Where; default 127.0.0.1:0, any port that is free. With TLS unless on the loopback")
      .Type("ADDRESS:PORT");
  set.Add("--tls", &flags.tls,
          "TLS on the loopback, too: clients show a certificate or a token, as the kubeconfig has "
          "them");
  set.Add("--tls-cert-file", &flags.certificate,
          "The server's certificate; default one that it makes for itself")
      .Type("FILE")
      .NotEmpty("file");
  set.Add("--tls-private-key-file", &flags.key, "Its key").Type("FILE").NotEmpty("file");
  set.Add("--client-ca-file", &flags.client_authority,
          "Who signs clients' certificates; default the server itself")
      .Type("FILE")
      .NotEmpty("file");
}

bool ReadCredentials(Io& io, const ListenFlags& flags, serve::ServerOptions* options) {
  if (flags.certificate.empty() != flags.key.empty()) {
    Refuse(io, flags.key.empty() ? "--tls-cert-file" : "--tls-private-key-file",
           "certificate and key go together", "--tls-cert-file FILE --tls-private-key-file FILE");
    return false;
  }
  serve::GivenCredentials given;
  if (!ReadPem(io, "--tls-cert-file", flags.certificate, &given.shown.certificate) ||
      !ReadPem(io, "--tls-private-key-file", flags.key, &given.shown.key) ||
      !ReadPem(io, "--client-ca-file", flags.client_authority, &given.client_authority)) {
    return false;
  }
  auto credentials = serve::MakeServerCredentials(options->host, given);
  if (!credentials.ok()) {
    Refuse(io, "--tls", Message(credentials.status()));
    return false;
  }
  options->credentials = *std::move(credentials);
  return true;
}

bool ReadListenFlags(Io& io, const ListenFlags& flags, serve::ServerOptions* options) {
  const std::string& text = flags.listen;
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == text.npos ? 0 : colon);
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(
      text.data() + (colon == text.npos ? text.size() : colon + 1), end, options->port);
  if (host.empty() || error != std::errc() || stopped != end) {
    Refuse(io, "--listen", fmt::format("\"{}\" is not ADDRESS:PORT", text), "127.0.0.1:8080");
    return false;
  }
  options->host = host;
  const bool loopback = host.starts_with("127.") || host == "::1";
  const bool files =
      !flags.certificate.empty() || !flags.key.empty() || !flags.client_authority.empty();
  return (loopback && !flags.tls && !files) || ReadCredentials(io, flags, options);
}

std::string UrlOf(const serve::ServerOptions& options, std::uint16_t port) {
  std::string host = options.host;
  if (IsAnyAddress(host)) {
    const std::vector<std::string> addresses = os::HostAddresses();
    host = addresses.empty() ? "127.0.0.1" : addresses.front();
  }
  const bool v6 = host.find(':') != host.npos;
  return fmt::format("{}://{}{}{}:{}", options.credentials ? "https" : "http", v6 ? "[" : "", host,
                     v6 ? "]" : "", port);
}

int Refuse(Io& io, std::string_view place, std::string_view message, std::string_view hint) {
  io.Err(fmt::format("{}: {} {}\n", place, Paint(io.err_color(), "1;31", "error:"), message));
  if (!hint.empty()) io.Err(fmt::format("hint: {}\n", hint));
  return kInvalid;
}

}  // namespace ksim::cli
