#include "ksim/api/object.h"

#include <array>
#include <charconv>
#include <span>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/base/hash.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

constinit const Value kNull;

std::span<const Value::Member> Members(const Value& v) {
  const Value::Members members = v.members();
  return {members.first, members.last};
}

const Path& ResourceVersionPath() {
  static const Path path{"metadata", "resourceVersion"};
  return path;
}

std::int64_t ParseVersion(std::string_view text) {
  std::int64_t rv = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rv);
  return error == std::errc() && end == text.data() + text.size() && rv > 0 ? rv : 0;
}

OwnerReference ToOwner(const Value& ref) {
  OwnerReference owner;
  owner.api_version = ref.Get(Fields().api_version).AsString();
  owner.kind = ref.Get(Fields().kind).AsString();
  owner.name = ref.Get(Fields().name).AsString();
  owner.uid = ref.Get(Fields().uid).AsString();
  owner.controller = ref.Get(Fields().controller).AsBool();
  owner.block_owner_deletion = ref.Get(Fields().block_owner_deletion).AsBool();
  return owner;
}

}  // namespace

namespace {

// Finds `names` among the members of an object in one pass, by a table from the number of a name to
// its place. Numbers are given in the order in which a process comes across names: these are among
// the first.
template <std::size_t count>
class MemberFinder {
 public:
  using Found = std::array<const Value*, count + 1>;  // the last: whatever else there is

  explicit MemberFinder(const std::array<Atom, count>& names) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t number = names[i].number();
      if (number >= place_.size()) place_.resize(number + 1, static_cast<std::uint8_t>(count));
      place_[number] = static_cast<std::uint8_t>(i);
    }
  }

  // Null values where there is none.
  Found Of(const Value& object) const {
    Found found;
    found.fill(&kNull);
    for (const Value::Member& m : Members(object)) {
      const std::uint32_t number = m.name.number();
      found[number < place_.size() ? place_[number] : count] = &m.value;
    }
    return found;
  }

 private:
  std::vector<std::uint8_t> place_;
};

}  // namespace

// Every version of every object comes by here.
const Value* Object::Rep::ReadEnvelope() {
  const FieldNames& n = Fields();
  static const MemberFinder<4> of_object({n.api_version, n.kind, n.metadata, n.spec});
  static const MemberFinder<9> of_metadata({n.name, n.namespace_, n.uid, n.labels, n.annotations,
                                            n.generate_name, n.generation, n.deletion_timestamp,
                                            n.resource_version});
  const MemberFinder<4>::Found object = of_object.Of(tree);
  api_version = object[0];
  kind = object[1];
  metadata = object[2];
  node_name = &object[3]->Get(n.node_name);
  const MemberFinder<9>::Found meta = of_metadata.Of(*metadata);
  name = meta[0];
  ns = meta[1];
  uid = meta[2];
  labels = meta[3];
  annotations = meta[4];
  generate_name = meta[5];
  generation = meta[6]->AsInt();
  deleting = meta[7]->is_null() ? 0 : 1;
  return meta[8] == &kNull ? nullptr : meta[8];
}

std::int64_t Object::TakeVersion(Value* tree) {
  const FieldNames& n = Fields();
  const Value* given = tree->Get(n.metadata).Find(n.resource_version);
  if (given == nullptr) return 0;
  const std::int64_t version = ParseVersion(given->AsString());
  *tree = tree->Erase(ResourceVersionPath());
  return version;
}

Object Object::FromTree(Value tree, std::int64_t resource_version) {
  if (!tree.is_object()) return Object();
  auto* rep = new Rep;
  rep->tree = std::move(tree);
  if (rep->ReadEnvelope() != nullptr) {
    const std::int64_t given = TakeVersion(&rep->tree);
    if (resource_version == 0) resource_version = given;
    rep->ReadEnvelope();
  }
  rep->resource_version = resource_version;
  return Object(rep);
}

Object Object::WithResourceVersion(std::int64_t rv) const {
  if (rep_ == nullptr || rep_->resource_version == rv) return *this;
  auto* rep = new Rep(*rep_);
  rep->refs = 1;
  rep->resource_version = rv;
  return Object(rep);
}

const Value& Object::tree() const { return rep_ ? rep_->tree : kNull; }

Value Object::ToTree() const {
  if (resource_version() == 0) return tree();
  return tree().Set(ResourceVersionPath(), Value::String(std::to_string(resource_version())));
}

std::string_view Object::generate_name() const {
  return rep_ ? rep_->generate_name->AsString() : "";
}
std::int64_t Object::generation() const { return rep_ ? rep_->generation : 0; }
std::string_view Object::node_name() const { return rep_ ? rep_->node_name->AsString() : ""; }
bool Object::deleting() const { return rep_ != nullptr && rep_->deleting != 0; }
const Value& Object::labels() const { return rep_ ? *rep_->labels : kNull; }
const Value& Object::annotations() const { return rep_ ? *rep_->annotations : kNull; }
const Value& Object::metadata() const { return rep_ ? *rep_->metadata : kNull; }
const Value& Object::spec() const { return tree().Get(Fields().spec); }
const Value& Object::status() const { return tree().Get(Fields().status); }

std::uint64_t Object::HashKey(const ResourceInfo& resource) const {
  const std::uint64_t hash = ObjectHash(resource.known_as(), ns(), name());
  if (rep_ != nullptr) {
    rep_->key_hash = hash;
    rep_->hashed_as = resource.known_as_atom;
  }
  return hash;
}

std::string Object::key() const {
  const std::string_view ns = this->ns(), name = this->name();
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) key.append(ns).push_back('/');
  return key.append(name);
}

std::string_view Object::Label(std::string_view name) const {
  return labels().Get(name).AsString();
}
std::string_view Object::Annotation(std::string_view name) const {
  return annotations().Get(name).AsString();
}

std::optional<OwnerReference> Object::controller() const {
  for (const Value& ref : metadata().Get(Fields().owner_references).items()) {
    if (ref.Get(Fields().controller).AsBool()) return ToOwner(ref);
  }
  return std::nullopt;
}

std::vector<OwnerReference> Object::owners() const {
  std::vector<OwnerReference> owners;
  for (const Value& ref : metadata().Get(Fields().owner_references).items())
    owners.push_back(ToOwner(ref));
  return owners;
}

std::vector<std::string> Object::finalizers() const {
  std::vector<std::string> names;
  for (const Value& f : metadata().Get(Fields().finalizers).items())
    names.emplace_back(f.AsString());
  return names;
}

std::optional<VirtualTime> Object::creation_time() const {
  return TimeOf(metadata().Get(Fields().creation_timestamp));
}
std::optional<VirtualTime> Object::deletion_time() const {
  return TimeOf(metadata().Get(Fields().deletion_timestamp));
}

std::uint64_t Object::Hash() const {
  std::array<char, 16> bytes;
  PutLittleEndian(PutLittleEndian(bytes.data(), tree().Hash()),
                  static_cast<std::uint64_t>(resource_version()));
  return Hash64(std::string_view(bytes.data(), bytes.size()));
}

}  // namespace ksim::api
