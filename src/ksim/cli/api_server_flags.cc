#include "ksim/cli/api_server_flags.h"

#include <algorithm>

#include "fmt/format.h"
#include "ksim/base/diagnostic.h"

namespace ksim::cli {
namespace {

// The flags of `kube-apiserver --help` of 1.30.14 and 1.36.3.
constexpr std::string_view kWithValue[] = {
    "admission-control",
    "admission-control-config-file",
    "advertise-address",
    "allow-metric-labels",
    "allow-metric-labels-manifest",
    "api-audiences",
    "audit-log-batch-buffer-size",
    "audit-log-batch-max-size",
    "audit-log-batch-max-wait",
    "audit-log-batch-throttle-burst",
    "audit-log-batch-throttle-qps",
    "audit-log-format",
    "audit-log-maxage",
    "audit-log-maxbackup",
    "audit-log-maxsize",
    "audit-log-mode",
    "audit-log-path",
    "audit-log-truncate-max-batch-size",
    "audit-log-truncate-max-event-size",
    "audit-log-version",
    "audit-policy-file",
    "audit-webhook-batch-buffer-size",
    "audit-webhook-batch-max-size",
    "audit-webhook-batch-max-wait",
    "audit-webhook-batch-throttle-burst",
    "audit-webhook-batch-throttle-qps",
    "audit-webhook-config-file",
    "audit-webhook-initial-backoff",
    "audit-webhook-mode",
    "audit-webhook-truncate-max-batch-size",
    "audit-webhook-truncate-max-event-size",
    "audit-webhook-version",
    "authentication-config",
    "authentication-token-webhook-cache-ttl",
    "authentication-token-webhook-config-file",
    "authentication-token-webhook-version",
    "authorization-config",
    "authorization-mode",
    "authorization-policy-file",
    "authorization-webhook-cache-authorized-ttl",
    "authorization-webhook-cache-unauthorized-ttl",
    "authorization-webhook-config-file",
    "authorization-webhook-version",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "cloud-provider-gce-l7lb-src-cidrs",
    "coordinated-leadership-lease-duration",
    "coordinated-leadership-renew-deadline",
    "coordinated-leadership-retry-period",
    "cors-allowed-origins",
    "debug-socket-path",
    "default-not-ready-toleration-seconds",
    "default-unreachable-toleration-seconds",
    "delete-collection-workers",
    "disable-admission-plugins",
    "disabled-metrics",
    "egress-selector-config-file",
    "emulated-version",
    "enable-admission-plugins",
    "encryption-provider-config",
    "endpoint-reconciler-type",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-compaction-interval",
    "etcd-count-metric-poll-period",
    "etcd-db-metric-poll-interval",
    "etcd-healthcheck-timeout",
    "etcd-keyfile",
    "etcd-prefix",
    "etcd-readycheck-timeout",
    "etcd-servers",
    "etcd-servers-overrides",
    "event-ttl",
    "external-hostname",
    "feature-gates",
    "goaway-chance",
    "http2-max-streams-per-connection",
    "kubelet-certificate-authority",
    "kubelet-client-certificate",
    "kubelet-client-key",
    "kubelet-preferred-address-types",
    "kubelet-timeout",
    "kubernetes-service-node-port",
    "lease-reuse-duration-seconds",
    "livez-grace-period",
    "log-flush-frequency",
    "log-json-info-buffer-size",
    "log-text-info-buffer-size",
    "logging-format",
    "max-connection-bytes-per-sec",
    "max-mutating-requests-inflight",
    "max-requests-inflight",
    "min-compatibility-version",
    "min-request-timeout",
    "oidc-ca-file",
    "oidc-client-id",
    "oidc-groups-claim",
    "oidc-groups-prefix",
    "oidc-issuer-url",
    "oidc-required-claim",
    "oidc-signing-algs",
    "oidc-username-claim",
    "oidc-username-prefix",
    "peer-advertise-ip",
    "peer-advertise-port",
    "peer-ca-file",
    "proxy-client-cert-file",
    "proxy-client-key-file",
    "request-timeout",
    "requestheader-allowed-names",
    "requestheader-client-ca-file",
    "requestheader-extra-headers-prefix",
    "requestheader-group-headers",
    "requestheader-uid-headers",
    "requestheader-username-headers",
    "runtime-config",
    "secure-port",
    "service-account-issuer",
    "service-account-jwks-uri",
    "service-account-key-file",
    "service-account-max-token-expiration",
    "service-account-signing-endpoint",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "service-node-port-range",
    "show-hidden-metrics-for-version",
    "shutdown-delay-duration",
    "shutdown-watch-termination-grace-period",
    "storage-backend",
    "storage-initialization-timeout",
    "storage-media-type",
    "strict-transport-security-directives",
    "tls-cert-file",
    "tls-cipher-suites",
    "tls-curve-preferences",
    "tls-min-version",
    "tls-private-key-file",
    "tls-sni-cert-key",
    "token-auth-file",
    "tracing-config-file",
    "v",
    "vmodule",
    "watch-cache-sizes",
};
constexpr std::string_view kSwitches[] = {
    "aggregator-reject-forwarding-redirect",
    "allow-privileged",
    "anonymous-auth",
    "audit-log-batch-throttle-enable",
    "audit-log-compress",
    "audit-log-truncate-enabled",
    "audit-webhook-batch-throttle-enable",
    "audit-webhook-truncate-enabled",
    "contention-profiling",
    "disable-http2-serving",
    "emulation-forward-compatible",
    "enable-aggregator-routing",
    "enable-bootstrap-token-auth",
    "enable-garbage-collector",
    "enable-logs-handler",
    "enable-priority-and-fairness",
    "encryption-provider-config-automatic-reload",
    "log-json-split-stream",
    "log-text-split-stream",
    "permit-address-sharing",
    "permit-port-sharing",
    "profiling",
    "runtime-config-emulation-forward-compatible",
    "service-account-extend-token-expiration",
    "service-account-lookup",
    "shutdown-send-retry-after",
    "version",
    "watch-cache",
};

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsBool(std::string_view text) {
  constexpr std::string_view kBools[] = {"1",    "0",     "t",    "f",     "T",    "F",
                                         "true", "false", "TRUE", "FALSE", "True", "False"};
  return Has(kBools, text);
}

}  // namespace

std::span<const std::string_view> ApiServerFlagsWithValue() { return kWithValue; }
std::span<const std::string_view> ApiServerSwitches() { return kSwitches; }

std::string ApiServerArguments::Get(std::string_view name) const {
  std::string out;
  for (const auto& [known, value] : flags)
    if (known == name) out = value;
  return out;
}

bool ApiServerArguments::Has(std::string_view name) const {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const auto& flag) { return flag.first == name; });
}

