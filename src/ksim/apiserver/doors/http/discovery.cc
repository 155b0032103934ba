#include "ksim/apiserver/doors/http/discovery.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/core/version_table.h"
#include "ksim/apiserver/doors/http/discovery_entries.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

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

// Aggregated discovery names the group and version of a body that are not the endpoint's own, and
// those of custom resources.
Value KindTree(const Entry& entry, std::string_view group, std::string_view version) {
  const bool own = entry.custom && entry.version.empty();
  return value::Obj({{"group", Value::Of(own ? group : std::string_view(entry.group))},
                     {"version", Value::Of(own ? version : std::string_view(entry.version))},
                     {"kind", Value::Of(entry.kind)}});
}

// One resource with its subresources (APIResourceDiscovery).
Value ResourceDiscovery(const EntryGroup& entries, std::string_view group,
                        std::string_view version) {
  const Entry& main = entries.front();
  value::ObjectBuilder tree;
  tree.Add("resource", Value::Of(main.name));
  tree.Add("responseKind", KindTree(main, group, version));
  tree.Add("scope", Value::Of(main.namespaced ? "Namespaced" : "Cluster"));
  tree.Add("singularResource", Value::Of(main.singular));
  tree.Add("verbs", Verbs(main));
  tree.AddIf(!main.short_names.empty(), "shortNames", Texts(main.short_names));
  tree.AddIf(!main.categories.empty(), "categories", Texts(main.categories));
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
    for (const EntryGroup& entries : EntriesAt(served, group, version))
      resources.push_back(ResourceDiscovery(entries, group, version));
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
  std::vector<Entry> entries;
  for (EntryGroup& resource : EntriesAt(served, group, version)) {
    for (Entry& entry : resource) entries.push_back(std::move(entry));
  }
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
    tree.AddIf(!entry.categories.empty(), "categories", Texts(entry.categories));
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

Value Index(const ServedKinds& served) {
  std::vector<std::string> paths = {"/api",        "/api/v1", "/apis",    "/apis/",
                                    "/healthz",    "/livez",  "/metrics", "/openapi/v2",
                                    "/openapi/v3", "/readyz", "/version"};
  for (const std::string& group : Groups(served)) {
    paths.push_back("/apis/" + group);
    for (const std::string& version : VersionsOf(served, group))
      paths.push_back(fmt::format("/apis/{}/{}", group, version));
  }
  std::sort(paths.begin(), paths.end());
  return value::Obj({{"paths", Texts(paths)}});
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
