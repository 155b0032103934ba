// Identities: the keys of draws and decisions about an object. Kind, namespace and name; for
// a generated name the owner's identity plus the ordinal among that owner's creations, never the
// random suffix. So an object keeps its draws when others come or go. One per cluster; it outlives
// every restart.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ksim::api {

class Identities {
 public:
  Identities();
  ~Identities();
  // The identity under which an object with a generated name will be known: counts the owner's
  // creations. `owner` is the controller's identity, or KeyOf(resource/ns/prefix) without one.
  std::uint64_t NextGenerated(std::uint64_t owner, std::string_view resource);
  void Record(std::string_view resource, std::string_view ns, std::string_view name,
              std::uint64_t identity);
  // The recorded identity, else KeyOf("resource/ns/name").
  std::uint64_t Of(std::string_view resource, std::string_view ns, std::string_view name) const;
  std::uint64_t Of(std::uint64_t object_hash) const;  // the same of an ObjectHash
  // The ordinal among its owner's creations, from 0; 0 of what nobody generated.
  std::uint64_t OrdinalOf(std::uint64_t identity) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim::api
