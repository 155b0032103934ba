// Kinds: the kinds that the API serves. Built-in kinds are always there; custom ones come with
// their CustomResourceDefinition (or are taught by a scenario). One Kinds per cluster.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct CustomDefinition;  // api/core/definition.h

// One resource of the API at one version. The versions of a custom kind are rows of their own,
// which share the storage: each reads the others' objects as its own. Flags are the strategy of
// pkg/registry/<group>/<resource>/strategy.go.
struct ResourceInfo {
  static constexpr std::size_t kNotBuiltin = std::numeric_limits<std::size_t>::max();
  ResourceInfo() = default;
  std::string group;     // "" = core
  std::string version;   // v1
  std::string kind;      // ReplicaSet
  std::string resource;  // replicasets
  // services.serving.knative.dev, of a custom kind whose plural another kind had before it; "": the
  // plural is its own. Kinds sets it, once and for all.
  std::string qualified;
  value::Atom known_as_atom;             // of known_as(); Kinds sets it
  std::string singular;                  // replicaset
  std::vector<std::string> short_names;  // rs
  std::vector<std::string> categories;   // all
  bool namespaced = true;
  bool has_status = false;  // /status subresource
  bool has_scale = false;
  bool has_generation = false;             // set to 1 at create, +1 on spec change (pods: 1.36)
  bool generation_on_annotations = false;  // deployments
  bool graceful_delete = false;            // pods
  bool create_on_update = false;           // events, leases, services (API-75)
  bool unconditional_update = true;        // update without resourceVersion allowed (API-77)
  bool watch_cached = true;                // not events (API-55)
  bool custom = false;                     // no typed view, no strategic patch
  bool defined = false;                    // by a CustomResourceDefinition
  std::string storage_prefix;              // "pods", "minions", "services/specs", "GROUP/RESOURCE"
  // The version at which objects of a custom kind with several versions are stored; "" = this one.
  std::string stored_version;
  // Its CustomResourceDefinition's word on this version; null: nothing is known but its names.
  std::shared_ptr<const CustomDefinition> definition;
  // Its definition is not established yet, is gone, or serves this version no longer. Look-ups find
  // it still, after those that are served; a server answers 404.
  bool withdrawn = false;
  // Its place among the built-in kinds; Kinds sets it.
  std::size_t builtin_number = kNotBuiltin;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  std::string group_resource() const { return group.empty() ? resource : resource + "." + group; }
  // The resource's name inside the simulation: in events, traces, oracles, faults and caches. The
  // later one of two kinds with one plural is known as kubectl spells it with its group.
  const std::string& known_as() const { return qualified.empty() ? resource : qualified; }
  // The path of the collection or object: /apis/apps/v1/namespaces/default/replicasets/x
  std::string UrlPath(std::string_view ns, std::string_view name,
                      std::string_view subresource = {}) const;
};

// The group of an apiVersion: "apps" of apps/v1, "" of v1.
std::string_view GroupOf(std::string_view api_version);

class Kinds {
 public:
  Kinds();  // the built-in kinds
  Kinds(const Kinds&) = delete;
  Kinds& operator=(const Kinds&) = delete;
  ~Kinds();

  // Null if unknown. Pointers stay good for the life of Kinds. Of several versions ByResource and
  // ByName return the one that kubectl prefers.
  const ResourceInfo* ByResource(std::string_view group, std::string_view resource) const;
  const ResourceInfo* ByKind(std::string_view api_version, std::string_view kind) const;
  // Finds a resource by the names that kubectl takes: plural, singular, short name, Kind (any
  // case), "resource.group". Built-in kinds come before custom ones, these in the order of their
  // groups, as discovery has them (client-go restmapper/discovery.go NewDiscoveryRESTMapper).
  const ResourceInfo* ByName(std::string_view name) const;
  // All that kubectl could mean by the name, one a group, in the order in which it prefers them.
  std::vector<const ResourceInfo*> AllByName(std::string_view name) const;
  // The resource that the simulation calls so; null if unknown.
  const ResourceInfo* KnownAs(std::string_view name) const;
  // For readers of traces: the run knew a resource, which is added later, by this name.
  void SetKnownAs(std::string_view group, std::string_view resource, std::string_view name);
  const ResourceInfo* Add(ResourceInfo info);  // replaces one of the same group, resource, version
  // A kind of which only a manifest is known: the server serves it like a custom one without
  // subresources, its plural guessed (apimachinery api/meta UnsafeGuessKindToResource). Known kinds
  // are returned as they are; null if `kind` is empty.
  const ResourceInfo* AddGeneric(std::string_view api_version, std::string_view kind,
                                 bool namespaced = true);
  // The same, of a resource of which nothing else is known. Its kind is a guess (websites ->
  // Website) until a manifest or definition says what it is; the version is v1 beside others.
  const ResourceInfo* AddResource(std::string_view group, std::string_view resource);
  // Adds the kind that a CustomResourceDefinition (apiextensions.k8s.io/v1) defines, at each
  // version that is served. Returns it at its storage version, or at the first if that is not
  // served. InvalidArgument if names or versions are missing, or none is served.
  absl::StatusOr<const ResourceInfo*> AddFromCrd(const value::Value& crd);
  // The definition is gone: its kind is served no longer, at any version.
  void Withdraw(std::string_view group, std::string_view resource);
  // Sorted by group, then resource, then the version that kubectl prefers.
  const std::vector<const ResourceInfo*>& all() const;

  // A server is about to store an object of the resource, at whatever version. Whoever would watch
  // all resources need not watch one that has had no object yet.
  void NoteObject(const ResourceInfo& resource);
  bool HasHadObjects(const ResourceInfo& resource) const;
  // Calls `listener` at the first object of each resource, as long as the result lives.
  [[nodiscard]] std::shared_ptr<const void> OnFirstObject(std::function<void()> listener);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether kubectl prefers version `a` to `b`: v1 to v1beta2, that to v1beta1, that to v1alpha1
// (apimachinery pkg/version/helpers.go CompareKubeAwareVersionStrings).
bool HasPriorityOver(std::string_view a, std::string_view b);

// kubectl's guess of a kind's plural: Policy -> policies, Ingress -> ingresses, Endpoints.
std::string GuessPlural(std::string_view kind);

// /registry/... key of an object, of a namespace's collection (name empty) or of a whole collection
// (both empty; ends in '/'). API-14, API-15.
std::string StorageKey(const ResourceInfo& r, std::string_view ns, std::string_view name);

// XXH3-64 of "resource/namespace/name": an event's object, see sim/bus.h.
std::uint64_t ObjectHash(std::string_view resource, std::string_view ns, std::string_view name);

}  // namespace ksim::api
