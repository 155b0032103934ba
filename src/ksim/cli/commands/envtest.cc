// ksim envtest: the programs that controller-runtime's envtest starts, on a simulated cluster.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ksim/apiserver/doors/http/discovery.h"
#include "ksim/apiserver/server.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/api_server_flags.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/listen_flags.h"
#include "ksim/cli/serving.h"
#include "ksim/cli/signals.h"
#include "ksim/serve/etcd_health.h"

namespace ksim::cli {
namespace {

using Words = std::span<const std::string>;

// As envtest has it: an API server with its own service, no node, nobody who works.
constexpr std::string_view kScenario =
    "apiVersion: ksim.dev/v1\n"
    "kind: Scenario\n"
    "metadata: {name: envtest}\n"
    "spec:\n"
    "  cluster:\n"
    "    nodes: 0\n"
    "    serviceClusterIPRange: 10.0.0.0/24\n"
    "    components: [\"*\", -kube-controller-manager, -kube-scheduler]\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Service\n"
    "metadata:\n"
    "  name: kubernetes\n"
    "  namespace: default\n"
    "  labels: {component: apiserver, provider: kubernetes}\n"
    "spec:\n"
    "  clusterIP: 10.0.0.1\n"
    "  clusterIPs: [10.0.0.1]\n"
    "  ipFamilies: [IPv4]\n"
    "  ipFamilyPolicy: SingleStack\n"
    "  ports: [{name: https, port: 443, protocol: TCP, targetPort: 6443}]\n"
    "  type: ClusterIP\n";

constexpr std::string_view kProgram = "kube-apiserver";

struct EnvtestFlags {
  std::vector<std::string> words;
};

void AddEnvtestFlags(FlagSet& set, EnvtestFlags& flags) {
  set.Add("PROGRAM", &flags.words,
          "path, or etcd or kube-apiserver, with -- and the arguments of that program")
      .Type("PROGRAM")
      .Required();
}

std::string EnvironmentOr(const char* name, std::string_view otherwise) {
  const std::optional<std::string> value = os::Environment(name);
  return value && !value->empty() ? *value : std::string(otherwise);
}

int PrintPath(Io& io) {
  std::string folder = os::ProgramPath();
  for (int up = 0; up < 2; ++up) folder = folder.substr(0, folder.rfind('/'));
  folder += "/libexec/ksim/envtest";
  if (!os::Exists(folder + "/kube-apiserver"))
    return Refuse(io, folder, "the programs are not there",
                  "tools/install, or `cmake --install`, puts them beside ksim");
  io.Out(folder + "\n");
  return kOk;
}

// --- etcd ---

// The first URL of a list: http://HOST:PORT.
bool ReadUrl(std::string_view urls, std::string* host, std::uint16_t* port) {
  constexpr std::string_view kScheme = "http://";
  std::string_view url = urls.substr(0, urls.find(','));
  if (!url.starts_with(kScheme)) return false;
  url.remove_prefix(kScheme.size());
  const std::size_t colon = url.rfind(':');
  if (colon == url.npos) return false;
  *host = url.substr(0, colon);
  if (*host == "localhost") *host = "127.0.0.1";
  if (host->starts_with('[') && host->ends_with(']')) *host = host->substr(1, host->size() - 2);
  const char* const end = url.data() + url.size();
  const auto [stopped, error] = std::from_chars(url.data() + colon + 1, end, *port);
  return error == std::errc() && stopped == end;
}

int RunEtcd(Io& io, Words args) {
  std::string urls = "http://localhost:2379";
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--help" || word == "-h") {
      io.Out(
          "etcd of ksim's envtest: answers /health and /version at --listen-client-urls, and "
          "keeps\n"
          "nothing: ksim's kube-apiserver has a store of its own. All other flags of etcd are "
          "taken.\n"
          "\n"
          "Flags:\n"
          "  --listen-client-urls 'http://localhost:2379'\n");
      return kOk;
    }
    if (word == "--version") {
      io.Out(fmt::format("etcd Version: 3.5.21 (ksim {}: health alone)\n", Version()));
      return kOk;
    }
    constexpr std::string_view kUrls = "--listen-client-urls";
    if (word == kUrls && i + 1 < args.size()) urls = args[i + 1];
    if (word.starts_with(kUrls) && word.find('=') == kUrls.size())
      urls = word.substr(kUrls.size() + 1);
  }
  std::string host;
  std::uint16_t port = 0;
  if (!ReadUrl(urls, &host, &port))
    return Refuse(io, "--listen-client-urls", fmt::format("\"{}\" is not http://HOST:PORT", urls));
  const InterruptibleScope stoppable;
  auto etcd = serve::EtcdHealth::Listen(host, port);
  if (!etcd.ok())
    return Refuse(io, "--listen-client-urls", fmt::format("{}: {}", urls, Message(etcd.status())));
  io.Err(
      fmt::format("etcd: health alone at http://{}:{}, for ksim's kube-apiserver has a store of "
                  "its own\n",
                  host, (*etcd)->port()));
  (*etcd)->Run([] { return interrupted != 0; });
  return kOk;
}