ApiServerArguments ParseApiServerArguments(std::span<const std::string> args) {
  ApiServerArguments out;
  const auto fail = [&out](std::string error, std::string hint = "") {
    out.error = std::move(error);
    out.hint = std::move(hint);
    return out;
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string_view word = args[i];
    if (!word.starts_with('-')) return fail(fmt::format("unknown argument \"{}\"", word));
    const std::size_t dashes = word.starts_with("--") ? 2 : 1;
    const std::size_t equals = word.find('=');
    std::string name(word.substr(dashes, equals == word.npos ? word.npos : equals - dashes));
    if (dashes == 1 && name == "h") name = "help";
    if (dashes == 1 && name != "help" && name != "v")
      return fail(fmt::format("unknown shorthand flag: {}", word));
    const bool is_switch = name == "help" || ksim::cli::Has(kSwitches, name);
    if (!is_switch && !ksim::cli::Has(kWithValue, name)) {
      const std::string near = Nearest(
          name, std::vector<std::string_view>(std::begin(kWithValue), std::end(kWithValue)));
      return fail(fmt::format("unknown flag: --{}", name),
                  near.empty() ? "" : fmt::format("did you mean --{}?", near));
    }
    std::string value = "true";
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (!is_switch) {
      if (i + 1 == args.size()) return fail(fmt::format("flag needs an argument: --{}", name));
      value = args[++i];
    }
    if (is_switch && name != "version" && !IsBool(value))
      return fail(
          fmt::format("invalid argument \"{}\" for \"--{}\" flag: true or false", value, name));
    out.flags.emplace_back(std::move(name), std::move(value));
  }
  return out;
}

}  // namespace ksim::cli
