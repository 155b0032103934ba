// The flags that say where a server listens, and how its clients and it know one another.
#pragma once
#include <string>
#include <string_view>

#include "ksim/cli/flags.h"
#include "ksim/cli/io.h"
#include "ksim/serve/server.h"

namespace ksim::cli {

struct ListenFlags {
  std::string listen = "127.0.0.1:0";
  bool tls = false;
  std::string certificate, key, client_authority;  // files
};

void AddListenFlags(FlagSet& set, ListenFlags& flags);
// Where and how a server with these flags is to listen. False, and an error printed, for flags that
// cannot be: every address but the loopback's has TLS.
bool ReadListenFlags(Io& io, const ListenFlags& flags, serve::ServerOptions* options);
// The same of a place that is known already, with TLS: the files' credentials, and those that the
// server makes for itself.
bool ReadCredentials(Io& io, const ListenFlags& flags, serve::ServerOptions* options);

// The URL by which clients reach a server that listens on `port`.
std::string UrlOf(const serve::ServerOptions& options, std::uint16_t port);

// Prints `PLACE: error: MESSAGE` and the hint; kInvalid.
int Refuse(Io& io, std::string_view place, std::string_view message, std::string_view hint = {});

}  // namespace ksim::cli
