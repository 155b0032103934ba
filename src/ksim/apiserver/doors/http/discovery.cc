#include "ksim/apiserver/doors/http/discovery.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/api/core/version_table.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/sha256.h"
#include "ksim/value/base64.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

// A resource or subresource as discovery tells of it.
struct Entry {
  std::string name;  // pods, pods/status
  std::string singular;
  bool namespaced = true;
  std::string group, version, kind;     // of the body, if they are not the endpoint's: group "" and
                                        // version "" mean that they are
  std::vector<std::string_view> verbs;  // sorted
  std::vector<std::string> short_names;
  bool in_all = false;  // the category `all`
  std::string stored;   // storageVersionHash; "": it is not stored under this name
};

// discovery/storageversionhash.go StorageVersionHash
std::string StorageVersionHash(const api::ResourceInfo& r) {
  const std::string& version = r.stored_version.empty() ? r.version : r.stored_version;
  const auto digest = Sha256(fmt::format("{}/{}/{}", r.group, version, r.kind));
  return value::Base64({reinterpret_cast<const char*>(digest.data()), 8});
}

Value Texts(const std::vector<std::string>& texts) {
  std::vector<Value> out;
  for (const std::string& text : texts) out.push_back(Value::Of(text));
  return Value::Array(std::move(out));
}

Value Verbs(const Entry& entry) {
  std::vector<Value> out;
  for (const std::string_view verb : entry.verbs) out.push_back(Value::Of(verb));
  return Value::Array(std::move(out));
}

// The storages with Categories() (pkg/registry/*/*/storage).
bool IsInAll(const api::ResourceInfo& r) {
  for (const std::string_view name :
       {"pods", "replicationcontrollers", "services", "daemonsets.apps", "deployments.apps",
        "replicasets.apps", "statefulsets.apps", "horizontalpodautoscalers.autoscaling",
        "cronjobs.batch", "jobs.batch"}) {
    if (r.group_resource() == name) return true;
  }
  return false;
}

std::vector<Entry> EntriesOf(const api::ResourceInfo& r) {
  std::vector<Entry> entries;
  Entry main;
  main.name = r.resource;
  main.singular = r.singular;
  main.namespaced = r.namespaced;
  main.kind = r.kind;
  main.verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
  if (r.group_resource() == "namespaces") main.verbs.erase(main.verbs.begin() + 2);
  main.short_names = r.short_names;
  main.in_all = IsInAll(r);
  main.stored = StorageVersionHash(r);
  entries.push_back(main);

  const auto add = [&](std::string_view sub, std::string_view kind, std::string_view group,
                       std::string_view version, std::initializer_list<std::string_view> verbs) {
    Entry entry;
    entry.name = fmt::format("{}/{}", r.resource, sub);
    entry.namespaced = r.namespaced;
    entry.kind = kind;
    entry.group = group;
    entry.version = version;
    entry.verbs = verbs;
    entries.push_back(std::move(entry));
  };
  if (r.group_resource() == "pods") {
    add("attach", "PodAttachOptions", "", "", {"create", "get"});
    add("binding", "Binding", "", "", {"create"});
    add("eviction", "Eviction", "policy", "v1", {"create"});
    add("exec", "PodExecOptions", "", "", {"create", "get"});
    add("log", "Pod", "", "", {"get"});
    add("portforward", "PodPortForwardOptions", "", "", {"create", "get"});
  }
  if (r.group_resource() == "serviceaccounts") {
    add("token", "TokenRequest", "authentication.k8s.io", "v1", {"create"});
  }
  if (r.group_resource() == "namespaces") add("finalize", "Namespace", "", "", {"update"});
  if (api::HasApproval(r)) add("approval", r.kind, "", "", {"get", "patch", "update"});
  if (r.has_scale) add("scale", "Scale", "autoscaling", "v1", {"get", "patch", "update"});
  if (r.has_status) add("status", r.kind, "", "", {"get", "patch", "update"});
  return entries;
}

Entry EntryOf(const ReviewResource& review) {
  Entry entry;
  entry.name = review.resource;
  entry.singular = Lower(review.kind);
  entry.namespaced = review.namespaced;
  entry.kind = review.kind;
  entry.verbs = {"create"};
  return entry;
}

