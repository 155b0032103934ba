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

std::string_view TakeResource(std::string_view* rest) {
  if (rest->empty()) return {};
  for (const SpecialPrefix& special : kSpecialPrefixes) {
    // Nearly every key is told from all of them by its first letter.
    if (rest->front() != special.prefix.front() || !rest->starts_with(special.prefix)) continue;
    rest->remove_prefix(special.prefix.size());
    return special.resource;
  }
  const std::string_view segment = TakeSegment(rest);
  const bool is_group = segment.find('.') != std::string_view::npos;
  return is_group ? TakeSegment(rest) : segment;
}

}  // namespace

std::optional<ObjectParts> PartsOfKey(std::string_view key) {
  if (!key.starts_with(kRegistry)) return std::nullopt;
  std::string_view rest = key.substr(kRegistry.size());
  ObjectParts parts;
  parts.resource = TakeResource(&rest);
  if (parts.resource.empty()) return std::nullopt;
  parts.name = rest;
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    parts.ns = rest.substr(0, slash);
    parts.name = rest.substr(slash + 1);
  }
  return parts;
}

std::uint64_t ObjectHashOfKey(std::string_view key) {
  const std::optional<ObjectParts> parts = PartsOfKey(key);
  if (!parts) return Hash64(key);
  std::string text;
  text.reserve(key.size());
  text.append(parts->resource).append("/").append(parts->ns).append("/").append(parts->name);
  return Hash64(text);
}

}  // namespace ksim::store
