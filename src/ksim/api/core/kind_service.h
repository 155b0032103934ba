// The questions that a server and its clients ask about a kind before any rule of its content:
// whether this version of it is served, how it is stored, which subresource it has. They are read
// from its KindSpec; this header is for layers that have a profile of their own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Whether a server of that version serves the kind at its version.
bool IsServed(const ResourceInfo& kind, Compat compat);

// The kinds that a server of that version serves, in the order of Kinds::all().
class ServedKinds {
 public:
  ServedKinds(const Kinds& kinds, Compat compat);
  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }
  Compat compat() const { return compat_; }

 private:
  std::vector<const ResourceInfo*> kinds_;
  Compat compat_;
};

// The group and version in which an upstream server of that version stores the kind's objects, as
// GROUP/VERSION, also of the core group: discovery has a hash of it. ksim stores most as they come.
std::string StorageVersion(const ResourceInfo& kind, Compat compat);

// Whether the kind's objects are stored as those of another version of it.
bool IsConverted(const ResourceInfo& kind);

// Whether a pod's resources can be changed at its subresource `resize`.
bool HasPodResize(Compat compat);

// Whether the kind's watch cache is filled when the server starts, and not at its first request.
bool IsCachedFromStart(const ResourceInfo& kind);

bool HasApproval(const ResourceInfo& kind);

// The functions that make the stored form of a built-in kind's object, and the object of that.
// Null: it is stored as it is.
using Conversion = value::Value (*)(const value::Value& tree);
Conversion ToStoredForm(const ResourceInfo& kind);
Conversion FromStoredForm(const ResourceInfo& kind);

// The new object with who creates it, if its kind writes that down.
value::Value WithCreator(const ResourceInfo& kind, value::Value tree, std::string_view user,
                         const std::vector<std::string>& groups);

}  // namespace ksim::api