// All entries of one group and version, by name.
std::vector<Entry> EntriesAt(const ServedKinds& served, std::string_view group,
                             std::string_view version) {
  std::vector<Entry> entries;
  for (const ReviewResource& review : ReviewResources()) {
    if (review.group == group && review.version == version) entries.push_back(EntryOf(review));
  }
  for (const api::ResourceInfo* r : served) {
    if (r->group != group || r->version != version) continue;
    for (Entry& entry : EntriesOf(*r)) entries.push_back(std::move(entry));
  }
  return entries;
}

// The versions of a group, in the order in which a client should prefer them: as they come.
std::vector<std::string> VersionsOf(const ServedKinds& served, std::string_view group) {
  std::vector<std::string> versions;
  for (const api::ResourceInfo* r : served) {
    if (r->group != group) continue;
    if (std::find(versions.begin(), versions.end(), r->version) == versions.end()) {
      versions.push_back(r->version);
    }
  }
  for (const ReviewResource& review : ReviewResources()) {
    if (review.group == group && versions.empty()) versions.emplace_back(review.version);
  }
  return versions;
}

// The groups but the core one.
std::vector<std::string> Groups(const ServedKinds& served) {
  std::vector<std::string> groups;
  for (const api::ResourceInfo* r : served) {
    if (!r->group.empty() && (groups.empty() || groups.back() != r->group)) {
      groups.push_back(r->group);
    }
  }
  for (const ReviewResource& review : ReviewResources()) {
    if (std::find(groups.begin(), groups.end(), review.group) == groups.end()) {
      groups.emplace_back(review.group);
    }
  }
  return groups;
}

Value GroupTree(const ServedKinds& served, std::string_view group, bool typed) {
  std::vector<Value> versions;
  for (const std::string& version : VersionsOf(served, group)) {
    versions.push_back(
        value::Obj({{"groupVersion", Value::Of(fmt::format("{}/{}", group, version))},
                    {"version", Value::Of(version)}}));
  }
  if (versions.empty()) return Value();
  value::ObjectBuilder tree;
  if (typed) tree.Add("kind", Value::Of("APIGroup")).Add("apiVersion", Value::Of("v1"));
  tree.Add("name", Value::Of(group));
  tree.Add("preferredVersion", versions.front());
  tree.Add("versions", Value::Array(std::move(versions)));
  return tree.Build();
}

Value KindTree(const Entry& entry, std::string_view group, std::string_view version) {
  const bool own = entry.version.empty();
  return value::Obj({{"group", Value::Of(own ? group : std::string_view(entry.group))},
                     {"version", Value::Of(own ? version : std::string_view(entry.version))},
                     {"kind", Value::Of(entry.kind)}});
}

// One resource with its subresources (APIResourceDiscovery).
Value ResourceDiscovery(const std::vector<Entry>& entries, std::string_view group,
                        std::string_view version) {
  const Entry& main = entries.front();
  value::ObjectBuilder tree;
  tree.Add("resource", Value::Of(main.name));
  tree.Add("responseKind", KindTree(main, group, version));
  tree.Add("scope", Value::Of(main.namespaced ? "Namespaced" : "Cluster"));
  tree.Add("singularResource", Value::Of(main.singular));
  tree.Add("verbs", Verbs(main));
  tree.AddIf(!main.short_names.empty(), "shortNames", Texts(main.short_names));
  tree.AddIf(main.in_all, "categories", Texts({"all"}));
  std::vector<Value> subresources;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    subresources.push_back(
        value::Obj({{"subresource", Value::Of(entry.name.substr(entry.name.find('/') + 1))},
                    {"responseKind", KindTree(entry, group, version)},
                    {"verbs", Verbs(entry)}}));
  }
  if (!subresources.empty()) tree.Add("subresources", Value::Array(std::move(subresources)));
  return tree.Build();
}

// A group with its versions (APIGroupDiscovery).
Value GroupDiscovery(const ServedKinds& served, const std::string& group) {
  std::vector<Value> versions;
  for (const std::string& version : VersionsOf(served, group)) {
    std::vector<Value> resources;
    for (const api::ResourceInfo* r : served) {
      if (r->group == group && r->version == version)
        resources.push_back(ResourceDiscovery(EntriesOf(*r), group, version));
    }
    for (const ReviewResource& review : ReviewResources()) {
      if (review.group == group && review.version == version)
        resources.push_back(ResourceDiscovery({EntryOf(review)}, group, version));
    }
    versions.push_back(value::Obj({{"version", Value::Of(version)},
                                   {"resources", Value::Array(std::move(resources))},
                                   {"freshness", Value::Of("Current")}}));
  }
  value::ObjectBuilder metadata;
  metadata.AddIf(!group.empty(), "name", Value::Of(group));
  metadata.Add("creationTimestamp", Value());
  return value::Obj(
      {{"metadata", metadata.Build()}, {"versions", Value::Array(std::move(versions))}});
}

