#include "ksim/serve/kubeconfig.h"

#include <fmt/format.h>

#include "absl/status/status.h"
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

}  // namespace

std::string KubeconfigFor(std::string_view server_url) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: ksim\n"
      "  cluster:\n"
      "    server: {}\n"
      "users:\n"
      "- name: ksim\n"
      "  user: {{}}\n"
      "contexts:\n"
      "- name: ksim\n"
      "  context:\n"
      "    cluster: ksim\n"
      "    user: ksim\n"
      "current-context: ksim\n",
      server_url);
}

absl::StatusOr<std::string> ServerOfKubeconfig(std::string_view text) {
  const value::YamlFile file = value::ParseYaml(text, "kubeconfig");
  if (!file.errors.empty()) return absl::InvalidArgumentError(file.errors.front().message);
  if (file.documents.empty()) return absl::InvalidArgumentError("there is nothing in it");
  const Value config = file.documents.front().ToValue();
  const Value context =
      Named(config.Get("contexts"), config.Get("current-context").AsString(), "context");
  const Value cluster = Named(config.Get("clusters"), context.Get("cluster").AsString(), "cluster");
  const std::string_view server = cluster.Get("server").AsString();
  if (server.empty())
    return absl::InvalidArgumentError("its current context names no cluster with a server");
  return std::string(server);
}

}  // namespace ksim::serve
