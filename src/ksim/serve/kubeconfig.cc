#include "ksim/serve/kubeconfig.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "ksim/base/status.h"
#include "ksim/value/base64.h"
#include "ksim/value/yaml.h"

namespace ksim::serve {
namespace {

using value::Value;

// The item of a list of {name, KEY: {...}} that has the name; null without one.
Value Named(const Value& list, std::string_view name, std::string_view key) {
  for (const Value& item : list.items())
    if (item.Get("name").AsString() == name) return item.Get(key);
  return Value();
}

// A field of binary data; "" without it.
absl::StatusOr<std::string> DataOf(const Value& object, std::string_view field) {
  std::optional<std::string> data = value::Unbase64(object.Get(field).AsString());
  if (!data) return absl::InvalidArgumentError(fmt::format("{} is no base64", field));
  return *std::move(data);
}

std::string Line(std::string_view field, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("    {}: {}\n", field, text);
}

}  // namespace

std::string KubeconfigFor(const Access& access) {
  // Quoted: a token may look like a number.
  const std::string token = access.token.empty() ? "" : fmt::format("\"{}\"", access.token);
  std::string user = Line("client-certificate-data", value::Base64(access.client.certificate)) +
                     Line("client-key-data", value::Base64(access.client.key)) +
                     Line("token", token);
  user = user.empty() ? "  user: {}\n" : "  user:\n" + user;
  // Without TLS there is nothing to verify, but the JavaScript client wants that said.
  const std::string trust = access.authority.empty() ? Line("insecure-skip-tls-verify", "true")
                                                     : Line("certificate-authority-data",
                                                            value::Base64(access.authority));
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: ksim\n"
      "  cluster:\n"
      "{}"
      "    server: {}\n"
      "users:\n"
      "- name: ksim\n"
      "{}"
      "contexts:\n"
      "- name: ksim\n"
      "  context:\n"
      "    cluster: ksim\n"
      "    user: ksim\n"
      "current-context: ksim\n",
      trust, access.server, user);
}

absl::StatusOr<Access> AccessOfKubeconfig(std::string_view text) {
  const value::YamlFile file = value::ParseYaml(text, "kubeconfig");
  if (!file.errors.empty()) return absl::InvalidArgumentError(file.errors.front().message);
  if (file.documents.empty()) return absl::InvalidArgumentError("there is nothing in it");
  const Value config = file.documents.front().ToValue();
  const Value context =
      Named(config.Get("contexts"), config.Get("current-context").AsString(), "context");
  const Value cluster = Named(config.Get("clusters"), context.Get("cluster").AsString(), "cluster");
  const Value user = Named(config.Get("users"), context.Get("user").AsString(), "user");
  Access access;
  access.server = cluster.Get("server").AsString();
  if (access.server.empty())
    return absl::InvalidArgumentError("its current context names no cluster with a server");
  ASSIGN_OR_RETURN(access.authority, DataOf(cluster, "certificate-authority-data"));
  ASSIGN_OR_RETURN(access.client.certificate, DataOf(user, "client-certificate-data"));
  ASSIGN_OR_RETURN(access.client.key, DataOf(user, "client-key-data"));
  access.token = user.Get("token").AsString();
  if (access.server.starts_with("https://") && access.authority.empty())
    return absl::InvalidArgumentError(
        "its cluster has no certificate-authority-data, as ksim serve writes it");
  return access;
}

}  // namespace ksim::serve