// --- kube-apiserver ---

// The reason why a flag that is taken changes nothing.
std::string_view WhyWithoutEffect(std::string_view name) {
  struct Reason {
    std::string_view flag, why;
  };
  constexpr Reason kReasons[] = {
      {"allow-privileged", "privileged pods are let in"},
      {"authorization-mode", "no roles are asked here: who shows a certificate may do everything"},
      {"etcd-servers", "the store is inside"},
      {"service-account-issuer", "tokens of service accounts are ksim's own"},
      {"service-account-key-file", "tokens of service accounts are ksim's own"},
      {"service-account-signing-key-file", "tokens of service accounts are ksim's own"},
      {"service-cluster-ip-range", "addresses of Services are of 10.96.0.0/12"}};
  for (const Reason& reason : kReasons)
    if (reason.flag == name) return reason.why;
  return "ksim has nothing that it would change";
}

constexpr std::string_view kHeeded[] = {"bind-address",
                                        "cert-dir",
                                        "client-ca-file",
                                        "disable-admission-plugins",
                                        "enable-admission-plugins",
                                        "secure-port",
                                        "tls-cert-file",
                                        "tls-private-key-file"};

int PrintApiServerHelp(Io& io) {
  io.Out(
      "kube-apiserver of ksim's envtest: an API server of a simulated cluster, with its store\n"
      "inside, and without nodes, scheduler and controllers. `ksim envtest --help` has its\n"
      "environment variables.\n"
      "\n"
      "Flags that are heeded:\n");
  for (const std::string_view name : kHeeded) io.Out(fmt::format("      --{} string\n", name));
  io.Out("\nFlags that are taken and change nothing:\n");
  const auto print = [&io](std::span<const std::string_view> names, std::string_view type) {
    for (const std::string_view name : names) {
      const bool heeded =
          std::find(std::begin(kHeeded), std::end(kHeeded), name) != std::end(kHeeded);
      if (!heeded) io.Out(fmt::format("      --{}{}\n", name, type));
    }
  };
  print(ApiServerFlagsWithValue(), " string");
  print(ApiServerSwitches(), "");
  return kOk;
}

// The names of --disable-admission-plugins and --enable-admission-plugins that ksim has, as
// spec.cluster.admissionPlugins; others are told.
std::string AdmissionPlugins(Io& io, const ApiServerArguments& arguments) {
  const std::vector<std::string> known = apiserver::AllAdmissionPlugins();
  std::string out = "[\"*\"";
  for (const auto& [flag, sign] :
       {std::pair("enable-admission-plugins", ""), std::pair("disable-admission-plugins", "-")}) {
    const std::string names = arguments.Get(flag);
    for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end + 1) {
      end = std::min(names.find(',', begin), names.size());
      const std::string name = names.substr(begin, end - begin);
      if (std::find(known.begin(), known.end(), name) != known.end()) {
        out += fmt::format(", {}{}", sign, name);
      } else {
        io.Err(fmt::format("{}: warning: --{}: ksim has no admission plugin {}\n", kProgram, flag,
                           name));
      }
    }
  }
  return out + "]";
}

bool ReadPlace(Io& io, const ApiServerArguments& arguments, serve::ServerOptions* options) {
  options->host = arguments.Get("bind-address");
  if (options->host.empty()) options->host = "127.0.0.1";
  std::string port = arguments.Get("secure-port");
  if (port.empty()) port = "6443";
  const char* const end = port.data() + port.size();
  const auto [stopped, error] = std::from_chars(port.data(), end, options->port);
  if (error == std::errc() && stopped == end && options->port != 0) return true;
  Refuse(io, "--secure-port", fmt::format("\"{}\" is no port from 1 to 65535", port));
  return false;
}

// The server's certificate: of a file that is named, or of the folder if it is there.
ListenFlags FilesOf(const ApiServerArguments& arguments) {
  ListenFlags files;
  files.certificate = arguments.Get("tls-cert-file");
  files.key = arguments.Get("tls-private-key-file");
  files.client_authority = arguments.Get("client-ca-file");
  const std::string folder = arguments.Get("cert-dir");
  const std::string certificate = folder + "/apiserver.crt", key = folder + "/apiserver.key";
  if (files.certificate.empty() && !folder.empty() && os::Exists(certificate) && os::Exists(key)) {
    files.certificate = certificate;
    files.key = key;
  }
  return files;
}

// Several servers of one suite, each in a process of its own, can write traces of their own.
std::string TraceFile() {
  std::string file = EnvironmentOr("KSIM_TRACE", "");
  const std::size_t place = file.find("%p");
  if (place != file.npos) file.replace(place, 2, fmt::format("{}", os::ProcessId()));
  return file;
}

