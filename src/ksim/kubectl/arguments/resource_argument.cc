#include "ksim/kubectl/arguments/resource_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/kind_service.h"
#include "ksim/kubectl/profile.h"

namespace ksim::kubectl {
namespace {

using api::ResourceInfo;

struct VersionedArgument {
  std::string name, version, group;
};

// ParseResourceArg: nullopt if the argument has too few parts to name a version.
std::optional<VersionedArgument> SplitAtVersion(std::string_view argument) {
  const std::string text = api::AsciiLower(argument);
  const std::size_t first = text.find('.');
  if (first == text.npos) return std::nullopt;
  const std::size_t second = text.find('.', first + 1);
  if (second == text.npos) return std::nullopt;
  return VersionedArgument{.name = text.substr(0, first),
                           .version = text.substr(first + 1, second - first - 1),
                           .group = text.substr(second + 1)};
}

// The resource that has the argument's type as a short name. expandResourceShortcut leaves names
// alone that are a resource's own.
const ResourceInfo* OfShortName(const api::Kinds& kinds, const VersionedArgument& argument) {
  const std::string name =
      argument.group.empty() ? argument.name : fmt::format("{}.{}", argument.name, argument.group);
  const ResourceInfo* const found = kinds.ByName(name);
  if (found == nullptr) return nullptr;
  const bool is_short = std::find(found->short_names.begin(), found->short_names.end(),
                                  argument.name) != found->short_names.end();
  const bool is_own = argument.name == found->resource || argument.name == found->singular;
  return is_short && !is_own ? found : nullptr;
}

// The version of the resource that kubectl prefers among those that are served. A definition that
// is gone leaves its kind in kubectl's cached discovery: the server answers 404.
const ResourceInfo* AtPreferredVersion(const api::Kinds& kinds, const ResourceInfo& info,
                                       api::Compat compat) {
  if (info.withdrawn || api::IsServed(info, compat)) return &info;
  for (const ResourceInfo* const other : kinds.all())
    if (other->group == info.group && other->resource == info.resource &&
        api::IsServed(*other, compat))
      return other;
  return &info;
}

}  // namespace

const ResourceInfo* ResourceOfArgument(const api::Kinds& kinds, std::string_view argument,
                                       api::Compat compat) {
  const std::optional<VersionedArgument> versioned = SplitAtVersion(argument);
  if (versioned && ProfileOf(compat).short_names_lose_version)
    if (const ResourceInfo* const info = OfShortName(kinds, *versioned))
      return AtPreferredVersion(kinds, *info, compat);
  const ResourceInfo* const info = kinds.ByName(argument);
  if (info == nullptr) return nullptr;
  if (!NamesVersion(argument, *info)) return AtPreferredVersion(kinds, *info, compat);
  return api::IsServed(*info, compat) ? info : nullptr;
}

bool NamesVersion(std::string_view argument, const ResourceInfo& info) {
  const std::optional<VersionedArgument> versioned = SplitAtVersion(argument);
  return versioned && versioned->version == info.version &&
         (versioned->group.empty() || versioned->group == info.group);
}

std::string VersionedName(const ResourceInfo& info) {
  return fmt::format("{}.{}.{}", info.resource, info.version, info.group);
}

std::string NoSuchTypeText(std::string_view argument) {
  return fmt::format("error: the server doesn't have a resource type \"{}\"",
                     argument.substr(0, argument.find('.')));
}

}  // namespace ksim::kubectl
