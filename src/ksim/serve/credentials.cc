#include "ksim/serve/credentials.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "ksim/apiserver/doors/http/derived_answers.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;

constexpr std::string_view kAdmin = "kubernetes-admin";
constexpr std::string_view kMasters = "system:masters";
constexpr std::string_view kAuthenticated = "system:authenticated";

// The names by which clients reach a server, kubeadm's among them.
Subject ServerSubject(const std::string& host) {
  Subject subject;
  subject.name = "kube-apiserver";
  subject.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                       "kubernetes.default.svc.cluster.local"};
  subject.addresses = {"127.0.0.1", "::1", "10.96.0.1"};
  std::vector<std::string> more = {host};
  if (host == "0.0.0.0" || host == "::") {
    more = os::HostAddresses();
    subject.dns_names.push_back(os::HostName());
  }
  for (const std::string& address : more) {
    if (std::find(subject.addresses.begin(), subject.addresses.end(), address) ==
        subject.addresses.end()) {
      subject.addresses.push_back(address);
    }
  }
  return subject;
}

void BecomeUser(std::string_view user, const std::vector<std::string>& groups,
                http::HttpRequest* request) {
  if (request->headers.Has("Impersonate-User")) return;
  request->headers.Add("Impersonate-User", user);
  for (const std::string& group : groups) request->headers.Add("Impersonate-Group", group);
  // A user without groups is in none that its name might say.
  request->headers.Add("Impersonate-Group", kAuthenticated);
}

}  // namespace

absl::StatusOr<ServerCredentials> MakeServerCredentials(const std::string& host,
                                                        const GivenCredentials& given) {
  ServerCredentials out;
  ASSIGN_OR_RETURN(out.token, MakeToken());
  ASSIGN_OR_RETURN(const KeyPair authority, MakeAuthority("kubernetes"));
  out.shown = given.shown;
  out.access.authority = given.shown.certificate;
  if (given.shown.empty()) {
    ASSIGN_OR_RETURN(out.shown, MakeCertificate(authority, ServerSubject(host)));
    out.access.authority = authority.certificate;
  }
  out.client_authority = given.client_authority;
  if (given.client_authority.empty()) {
    Subject admin;
    admin.name = kAdmin;
    admin.organizations = {std::string(kMasters)};
    ASSIGN_OR_RETURN(out.access.client, MakeCertificate(authority, admin));
    out.client_authority = authority.certificate;
  }
  out.access.token = out.token;
  return out;
}

Asker TakeCredentials(const Identity* certificate, std::string_view token,
                      http::HttpRequest* request) {
  constexpr std::string_view kBearer = "Bearer ";
  const auto is_master = [](const std::vector<std::string>& groups) {
    return std::find(groups.begin(), groups.end(), kMasters) != groups.end();
  };
  if (certificate != nullptr) {
    BecomeUser(certificate->user, certificate->groups, request);
    return is_master(certificate->groups) ? Asker::kAdmin : Asker::kUser;
  }
  std::string_view shown = request->headers.Get("Authorization");
  if (!shown.starts_with(kBearer)) return Asker::kNobody;
  shown.remove_prefix(kBearer.size());
  if (!token.empty() && shown == token) {
    BecomeUser(kAdmin, {std::string(kMasters)}, request);
    return Asker::kAdmin;
  }
  const std::optional<std::string> account = http::UserOfToken(shown);
  if (!account) return Asker::kUnknown;
  if (!request->headers.Has("Impersonate-User")) request->headers.Add("Impersonate-User", *account);
  return Asker::kUser;
}

bool IsPublicPath(std::string_view path) {
  constexpr std::string_view kPaths[] = {"/healthz", "/livez", "/readyz", "/version", "/version/"};
  return std::find(std::begin(kPaths), std::end(kPaths), path) != std::end(kPaths);
}

}  // namespace ksim::serve
