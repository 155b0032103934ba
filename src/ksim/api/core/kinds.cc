#include "ksim/api/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/builtin_kinds.h"
#include "ksim/api/core/definition.h"
#include "ksim/base/hash.h"

namespace ksim::api {

using value::Value;

struct Kinds::Impl {
  std::vector<const ResourceInfo*> kinds;          // built-in ones first, then as added
  std::vector<const ResourceInfo*> sorted;         // by group, then resource
  std::vector<std::unique_ptr<ResourceInfo>> own;  // those added; all Kinds share the built-in ones
  std::vector<const ResourceInfo*> guessed;        // some of `own`: an addition says what they are
  std::vector<const ResourceInfo*> used;           // had objects; the first version that had
  std::vector<ResourceInfo> named;                 // SetKnownAs: group, resource and `qualified`
  std::vector<std::weak_ptr<const std::function<void()>>> on_first_object;
};

namespace {

bool HasShortName(const ResourceInfo& r, std::string_view name) {
  return std::find(r.short_names.begin(), r.short_names.end(), name) != r.short_names.end();
}

// Fills in what is mostly the same.
void Complete(ResourceInfo* info) {
  info->known_as_atom = value::Atom(info->known_as());
  if (info->singular.empty()) info->singular = AsciiLower(info->kind);
  if (info->storage_prefix.empty())
    info->storage_prefix = info->custom ? info->group + "/" + info->resource : info->resource;
}

bool IsSameResource(const ResourceInfo& a, const ResourceInfo& b) {
  return a.group == b.group && a.resource == b.resource;
}

bool SortsBefore(const ResourceInfo* a, const ResourceInfo* b) {
  if (a->group != b->group) return a->group < b->group;
  if (a->resource != b->resource) return a->resource < b->resource;
  return HasPriorityOver(a->version, b->version);
}

// policies -> policy, classes -> class, websites -> website.
std::string GuessSingular(std::string_view plural) {
  if (plural.ends_with("ies")) return std::string(plural.substr(0, plural.size() - 3)) + "y";
  for (const std::string_view ending : {"sses", "xes", "ches", "shes"})
    if (plural.ends_with(ending)) return std::string(plural.substr(0, plural.size() - 2));
  if (plural.ends_with("s")) plural.remove_suffix(1);
  return std::string(plural);
}

// The built-in kinds, completed and put in order once: every run has a Kinds of its own.
struct BuiltIn {
  BuiltIn() : kinds(BuiltinKinds()) {
    for (ResourceInfo& info : kinds) {
      Complete(&info);
      info.builtin_number = listed.size();
      listed.push_back(&info);
    }
    sorted = listed;
    std::sort(sorted.begin(), sorted.end(), SortsBefore);
  }
  std::vector<ResourceInfo> kinds;
  std::vector<const ResourceInfo*> listed, sorted;  // as Kinds has them
};

}  // namespace

std::string ResourceInfo::UrlPath(std::string_view ns, std::string_view name,
                                  std::string_view subresource) const {
  std::string path =
      group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", group, version);
  if (namespaced && !ns.empty()) path += fmt::format("/namespaces/{}", ns);
  path += fmt::format("/{}", resource);
  if (!name.empty()) path += fmt::format("/{}", name);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

Kinds::Kinds() : impl_(std::make_unique<Impl>()) {
  static const BuiltIn built_in;
  impl_->kinds = built_in.listed;
  impl_->sorted = built_in.sorted;
}

Kinds::~Kinds() = default;

namespace {

// The first kind that matches, those that are served before others.
template <class Matches>
const ResourceInfo* FirstServed(const std::vector<const ResourceInfo*>& kinds,
                                const Matches& matches) {
  const ResourceInfo* withdrawn = nullptr;
  for (const ResourceInfo* k : kinds) {
    if (!matches(*k)) continue;
    if (!k->withdrawn) return k;
    if (withdrawn == nullptr) withdrawn = k;
  }
  return withdrawn;
}

}  // namespace

const ResourceInfo* Kinds::ByResource(std::string_view group, std::string_view resource) const {
  return FirstServed(impl_->kinds, [&](const ResourceInfo& k) {
    return k.resource == resource && k.group == group;
  });
}

const ResourceInfo* Kinds::ByKind(std::string_view api_version, std::string_view kind) const {
  return FirstServed(impl_->kinds, [&](const ResourceInfo& k) {
    return k.kind == kind && k.api_version() == api_version;
  });
}

namespace {

// Whether kubectl takes `a` where both have the name. Kinds lists the versions of one resource, and
// the built-in kinds, in the order in which kubectl prefers them.
bool IsPreferred(const ResourceInfo* a, const ResourceInfo* b) {
  if (a->withdrawn != b->withdrawn) return b->withdrawn;
  if (a->custom != b->custom) return b->custom;
  return a->custom && a->group < b->group;
}

}  // namespace

namespace {

// Those among the kinds that `admits` that have the name: as their plural, else as their singular
// or kind, else as a short name.
template <class Admits>
std::vector<const ResourceInfo*> Named(const std::vector<const ResourceInfo*>& kinds,
                                       std::string_view name, const Admits& admits) {
  std::vector<const ResourceInfo*> found;
  const auto find = [&](auto matches) {
    if (!found.empty()) return;
    for (const ResourceInfo* k : kinds)
      if (admits(*k) && matches(*k)) found.push_back(k);
  };
  find([&](const ResourceInfo& r) { return r.resource == name; });
  find([&](const ResourceInfo& r) { return r.singular == name || AsciiLower(r.kind) == name; });
  find([&](const ResourceInfo& r) { return HasShortName(r, name); });
  return found;
}

// "replicasets.v1.apps" is the resource at that version, or one of the group v1.apps; a group that
// none has is the beginning of one (apimachinery pkg/runtime/schema/group_version.go
// ParseResourceArg, pkg/api/meta/restmapper.go KindsFor).
std::vector<const ResourceInfo*> NamedInGroup(const std::vector<const ResourceInfo*>& kinds,
                                              std::string_view name, std::string_view group) {
  std::vector<const ResourceInfo*> found;
  const std::size_t dot = group.find('.');
  if (dot != group.npos) {
    const std::string_view version = group.substr(0, dot), rest = group.substr(dot + 1);
    found = Named(kinds, name, [&](const ResourceInfo& r) {
      return r.version == version && (rest.empty() || r.group == rest);
    });
  }
  if (found.empty() && !group.empty())
    found = Named(kinds, name, [&](const ResourceInfo& r) { return r.group == group; });
  if (found.empty())
    found = Named(kinds, name, [&](const ResourceInfo& r) { return r.group.starts_with(group); });
  return found;
}

}  // namespace

std::vector<const ResourceInfo*> Kinds::AllByName(std::string_view name) const {
  const std::string lower = AsciiLower(name);
  const std::size_t dot = std::min(lower.find('.'), lower.size());
  const std::string_view text = lower;
  std::vector<const ResourceInfo*> found = NamedInGroup(
      impl_->kinds, text.substr(0, dot), dot == text.size() ? "" : text.substr(dot + 1));
  std::stable_sort(found.begin(), found.end(), IsPreferred);
  std::vector<const ResourceInfo*> out;
  for (const ResourceInfo* k : found)
    if (std::none_of(out.begin(), out.end(),
                     [k](const ResourceInfo* other) { return other->group == k->group; }))
      out.push_back(k);
  return out;
}

const ResourceInfo* Kinds::ByName(std::string_view name) const {
  const std::vector<const ResourceInfo*> found = AllByName(name);
  return found.empty() ? nullptr : found.front();
}

const ResourceInfo* Kinds::KnownAs(std::string_view name) const {
  return FirstServed(impl_->kinds, [&](const ResourceInfo& k) { return k.known_as() == name; });
}

void Kinds::SetKnownAs(std::string_view group, std::string_view resource, std::string_view name) {
  ResourceInfo named;
  named.group = group;
  named.resource = resource;
  if (name != resource) named.qualified = name;
  for (const ResourceInfo& other : impl_->named)
    if (IsSameResource(other, named)) return;
  impl_->named.push_back(std::move(named));
}

namespace {

// The name with the group, if another kind has the plural already; "" if none has. A resource keeps
// the name that it has had.
std::string QualifiedNameOf(const ResourceInfo& info, const std::vector<const ResourceInfo*>& kinds,
                            const std::vector<ResourceInfo>& named) {
  bool taken = false;
  const ResourceInfo* same = nullptr;
  const auto look_at = [&](const ResourceInfo& other) {
    if (same == nullptr && IsSameResource(other, info)) same = &other;
    taken = taken || other.known_as() == info.resource;
  };
  for (const ResourceInfo& other : named) look_at(other);
  for (const ResourceInfo* other : kinds) look_at(*other);
  if (same != nullptr) return same->qualified;
  return taken ? info.group_resource() : std::string();
}

ResourceInfo AtVersion(ResourceInfo info, std::string_view version) {
  info.version = version;
  return info;
}

}  // namespace

const ResourceInfo* Kinds::Add(ResourceInfo info) {
  info.qualified = QualifiedNameOf(info, impl_->kinds, impl_->named);
  Complete(&info);
  info.builtin_number = ResourceInfo::kNotBuiltin;  // also of a built-in kind's changed copy
  for (const std::unique_ptr<ResourceInfo>& k : impl_->own) {
    if (!IsSameResource(*k, info)) continue;
    if (k->version != info.version && std::erase(impl_->guessed, k.get()) > 0) {
      *k = AtVersion(info, k->version);  // whoever guessed goes on to ask for this version
    } else if (k->version == info.version) {
      *k = std::move(info);
      return k.get();
    }
  }
  impl_->own.push_back(std::make_unique<ResourceInfo>(std::move(info)));
  const ResourceInfo* const added = impl_->own.back().get();
  auto& kinds = impl_->kinds;
  auto& sorted = impl_->sorted;
  const auto replaced = std::find_if(kinds.begin(), kinds.end(), [&](const ResourceInfo* k) {
    return IsSameResource(*k, *added) && k->version == added->version;
  });
  if (replaced != kinds.end()) {
    std::replace(sorted.begin(), sorted.end(), *replaced, added);
    *replaced = added;
    return added;
  }
  const auto less_preferred = std::find_if(kinds.begin(), kinds.end(), [&](const ResourceInfo* k) {
    return IsSameResource(*k, *added) && HasPriorityOver(added->version, k->version);
  });
  kinds.insert(less_preferred, added);
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), added, SortsBefore), added);
  return added;
}

