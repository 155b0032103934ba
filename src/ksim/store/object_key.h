// The object that a key under /registry names. api::StorageKey goes the other way: it gives an
// object's key.
//
//   /registry/RESOURCE/NAME                   cluster-scoped
//   /registry/RESOURCE/NAMESPACE/NAME
//   /registry/GROUP/RESOURCE/...              custom resources: the group has a dot
//
// Five built-in resources have other names in keys (minions = nodes, services/specs = services,
// ...): Kubernetes pkg/kubeapiserver/default_storage_factory_builder.go,
// SpecialDefaultResourcePrefixes.
//
// A key says by which plural its resource is known, but two groups may have one plural: who knows
// the resources names them (ResourceNamer).
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ksim::store {

// Begins the key of every object.
inline constexpr std::string_view kRegistry = "/registry/";

struct ObjectParts {
  std::string_view resource;  // as the API names it: nodes, services
  std::string_view group;     // of the form /registry/GROUP/RESOURCE; else ""
  std::string_view ns;        // "" = cluster-scoped
  std::string_view name;      // "" = a collection (the key ends in '/', or there is nothing more)
};

// nullopt if the key is not under /registry/ or names no resource. The views are into `key`, or of
// static storage.
std::optional<ObjectParts> PartsOfKey(std::string_view key);

// Names the resource of keys /registry/GROUP/RESOURCE/... as the simulation does, for example
// "services.serving.knative.dev"; "": RESOURCE.
using ResourceNamer = std::function<std::string(std::string_view group, std::string_view resource)>;
// The name that `namer` gives to the resource of a key; "": as PartsOfKey has it.
std::string KnownAs(std::string_view key, const ResourceNamer& namer);

// An event's object (sim/bus.h): XXH3-64 of "resource/namespace/name". A key that names no object
// is hashed itself.
std::uint64_t ObjectHashOfKey(std::string_view key);
std::uint64_t ObjectHashOf(const ObjectParts& parts);

}  // namespace ksim::store
