// OwnerReferencesPermissionEnforcement: whoever changes the owners of an object must be allowed to
// delete it, and whoever lets it block the deletion of an owner to set that owner's finalizers. Off
// by default, as upstream; without RBAC everybody may.
//
// Source: plugin/pkg/admission/gc/gc_admission.go.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/filters/authorization.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

const Value& OwnersOf(const Value& object) {
  static const Path kOwners{"metadata", "ownerReferences"};
  return object.Get(kOwners);
}

// isChangingOwnerReference.
bool ChangesOwners(const Attributes& a) {
  const Value& owners = OwnersOf(a.object);
  const Value& old = OwnersOf(a.old);
  return owners.empty() != old.empty() || (!owners.empty() && owners != old);
}

// newBlockingOwnerDeletionRefs.
std::vector<Value> NewBlockingOwners(const Attributes& a) {
  std::vector<Value> blocking;
  for (const Value& owner : OwnersOf(a.object).items()) {
    if (!owner.Get("blockOwnerDeletion").AsBool()) continue;
    const auto old = OwnersOf(a.old).items();
    const bool blocked = std::any_of(old.begin(), old.end(), [&owner](const Value& o) {
      return o.Get("uid") == owner.Get("uid") && o.Get("blockOwnerDeletion").AsBool();
    });
    if (!blocked) blocking.push_back(owner);
  }
  return blocking;
}

class OwnerReferences final : public Plugin {
 public:
  explicit OwnerReferences(const PluginContext& context) : context_(context) {}
  std::string_view name() const override { return "OwnerReferencesPermissionEnforcement"; }
  bool Handles(const Attributes&) const override { return false; }
  bool Judges() const override { return context_.authorizer.has_roles(); }
  bool Validates(const Attributes& a) const override {
    const bool of_status = a.Is("", "pods", "status");  // its strategy keeps the owners
    return Judges() && a.operation != Operation::kDelete && !of_status && a.user != nullptr &&
           ChangesOwners(a);
  }

  sim::Task<api::Status> Validate(Attributes& a) override { co_return Judge(a); }

 private:
  api::Status Judge(const Attributes& a) const {
    if (a.operation != Operation::kCreate) {
      const std::string why = WhyNot(a, AccessTo(a, "delete"));
      if (!why.empty())
        return AdmissionForbidden(
            a, fmt::format("cannot set an ownerRef on a resource you can't delete: {}", why));
    }
    const std::vector<Value> blocking = NewBlockingOwners(a);
    if (blocking.empty() || WhyNot(a, FinalizeAnything()).empty()) return api::Status();
    for (const Value& owner : blocking)
      if (const api::Status refused = JudgeOwner(a, owner); !refused.ok()) return refused;
    return api::Status();
  }

  api::Status JudgeOwner(const Attributes& a, const Value& owner) const {
    const std::string_view version = owner.Get("apiVersion").AsString();
    const std::string_view kind = owner.Get("kind").AsString();
    const api::ResourceInfo* const info = context_.kinds.ByKind(version, kind);
    if (info == nullptr)
      return AdmissionForbidden(
          a, fmt::format("cannot set blockOwnerDeletion in this case because cannot find "
                         "RESTMapping for APIVersion {} Kind {}: no matches for kind {} in version "
                         "{}",
                         version, kind, api::GoQuote(kind), api::GoQuote(version)));
    Access access;
    access.verb = "update";
    access.group = info->group;
    access.resource = info->resource;
    access.subresource = "finalizers";
    access.name = owner.Get("name").AsString();
    if (info->namespaced) access.ns = a.ns.view();
    const std::string why = WhyNot(a, access);
    if (why.empty()) return api::Status();
    return AdmissionForbidden(
        a, fmt::format("cannot set blockOwnerDeletion if an ownerReference refers to a resource "
                       "you can't set finalizers on: {}",
                       why));
  }

  // The reason and the error, which is none, as Go prints them; empty if it is allowed.
  std::string WhyNot(const Attributes& a, const Access& access) const {
    const Decision decision = context_.authorizer.Authorize(*a.user, access);
    return decision.allowed ? std::string() : fmt::format("{}, <nil>", decision.reason);
  }

  static Access AccessTo(const Attributes& a, const char* verb) {
    Access access;
    access.verb = verb;
    access.group = a.resource.group;
    access.resource = a.resource.resource;
    access.subresource = a.subresource.view();
    access.ns = a.ns.view();
    access.name = a.name.view();
    return access;
  }

  static Access FinalizeAnything() {
    Access access;
    access.verb = "update";
    access.group = access.resource = access.name = "*";
    access.subresource = "finalizers";
    return access;
  }

  PluginContext context_;
};

}  // namespace

std::unique_ptr<Plugin> MakeOwnerReferences(const PluginContext& context) {
  return std::make_unique<OwnerReferences>(context);
}

}  // namespace ksim::apiserver