std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

const ResourceInfo* Kinds::AddGeneric(std::string_view api_version, std::string_view kind,
                                      bool namespaced) {
  if (kind.empty()) return nullptr;
  if (const ResourceInfo* known = ByKind(api_version, kind)) return known;
  ResourceInfo info;
  info.group = GroupOf(api_version);
  info.version = api_version.substr(api_version.find('/') + 1);  // npos + 1 = 0
  info.kind = kind;
  info.resource = GuessPlural(kind);
  info.namespaced = namespaced;
  info.has_generation = true;
  info.unconditional_update = false;
  info.custom = true;
  return Add(std::move(info));
}

const ResourceInfo* Kinds::AddResource(std::string_view group, std::string_view resource) {
  if (const ResourceInfo* known = ByResource(group, resource)) return known;
  ResourceInfo info;
  info.group = group;
  info.version = "v1";
  info.resource = resource;
  info.singular = GuessSingular(resource);
  info.kind = info.singular;
  if (!info.kind.empty() && info.kind.front() >= 'a' && info.kind.front() <= 'z')
    info.kind.front() = static_cast<char>(info.kind.front() - 'a' + 'A');
  info.has_status = true;
  info.has_generation = true;
  info.custom = true;
  const ResourceInfo* const added = Add(std::move(info));
  impl_->guessed.push_back(added);
  return added;
}

