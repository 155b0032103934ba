#include "ksim/store/object_key.h"

#include <array>
#include <string>

#include "ksim/base/hash.h"

namespace ksim::store {
namespace {

struct SpecialPrefix {
  std::string_view prefix;  // with its '/'
  std::string_view resource;
};
constexpr std::array<SpecialPrefix, 5> kSpecialPrefixes{{
    {"controllers/", "replicationcontrollers"},
    {"ingress/", "ingresses"},
    {"minions/", "nodes"},
    {"services/endpoints/", "endpoints"},
    {"services/specs/", "services"},
}};

// Takes the text up to the next '/' off the front, and the '/'.
inline std::string_view TakeSegment(std::string_view* rest) {
  const std::size_t slash = rest->find('/');
  const std::string_view segment = rest->substr(0, slash);
  rest->remove_prefix(slash == std::string_view::npos ? rest->size() : slash + 1);
  return segment;
}

// Takes the group and the resource off the front.
void TakeResource(std::string_view* rest, ObjectParts* parts) {
  if (rest->empty()) return;
  for (const SpecialPrefix& special : kSpecialPrefixes) {
    // Nearly every key is told from all of them by its first letter.
    if (rest->front() != special.prefix.front() || !rest->starts_with(special.prefix)) continue;
    rest->remove_prefix(special.prefix.size());
    parts->resource = special.resource;
    return;
  }
  parts->resource = TakeSegment(rest);
  if (parts->resource.find('.') == std::string_view::npos) return;
  parts->group = parts->resource;
  parts->resource = TakeSegment(rest);
}

}  // namespace

std::optional<ObjectParts> PartsOfKey(std::string_view key) {
  if (!key.starts_with(kRegistry)) return std::nullopt;
  std::string_view rest = key.substr(kRegistry.size());
  ObjectParts parts;
  TakeResource(&rest, &parts);
  if (parts.resource.empty()) return std::nullopt;
  parts.name = rest;
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    parts.ns = rest.substr(0, slash);
    parts.name = rest.substr(slash + 1);
  }
  return parts;
}

std::string KnownAs(std::string_view key, const ResourceNamer& namer) {
  if (namer == nullptr) return "";
  const std::optional<ObjectParts> parts = PartsOfKey(key);
  if (!parts || parts->group.empty()) return "";
  std::string name = namer(parts->group, parts->resource);
  return name == parts->resource ? std::string() : name;
}

std::uint64_t ObjectHashOf(const ObjectParts& parts) {
  std::string text;
  text.reserve(parts.resource.size() + parts.ns.size() + parts.name.size() + 2);
  text.append(parts.resource).append("/").append(parts.ns).append("/").append(parts.name);
  return Hash64(text);
}

std::uint64_t ObjectHashOfKey(std::string_view key) {
  const std::optional<ObjectParts> parts = PartsOfKey(key);
  return parts ? ObjectHashOf(*parts) : Hash64(key);
}

}  // namespace ksim::store
