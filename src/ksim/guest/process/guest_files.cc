#include "ksim/guest/process/guest_files.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ksim/guest/process/serving_files.h"

namespace ksim::guest {
namespace {

constexpr char kKubeconfig[] = R"(apiVersion: v1
kind: Config
clusters:
- name: ksim
  cluster:
    server: http://{}
contexts:
- name: ksim
  context:
    cluster: ksim
    user: {}
    namespace: {}
current-context: ksim
users:
- name: {}
  user: {{}}
)";

}  // namespace

FileSystem CommonFiles(const std::string& host, const std::string& ns, const std::string& user) {
  FileSystem files;
  const auto put = [&](const char* path, std::string content) {
    files.Put(FileSystem::Clean(path), std::make_shared<const std::string>(std::move(content)));
  };
  put("/etc/hosts", fmt::format("127.0.0.1 localhost {}\n"
                                "10.96.0.1 kubernetes kubernetes.default kubernetes.default.svc "
                                "kubernetes.default.svc.cluster.local\n",
                                host));
  put("/etc/hostname", host + "\n");
  put("/etc/nsswitch.conf", "hosts: files\n");
  put("/etc/resolv.conf", "search default.svc.cluster.local\n");
  put("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  put("/etc/group", "root:x:0:\n");
  put(kKubeconfigPath, fmt::format(kKubeconfig, kApiAddress, user, ns, user));
  put("/var/run/secrets/kubernetes.io/serviceaccount/namespace", ns);
  put("/var/run/secrets/kubernetes.io/serviceaccount/token", "ksim." + user);
  put("/tmp/k8s-webhook-server/serving-certs/tls.crt", std::string(kServingCertificate));
  put("/tmp/k8s-webhook-server/serving-certs/tls.key", std::string(kServingKey));
  for (const char* folder : {"root", "tmp"})
    files.Put(std::string(folder) + "/.keep", std::make_shared<const std::string>());
  return files;
}

}  // namespace ksim::guest
