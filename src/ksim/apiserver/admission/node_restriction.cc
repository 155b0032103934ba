// NodeRestriction: a kubelet may change only its own Node and Lease, and the pods that are bound to
// it, and may not give itself taints and labels that would draw pods to it. On where roles judge
// requests, as kubeadm has it.
//
// Sources: plugin/pkg/admission/noderestriction/admission.go; kubelet
// pkg/apis/well_known_labels.go; cmd/kubeadm/app/phases/controlplane/manifests.go
// (--enable-admission-plugins=NodeRestriction).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/pod/pod_update_validation.h"
#include "ksim/apiserver/admission/api_references.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using api::GoQuote;
using value::Path;
using value::Value;

// Equality as Go's Semantic.DeepEqual has it: no list is an empty list.
bool SameOrEmpty(const Value& a, const Value& b) { return (a.empty() && b.empty()) || a == b; }

// Domains match themselves and those below them.
bool IsDomainIn(std::string_view domain, std::string_view parent) {
  if (!domain.ends_with(parent)) return false;
  domain.remove_suffix(parent.size());
  return domain.empty() || domain.ends_with('.');
}

// kubeletLabels, kubeletLabelNamespaces.
bool IsKubeletLabel(std::string_view key, std::string_view domain) {
  static constexpr std::string_view kLabels[] = {"kubernetes.io/hostname",
                                                 "topology.kubernetes.io/zone",
                                                 "topology.kubernetes.io/region",
                                                 "failure-domain.beta.kubernetes.io/zone",
                                                 "failure-domain.beta.kubernetes.io/region",
                                                 "beta.kubernetes.io/instance-type",
                                                 "node.kubernetes.io/instance-type",
                                                 "kubernetes.io/os",
                                                 "kubernetes.io/arch",
                                                 "beta.kubernetes.io/os",
                                                 "beta.kubernetes.io/arch"};
  return std::find(std::begin(kLabels), std::end(kLabels), key) != std::end(kLabels) ||
         IsDomainIn(domain, "kubelet.kubernetes.io") || IsDomainIn(domain, "node.kubernetes.io");
}

// getForbiddenLabels.
bool IsForbiddenLabel(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view domain = slash == key.npos ? "" : key.substr(0, slash);
  if (IsDomainIn(domain, "node-restriction.kubernetes.io")) return true;
  return (IsDomainIn(domain, "kubernetes.io") || IsDomainIn(domain, "k8s.io")) &&
         !IsKubeletLabel(key, domain);
}

// The labels that the two differ in and that a kubelet may not set, as a refusal lists them.
std::string ForbiddenLabelsChanged(const Value& object, const Value& old) {
  static const Path kLabels{"metadata", "labels"};
  const Value& after = object.Get(kLabels);
  const Value& before = old.Get(kLabels);
  std::set<std::string_view> forbidden;
  for (const Value* labels : {&after, &before}) {
    for (const Value::Member& label : labels->members()) {
      const std::string_view key = label.name.text();
      if (after.Get(label.name) != before.Get(label.name) && IsForbiddenLabel(key))
        forbidden.insert(key);
    }
  }
  return fmt::format("{}", fmt::join(forbidden, ", "));
}

std::string_view OperationText(Operation operation) {
  if (operation == Operation::kCreate) return "CREATE";
  return operation == Operation::kUpdate ? "UPDATE" : "DELETE";
}

std::string UnexpectedOperation(const Attributes& a) {
  return fmt::format("unexpected operation {}", GoQuote(OperationText(a.operation)));
}

std::string_view NodeOfPod(const Value& pod) {
  static const Path kNode{"spec", "nodeName"};
  return pod.Get(kNode).AsString();
}

// The name in the URL; of a creation that in the object.
std::string RequestedName(const Attributes& a) {
  static const Path kName{"metadata", "name"};
  return a.name.empty() ? std::string(a.object.Get(kName).AsString()) : a.name.str();
}

// resourceClaimStatusesEqual.
bool SameClaimStatuses(const Value& a, const Value& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const char* field : {"name", "resourceClaimName"})
      if (a.at(i).Get(field) != b.at(i).Get(field)) return false;
  return true;
}