namespace {

// The entry of the version at which objects are stored: the first one if none says so.
const Value* StoredVersion(const Value& versions) {
  for (const Value& v : versions.items())
    if (v.Get("storage").AsBool()) return &v;
  return versions.empty() ? nullptr : &versions.at(0);
}

bool IsTerminating(const Value& crd) {
  for (const Value& condition : crd.Get("status").Get("conditions").items())
    if (condition.Get("type").AsString() == "Terminating")
      return condition.Get("status").AsString() == "True";
  return false;
}

ResourceInfo DefinedNames(const Value& spec) {
  const Value& names = spec.Get("names");
  ResourceInfo info;
  info.group = spec.Get("group").AsString();
  info.kind = names.Get("kind").AsString();
  info.resource = names.Get("plural").AsString();
  info.singular = names.Get("singular").AsString();
  for (const Value& s : names.Get("shortNames").items())
    info.short_names.emplace_back(s.AsString());
  for (const Value& c : names.Get("categories").items()) info.categories.emplace_back(c.AsString());
  info.namespaced = spec.Get("scope").AsString() != "Cluster";
  info.has_generation = true;
  info.unconditional_update = false;
  info.custom = true;
  info.defined = true;
  return info;
}

// customresource_handler.go defaultDeprecationWarning, or the definition's own text.
std::string DeprecationOf(const Value& spec, const Value& version) {
  if (!version.Get("deprecated").AsBool()) return "";
  const Value& own = version.Get("deprecationWarning");
  if (own.is_string()) return std::string(own.AsString());
  const std::string_view name = version.Get("name").AsString();
  const std::string_view group = spec.Get("group").AsString();
  const std::string_view kind = spec.Get("names").Get("kind").AsString();
  std::string text = fmt::format("{}/{} {} is deprecated", group, name, kind);
  std::string_view better;
  for (const Value& v : spec.Get("versions").items()) {
    const std::string_view other = v.Get("name").AsString();
    const bool good = v.Get("served").AsBool() && !v.Get("deprecated").AsBool();
    if (good && HasPriorityOver(other, better.empty() ? name : better)) better = other;
  }
  if (!better.empty()) text += fmt::format("; use {}/{} {}", group, better, kind);
  return text;
}

std::shared_ptr<const CustomDefinition> DefinitionOf(const Value& crd, const Value& version,
                                                     const Value& stored) {
  const Value& spec = crd.Get("spec");
  auto definition = std::make_shared<CustomDefinition>(version, stored, spec.Get("versions"));
  definition->terminating = IsTerminating(crd);
  definition->conversion = spec.Get("conversion");
  definition->list_kind = spec.Get("names").Get("listKind").AsString();
  definition->deprecation = DeprecationOf(spec, version);
  return definition;
}

// The next state of a definition shares the schemas that have been compiled, if they are the same.
void TakeCompiled(const ResourceInfo* before, const CustomDefinition& now) {
  if (before == nullptr || before->definition == nullptr) return;
  const CustomDefinition& old = *before->definition;
  if (old.version == now.version) now.schema = old.schema;
  if (old.stored == now.stored) now.stored_schema = old.stored_schema;
}

}  // namespace

