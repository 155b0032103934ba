#include "ksim/apiserver/doors/http/discovery_entries.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fmt/format.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/sha256.h"
#include "ksim/value/base64.h"

namespace ksim::apiserver::http {
namespace {

using VerbList = std::vector<std::string_view>;

// A subresource of a built-in kind.
struct Subresource {
  std::string_view resource, name, kind, group, version;
  VerbList verbs;
};

const std::vector<Subresource>& Subresources() {
  static const VerbList kProxied = {"create", "delete", "get", "patch", "update"};
  static const VerbList kChanged = {"get", "patch", "update"};
  static const std::vector<Subresource> all = {
      {"namespaces", "finalize", "Namespace", "", "", {"update"}},
      {"nodes", "proxy", "NodeProxyOptions", "", "", kProxied},
      {"pods", "attach", "PodAttachOptions", "", "", {"create", "get"}},
      {"pods", "binding", "Binding", "", "", {"create"}},
      {"pods", "ephemeralcontainers", "Pod", "", "", kChanged},
      {"pods", "eviction", "Eviction", "policy", "v1", {"create"}},
      {"pods", "exec", "PodExecOptions", "", "", {"create", "get"}},
      {"pods", "log", "Pod", "", "", {"get"}},
      {"pods", "portforward", "PodPortForwardOptions", "", "", {"create", "get"}},
      {"pods", "proxy", "PodProxyOptions", "", "", kProxied},
      {"serviceaccounts", "token", "TokenRequest", "authentication.k8s.io", "v1", {"create"}},
      {"services", "proxy", "ServiceProxyOptions", "", "", kProxied},
  };
  return all;
}

// pkg/controlplane/apiserver/aggregator.go, from the greatest priority on. Custom groups come last.
constexpr std::string_view kGroupOrder[] = {
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
};

std::ptrdiff_t RankOf(std::string_view group) {
  return std::find(std::begin(kGroupOrder), std::end(kGroupOrder), group) - std::begin(kGroupOrder);
}

// StorageVersionHash
std::string HashOf(const api::ResourceInfo& r, api::Compat compat) {
  const auto digest = Sha256(fmt::format("{}/{}", api::StorageVersion(r, compat), r.kind));
  return value::Base64({reinterpret_cast<const char*>(digest.data()), 8});
}

EntryGroup EntriesOf(const api::ResourceInfo& r, api::Compat compat) {
  EntryGroup entries;
  Entry main;
  main.name = r.resource;
  main.singular = r.singular;
  main.namespaced = r.namespaced;
  main.kind = r.kind;
  main.verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
  if (r.custom)
    main.verbs = {"delete", "deletecollection", "get",    "list",
                  "patch",  "create",           "update", "watch"};
  if (r.group_resource() == "namespaces") main.verbs.erase(main.verbs.begin() + 2);
  main.custom = r.custom;
  main.short_names = r.short_names;
  main.categories = r.categories;
  main.stored = HashOf(r, compat);
  entries.push_back(std::move(main));

  const auto add = [&](std::string_view sub, std::string_view kind, std::string_view group,
                       std::string_view version, const VerbList& verbs) {
    Entry entry;
    entry.name = fmt::format("{}/{}", r.resource, sub);
    entry.namespaced = r.namespaced;
    entry.kind = kind;
    entry.group = group;
    entry.version = version;
    entry.custom = r.custom;
    entry.verbs = verbs;
    entries.push_back(std::move(entry));
  };
  for (const Subresource& sub : Subresources()) {
    if (r.group_resource() == sub.resource)
      add(sub.name, sub.kind, sub.group, sub.version, sub.verbs);
  }
  if (r.group_resource() == "pods" && api::HasPodResize(compat))
    add("resize", "Pod", "", "", {"get", "patch", "update"});
  if (api::HasApproval(r)) add("approval", r.kind, "", "", {"get", "patch", "update"});
  if (r.has_scale) add("scale", "Scale", "autoscaling", "v1", {"get", "patch", "update"});
  if (r.has_status) add("status", r.kind, "", "", {"get", "patch", "update"});
  std::sort(entries.begin() + 1, entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

// A resource of which the server keeps nothing.
Entry NotStored(std::string_view resource, std::string_view kind, bool namespaced, VerbList verbs) {
  Entry entry;
  entry.name = resource;
  entry.singular = Lower(kind);
  entry.namespaced = namespaced;
  entry.kind = kind;
  entry.verbs = std::move(verbs);
  return entry;
}

Entry EntryOf(const ReviewResource& review) {
  return NotStored(review.resource, review.kind, review.namespaced, {"create"});
}

}  // namespace

std::vector<EntryGroup> EntriesAt(const ServedKinds& served, std::string_view group,
                                  std::string_view version) {
  std::vector<EntryGroup> resources;
  for (const ReviewResource& review : ReviewResources()) {
    if (review.group == group && review.version == version) resources.push_back({EntryOf(review)});
  }
  if (group.empty()) {
    resources.push_back({NotStored("bindings", "Binding", true, {"create"})});
    resources.push_back(
        {NotStored("componentstatuses", "ComponentStatus", false, {"get", "list"})});
    resources.back().front().short_names = {"cs"};
  }
  for (const api::ResourceInfo* r : served) {
    if (r->group == group && r->version == version)
      resources.push_back(EntriesOf(*r, served.compat()));
  }
  std::stable_sort(
      resources.begin(), resources.end(),
      [](const EntryGroup& a, const EntryGroup& b) { return a.front().name < b.front().name; });
  return resources;
}

std::vector<std::string> VersionsOf(const ServedKinds& served, std::string_view group) {
  std::vector<std::string> versions;
  for (const api::ResourceInfo* r : served) {
    if (r->group == group) versions.push_back(r->version);
  }
  for (const ReviewResource& review : ReviewResources()) {
    if (review.group == group) versions.emplace_back(review.version);
  }
  std::sort(versions.begin(), versions.end(), api::HasPriorityOver);
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  return versions;
}

std::vector<std::string> Groups(const ServedKinds& served) {
  std::vector<std::string> groups;
  for (const api::ResourceInfo* r : served) {
    if (!r->group.empty()) groups.push_back(r->group);
  }
  for (const ReviewResource& review : ReviewResources()) groups.emplace_back(review.group);
  std::sort(groups.begin(), groups.end(), [](const std::string& a, const std::string& b) {
    return std::pair(RankOf(a), std::string_view(a)) < std::pair(RankOf(b), std::string_view(b));
  });
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

}  // namespace ksim::apiserver::http