class NodeRestriction final : public Plugin {
 public:
  explicit NodeRestriction(const PluginContext& context)
      : context_(context), profile_(apiserver::ProfileOf(context.shared.compat)) {}
  std::string_view name() const override { return "NodeRestriction"; }
  bool Handles(const Attributes& a) const override {
    return a.user != nullptr && NodeIdentity(*a.user).has_value();
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    const std::string node(*NodeIdentity(*a.user));
    if (node.empty())
      co_return AdmissionForbidden(
          a, fmt::format("could not determine node from user {}", GoQuote(a.user->name)));
    if (a.resource.group.empty() && a.resource.resource == "pods")
      co_return co_await JudgePod(node, a);
    if (a.resource.group == "resource.k8s.io" && a.resource.resource == "resourceslices")
      co_return co_await JudgeSlice(node, a);
    const std::string why = WhyNot(node, a);
    co_return why.empty() ? api::Status() : AdmissionForbidden(a, why);
  }

 private:
  // Judges by the request alone; empty if it is good.
  std::string WhyNot(const std::string& node, const Attributes& a) const {
    const std::string_view group = a.resource.group;
    const std::string_view resource = a.resource.resource;
    if (group.empty() && resource == "nodes") return WhyNotNode(node, a);
    if (group.empty() && resource == "persistentvolumeclaims") return WhyNotClaim(node, a);
    if (group == "coordination.k8s.io" && resource == "leases") return WhyNotLease(node, a);
    if (group == "storage.k8s.io" && resource == "csinodes" && RequestedName(a) != node)
      return "can only access CSINode with the same name as the requesting node";
    return "";
  }

  // --- pods ---

  sim::Task<api::Status> JudgePod(std::string node, const Attributes& a) {
    std::string why;
    if (a.subresource.empty() && a.operation == Operation::kCreate) {
      why = WhyNotMirrorPod(node, a.object);
      if (!why.empty()) co_return AdmissionForbidden(a, why);
      co_return co_await JudgeOwner(node, a);
    }
    if (a.subresource.empty() && a.operation == Operation::kDelete) {
      why = fmt::format("node {} can only delete pods with spec.nodeName set to itself",
                        GoQuote(node));
      co_return co_await JudgeOnNode(node, a, why);
    }
    if (a.subresource == "eviction" && a.operation == Operation::kCreate) {
      why = fmt::format("node {} can only evict pods with spec.nodeName set to itself", node);
      co_return co_await JudgeOnNode(node, a, why);
    }
    if (a.subresource.empty()) {
      why = fmt::format("{}, node {} can only create and delete mirror pods",
                        UnexpectedOperation(a), GoQuote(node));
    } else if (a.subresource == "status") {
      why = WhyNotStatus(node, a);
    } else if (a.subresource == "eviction") {
      why = fmt::format("unexpected operation {}", OperationText(a.operation));
    } else {
      why = fmt::format("unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
                        GoQuote(a.subresource.view()));
    }
    co_return why.empty() ? api::Status() : AdmissionForbidden(a, why);
  }

  // A pod that is there must be bound to the node.
  sim::Task<api::Status> JudgeOnNode(std::string node, const Attributes& a, std::string refusal) {
    const api::Result<api::Object> pod = co_await Cached("pods", "pod", a.ns, a.name);
    if (!pod.ok()) co_return pod.status();
    if (NodeOfPod(pod->tree()) != node) co_return AdmissionForbidden(a, refusal);
    co_return api::Status();
  }

  // The object as the server's cache has it, as the plugin's lister; missing, the singular is
  // named.
  sim::Task<api::Result<api::Object>> Cached(const char* resource, const char* singular,
                                             SharedText ns, SharedText name) {
    CacheDelegator& storage =
        context_.resources.StorageFor(*context_.kinds.ByResource("", resource));
    const api::Result<CacheDelegator::Found> found = co_await storage.Get(ns, name, "0");
    if (found.ok()) co_return found->object;
    co_return api::NotFound(api::GroupResource("", singular), name.view());
  }