std::optional<scenario::Loaded> LoadEnvironment(Io& io, const ApiServerArguments& arguments) {
  scenario::LoadOptions load;
  std::vector<std::string> files = {EnvironmentOr("KSIM_SCENARIO", "")};
  if (files.front().empty()) {
    files = {"envtest.yaml"};
    load.read = [](const std::string&) { return std::string(kScenario); };
  }
  for (const auto& [variable, field] :
       {std::pair("KSIM_COMPAT", "compat"), std::pair("KSIM_FAULTS", "faults"),
        std::pair("KSIM_SEED", "seed")}) {
    const std::string value = EnvironmentOr(variable, "");
    if (!value.empty()) load.set.push_back(fmt::format("{}={}", field, value));
  }
  if (arguments.Has("disable-admission-plugins") || arguments.Has("enable-admission-plugins"))
    load.set.push_back("cluster.admissionPlugins=" + AdmissionPlugins(io, arguments));
  return LoadServed(io, files, load, false);
}

int RunApiServer(Io& io, Words args) {
  const ApiServerArguments arguments = ParseApiServerArguments(args);
  if (!arguments.error.empty()) return Refuse(io, kProgram, arguments.error, arguments.hint);
  if (arguments.Has("help")) return PrintApiServerHelp(io);
  const std::optional<scenario::Loaded> loaded = LoadEnvironment(io, arguments);
  if (!loaded) return kInvalid;
  const scenario::Scenario& scenario = loaded->scenarios.front();
  if (arguments.Has("version")) {
    const value::Value version = apiserver::http::VersionInfo(scenario.compat);
    io.Out(
        fmt::format("Kubernetes {} (ksim {})\n", version.Get("gitVersion").AsString(), Version()));
    return kOk;
  }
  ServingOptions options;
  const std::string speed = EnvironmentOr("KSIM_SPEED", "real");
  const auto parsed = serve::ParseSpeed(speed);
  if (!parsed.ok()) return Refuse(io, "KSIM_SPEED", Message(parsed.status()));
  options.server.speed = *parsed;
  options.trace = TraceFile();
  options.kubeconfig = EnvironmentOr("KSIM_KUBECONFIG", "");
  options.summary_to_err = true;
  if (!ReadPlace(io, arguments, &options.server)) return kInvalid;
  options.listen = fmt::format("{}:{}", options.server.host, options.server.port);
  if (!ReadCredentials(io, FilesOf(arguments), &options.server)) return kInvalid;
  for (const auto& [name, value] : arguments.flags) {
    if (std::find(std::begin(kHeeded), std::end(kHeeded), name) != std::end(kHeeded)) continue;
    io.Err(fmt::format("{}: warning: --{}={} changes nothing: {}\n", kProgram, name, value,
                       WhyWithoutEffect(name)));
  }
  return Serving(io, scenario, loaded->files.front(), std::move(options)).Run();
}

int RunEnvtest(Io& io, const EnvtestFlags& flags) {
  const std::string& program = flags.words.front();
  const Words rest = Words(flags.words).subspan(1);
  if (program == "etcd") return RunEtcd(io, rest);
  if (program == kProgram) return RunApiServer(io, rest);
  if (program != "path")
    return Refuse(io, program, "is no program of envtest", "etcd, kube-apiserver, path");
  if (!rest.empty()) return Refuse(io, program, "stands alone");
  return PrintPath(io);
}

}  // namespace

Command EnvtestCommand() {
  return {.name = "envtest",
          .summary = "etcd and kube-apiserver for controller-runtime's envtest",
          .usage = "ksim envtest path | etcd -- FLAG... | kube-apiserver -- FLAG...",
          .description =
              "A suite runs unchanged with KUBEBUILDER_ASSETS=$(ksim envtest path), the folder of\n"
              "programs that call this command. Their cluster has no nodes, no scheduler and no\n"
              "controllers, as envtest's has not; the environment of the suite changes that:\n"
              "  KSIM_SCENARIO=FILE   the cluster, steps and faults of a scenario\n"
              "  KSIM_FAULTS=LIST     faults, as spec.faults has them\n"
              "  KSIM_TRACE=FILE      writes the trace; %p is the process's number\n"
              "  KSIM_SPEED=SPEED     the clock's, as --speed of ksim serve\n"
              "  KSIM_COMPAT=VERSION  of Kubernetes: 1.25, 1.30 or 1.36\n"
              "  KSIM_SEED=N          of every draw\n"
              "  KSIM_KUBECONFIG=FILE writes a kubeconfig, for kubectl and ksim ctl",
          .examples = {{"The flags that are heeded", "ksim envtest kube-apiserver -- --help"}},
          .invoke = &Invoke<EnvtestFlags, AddEnvtestFlags, RunEnvtest>};
}

}  // namespace ksim::cli