absl::StatusOr<const ResourceInfo*> Kinds::AddFromCrd(const Value& crd) {
  const Value& spec = crd.Get("spec");
  ResourceInfo info = DefinedNames(spec);
  const Value* const stored = StoredVersion(spec.Get("versions"));
  if (info.group.empty() || info.kind.empty() || info.resource.empty() || stored == nullptr ||
      stored->Get("name").AsString().empty()) {
    return absl::InvalidArgumentError(
        "a CustomResourceDefinition needs spec.group, spec.names.kind, spec.names.plural and "
        "spec.versions[].name");
  }
  info.stored_version = stored->Get("name").AsString();
  std::vector<const ResourceInfo*> served;
  for (const Value& v : spec.Get("versions").items()) {
    if (!v.Get("served").AsBool()) continue;
    info.version = v.Get("name").AsString();
    info.has_status = v.Get("subresources").Has("status");
    info.has_scale = v.Get("subresources").Has("scale");
    info.definition = DefinitionOf(crd, v, *stored);
    for (const std::unique_ptr<ResourceInfo>& known : impl_->own) {
      if (IsSameResource(*known, info) && known->version == info.version)
        TakeCompiled(known.get(), *info.definition);
    }
    served.push_back(Add(info));
  }
  const ResourceInfo* at_storage = nullptr;
  for (const ResourceInfo* const r : served)
    if (r->version == r->stored_version) at_storage = r;
  // A version that is served no longer.
  for (const std::unique_ptr<ResourceInfo>& known : impl_->own) {
    if (IsSameResource(*known, info) && known->defined &&
        std::find(served.begin(), served.end(), known.get()) == served.end())
      known->withdrawn = true;
  }
  if (served.empty())
    return absl::InvalidArgumentError("the CustomResourceDefinition serves no version");
  return at_storage != nullptr ? at_storage : served.front();
}