  // admitPodCreate, up to the owner's uid.
  static std::string WhyNotMirrorPod(const std::string& node, const Value& pod) {
    static const Path kMirror{"metadata", "annotations", "kubernetes.io/config.mirror"};
    static const Path kOwners{"metadata", "ownerReferences"};
    const std::string quoted = GoQuote(node);
    if (pod.Find(kMirror) == nullptr)
      return fmt::format(
          "pod does not have \"kubernetes.io/config.mirror\" annotation, node {} can only create "
          "mirror pods",
          quoted);
    if (NodeOfPod(pod) != node)
      return fmt::format("node {} can only create pods with spec.nodeName set to itself", quoted);
    const Value& owners = pod.Get(kOwners);
    if (owners.size() > 1)
      return fmt::format("node {} can only create pods with a single owner reference set to itself",
                         quoted);
    const std::string itself =
        fmt::format("node {} can only create pods with an owner reference set to itself", quoted);
    if (owners.empty()) return itself;
    const Value& owner = owners.at(0);
    if (owner.Get("apiVersion").AsString() != "v1" || owner.Get("kind").AsString() != "Node" ||
        owner.Get("name").AsString() != node)
      return itself;
    if (!owner.Get("controller").AsBool())
      return fmt::format(
          "node {} can only create pods with a controller owner reference set to itself", quoted);
    if (owner.Get("blockOwnerDeletion").AsBool())
      return fmt::format("node {} must not set blockOwnerDeletion on an owner reference", quoted);
    return "";
  }

  sim::Task<api::Status> JudgeOwner(std::string node, const Attributes& a) {
    static const Path kOwners{"metadata", "ownerReferences"};
    const api::Result<api::Object> owner =
        co_await Cached("nodes", "node", SharedText(), SharedText(node));
    if (!owner.ok()) co_return owner.status();
    const std::string uid(a.object.Get(kOwners).at(0).Get("uid").AsString());
    if (uid != owner->uid())
      co_return AdmissionForbidden(
          a, fmt::format("node {} UID mismatch: expected {} got {}", node, uid, owner->uid()));
    const std::string reference = ReferenceOfPod(a.object, profile_.mirror_pods_refer_to_nothing);
    if (reference.empty()) co_return api::Status();
    co_return AdmissionForbidden(
        a, fmt::format("node {} can not create pods that reference {}", GoQuote(node), reference));
  }

  std::string WhyNotStatus(const std::string& node, const Attributes& a) const {
    static const Path kLabels{"metadata", "labels"};
    static const Path kClaims{"status", "resourceClaimStatuses"};
    static const Path kExtended{"status", "extendedResourceClaimStatus"};
    if (a.operation != Operation::kUpdate) return UnexpectedOperation(a);
    const std::string quoted = GoQuote(node);
    if (NodeOfPod(a.old) != node)
      return fmt::format(
          "node {} can only update pod status for pods with spec.nodeName set to itself", quoted);
    if (!SameOrEmpty(a.old.Get(kLabels), a.object.Get(kLabels)))
      return fmt::format("node {} cannot update labels through pod status", quoted);
    if (!SameClaimStatuses(a.old.Get(kClaims), a.object.Get(kClaims)))
      return fmt::format("node {} cannot update resource claim statues", quoted);
    if (profile_.keeps_extended_claims && a.old.Get(kExtended) != a.object.Get(kExtended))
      return fmt::format("node {} cannot update extended resource claim status", quoted);
    return "";
  }

  // --- nodes ---

  std::string WhyNotNode(const std::string& node, const Attributes& a) const {
    const std::string quoted = GoQuote(node);
    const std::string name = RequestedName(a);
    if (name != node)
      return fmt::format("node {} is not allowed to modify node {}", quoted, GoQuote(name));
    if (a.operation == Operation::kCreate) return WhyNotNewNode(quoted, a);
    return a.operation == Operation::kUpdate ? WhyNotChangedNode(quoted, a) : "";
  }