struct Release {
  std::string_view minor, version, go, built;
};
constexpr Release kReleases[] = {
    {"25", "v1.25.16", "go1.20.11", "2023-11-15T16:22:33Z"},
    {"30", "v1.30.14", "go1.23.10", "2025-06-17T18:29:06Z"},
    {"36", "v1.36.3", "go1.25.5", "2026-06-09T12:00:00Z"},
};

}  // namespace

Value ApiVersions() {
  return value::Obj({{"kind", Value::Of("APIVersions")},
                     {"versions", Texts({"v1"})},
                     {"serverAddressByClientCIDRs", Value::Array({})}});
}

Value ApiGroupList(const ServedKinds& served) {
  std::vector<Value> groups;
  for (const std::string& group : Groups(served)) groups.push_back(GroupTree(served, group, false));
  return value::Obj({{"kind", Value::Of("APIGroupList")},
                     {"apiVersion", Value::Of("v1")},
                     {"groups", Value::Array(std::move(groups))}});
}

Value ApiGroup(const ServedKinds& served, std::string_view group) {
  return group.empty() ? Value() : GroupTree(served, group, true);
}

Value ApiResourceList(const ServedKinds& served, std::string_view group, std::string_view version) {
  const std::vector<Entry> entries = EntriesAt(served, group, version);
  if (entries.empty()) return Value();
  std::vector<Value> resources;
  for (const Entry& entry : entries) {
    value::ObjectBuilder tree;
    tree.Add("name", Value::Of(entry.name));
    tree.Add("singularName", Value::Of(entry.singular));
    tree.Add("namespaced", Value::Of(entry.namespaced));
    tree.AddIf(!entry.group.empty(), "group", Value::Of(entry.group));
    tree.AddIf(!entry.version.empty(), "version", Value::Of(entry.version));
    tree.Add("kind", Value::Of(entry.kind));
    tree.Add("verbs", Verbs(entry));
    tree.AddIf(!entry.short_names.empty(), "shortNames", Texts(entry.short_names));
    tree.AddIf(entry.in_all, "categories", Texts({"all"}));
    tree.AddIf(!entry.stored.empty(), "storageVersionHash", Value::Of(entry.stored));
    resources.push_back(tree.Build());
  }
  const std::string group_version =
      group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  value::ObjectBuilder list;
  list.Add("kind", Value::Of("APIResourceList"));
  list.AddIf(!group.empty(), "apiVersion", Value::Of("v1"));
  list.Add("groupVersion", Value::Of(group_version));
  list.Add("resources", Value::Array(std::move(resources)));
  return list.Build();
}

Value AggregatedDiscovery(const ServedKinds& served, bool core, std::string_view version) {
  std::vector<Value> groups;
  if (core) {
    groups.push_back(GroupDiscovery(served, ""));
  } else {
    for (const std::string& group : Groups(served)) groups.push_back(GroupDiscovery(served, group));
  }
  return value::Obj({{"kind", Value::Of("APIGroupDiscoveryList")},
                     {"apiVersion", Value::Of(fmt::format("apidiscovery.k8s.io/{}", version))},
                     {"metadata", Value::EmptyObject()},
                     {"items", Value::Array(std::move(groups))}});
}

Value VersionInfo(api::Compat compat) {
  const Release& release = api::ColumnOf(kReleases, compat);
  return value::Obj({{"major", Value::Of("1")},
                     {"minor", Value::Of(release.minor)},
                     {"gitVersion", Value::Of(release.version)},
                     {"gitCommit", Value::Of("")},
                     {"gitTreeState", Value::Of("clean")},
                     {"buildDate", Value::Of(release.built)},
                     {"goVersion", Value::Of(release.go)},
                     {"compiler", Value::Of("gc")},
                     {"platform", Value::Of("linux/amd64")}});
}

}  // namespace ksim::apiserver::http