void Kinds::Withdraw(std::string_view group, std::string_view resource) {
  for (const std::unique_ptr<ResourceInfo>& known : impl_->own)
    if (known->group == group && known->resource == resource) known->withdrawn = true;
}

const std::vector<const ResourceInfo*>& Kinds::all() const { return impl_->sorted; }

void Kinds::NoteObject(const ResourceInfo& resource) {
  if (HasHadObjects(resource)) return;
  impl_->used.push_back(&resource);
  std::erase_if(impl_->on_first_object, [](const auto& listener) { return listener.expired(); });
  for (const auto& listener : impl_->on_first_object)
    if (const auto live = listener.lock()) (*live)();
}

bool Kinds::HasHadObjects(const ResourceInfo& resource) const {
  const std::vector<const ResourceInfo*>& used = impl_->used;
  if (std::find(used.begin(), used.end(), &resource) != used.end()) return true;
  return std::any_of(used.begin(), used.end(),
                     [&resource](const ResourceInfo* r) { return IsSameResource(*r, resource); });
}

std::shared_ptr<const void> Kinds::OnFirstObject(std::function<void()> listener) {
  auto held = std::make_shared<const std::function<void()>>(std::move(listener));
  impl_->on_first_object.push_back(held);
  return held;
}

std::string GuessPlural(std::string_view kind) {
  std::string plural = AsciiLower(kind);
  if (plural.empty() || plural.ends_with("endpoints")) return plural;
  if (plural.back() == 's') return plural + "es";
  if (plural.back() == 'y') {
    plural.pop_back();
    return plural + "ies";
  }
  return plural + "s";
}

std::string StorageKey(const ResourceInfo& r, std::string_view ns, std::string_view name) {
  constexpr std::string_view kRoot = "/registry/";
  std::string key;
  key.reserve(kRoot.size() + r.storage_prefix.size() + ns.size() + name.size() + 2);
  key.append(kRoot).append(r.storage_prefix).append("/");
  if (r.namespaced && !ns.empty()) key.append(ns).append("/");
  return key.append(name);
}

std::uint64_t ObjectHash(std::string_view resource, std::string_view ns, std::string_view name) {
  absl::InlinedVector<char, 256> text(resource.size() + ns.size() + name.size() + 2);
  char* end = std::copy(resource.begin(), resource.end(), text.data());
  *end++ = '/';
  end = std::copy(ns.begin(), ns.end(), end);
  *end++ = '/';
  std::copy(name.begin(), name.end(), end);
  return Hash64({text.data(), text.size()});
}

}  // namespace ksim::api