  static std::string WhyNotNewNode(const std::string& quoted, const Attributes& a) {
    if (!a.object.Get(ConfigSource()).is_null())
      return fmt::format("node {} is not allowed to create pods with a non-nil configSource",
                         quoted);
    const std::string labels = ForbiddenLabelsChanged(a.object, Value());
    if (labels.empty()) return "";
    return fmt::format("node {} is not allowed to set the following labels: {}", quoted, labels);
  }

  std::string WhyNotChangedNode(const std::string& quoted, const Attributes& a) const {
    static const Path kTaints{"spec", "taints"};
    static const Path kOwners{"metadata", "ownerReferences"};
    const Value& source = a.object.Get(ConfigSource());
    if (!source.is_null() && source != a.old.Get(ConfigSource()))
      return fmt::format(
          "node {} is not allowed to update configSource to a new non-nil configSource", quoted);
    if (!context_.shared.kubelets_taint && !SameOrEmpty(a.object.Get(kTaints), a.old.Get(kTaints)))
      return fmt::format("node {} is not allowed to modify taints", quoted);
    const std::string labels = ForbiddenLabelsChanged(a.object, a.old);
    if (!labels.empty()) return fmt::format("is not allowed to modify labels: {}", labels);
    if (profile_.nodes_keep_their_owners && !SameOrEmpty(a.object.Get(kOwners), a.old.Get(kOwners)))
      return fmt::format("node {} is not allowed to modify ownerReferences", quoted);
    return "";
  }

  static const Path& ConfigSource() {
    static const Path path{"spec", "configSource"};
    return path;
  }

  // --- others ---

  std::string WhyNotClaim(const std::string& node, const Attributes& a) const {
    if (a.subresource != "status") return "may only update PVC status";
    if (a.operation != Operation::kUpdate) return UnexpectedOperation(a);
    const Value before = WithoutFreeFields(a.old);
    const Value after = WithoutFreeFields(a.object);
    if (before == after) return "";
    return fmt::format(
        "node {} is not allowed to update fields other than status.quantity and "
        "status.conditions: {}",
        GoQuote(node), api::ChangedFields(before, after));
  }

  // A claim without what a kubelet may change.
  Value WithoutFreeFields(Value claim) const {
    static const Path kFree[] = {{"metadata", "resourceVersion"},
                                 {"metadata", "managedFields"},
                                 {"status", "capacity"},
                                 {"status", "conditions"}};
    static const Path kOfRecovery[] = {{"status", "allocatedResourceStatuses"},
                                       {"status", "allocatedResources"}};
    for (const Path& path : kFree) claim = claim.Erase(path);
    if (!profile_.recover_volume_expansion) return claim;
    for (const Path& path : kOfRecovery) claim = claim.Erase(path);
    return claim;
  }

  static std::string WhyNotLease(const std::string& node, const Attributes& a) {
    if (a.ns != "kube-node-lease")
      return "can only access leases in the \"kube-node-lease\" system namespace";
    if (RequestedName(a) != node)
      return "can only access node lease with the same name as the requesting node";
    return "";
  }

  // A deletion comes here without its object, which is looked up: the authorizer, too, does not
  // know what a collection has.
  sim::Task<api::Status> JudgeSlice(std::string node, const Attributes& a) {
    static const Path kNode{"spec", "nodeName"};
    const bool deletes = a.operation == Operation::kDelete && profile_.slices_deleted_by_their_node;
    if (a.operation != Operation::kCreate && !deletes) co_return api::Status();
    Value slice = a.object;
    if (deletes) {
      CacheDelegator& slices = context_.resources.StorageFor(a.resource);
      const api::Result<api::Object> live = co_await slices.storage().Get("", a.name, 0);
      if (!live.ok()) co_return api::Status();
      slice = live->tree();
    }
    if (slice.Get(kNode).AsString() == node) co_return api::Status();
    co_return AdmissionForbidden(
        a, fmt::format("can only {} ResourceSlice with the same NodeName as the requesting node",
                       deletes ? "delete" : "create"));
  }

  PluginContext context_;
  const Profile& profile_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeRestriction(const PluginContext& context) {
  return std::make_unique<NodeRestriction>(context);
}

}  // namespace ksim::apiserver
