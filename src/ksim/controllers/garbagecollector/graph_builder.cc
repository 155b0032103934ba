#include "ksim/controllers/garbagecollector/graph_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ksim/controllers/common/finalizers.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {
namespace {

// deletionStartsWithFinalizer
bool DeletionStartsWith(std::string_view finalizer, const api::Object& old_object,
                        const api::Object& object) {
  if (!object.deleting() || !HasFinalizer(object, finalizer)) return false;
  return old_object.empty() || !old_object.deleting() || !HasFinalizer(old_object, finalizer);
}

}  // namespace

// --- what informers tell -------------------------------------------------------------------------

void GraphBuilder::Put(const api::ResourceInfo& resource, const api::Object& old_object,
                       const api::Object& object) {
  NodePtr node = graph_.Find(object.uid());
  if (node == nullptr) {
    return Insert(ObjectIdentity::Of(resource, object), old_object, object);
  }
  if (!node->IsObserved())
    node = MarkObserved(std::move(node), ObjectIdentity::Of(resource, object));
  Update(node, old_object, object);
}

void GraphBuilder::Delete(const api::ResourceInfo& resource, const api::Object& object) {
  NodePtr node = graph_.Find(object.uid());
  if (node == nullptr) return;
  const ObjectIdentity deleted = ObjectIdentity::Of(resource, object);
  if (!node->IsObserved()) node = MarkObserved(std::move(node), deleted);
  Remove(node, deleted);
}

void GraphBuilder::DeleteVirtually(const ObjectIdentity& identity) {
  const NodePtr node = graph_.Find(identity.uid);
  if (node == nullptr) return;
  if (!by_uid_ && StaysAfterVirtualDeletion(node, identity)) return;
  Remove(node, identity);
}

// A dependent that refers to the owner by other coordinates than those that it turns out to have is
// looked at: the order of bad child before good parent. AddToOwners sees to the other order.
NodePtr GraphBuilder::MarkObserved(NodePtr node, const ObjectIdentity& observed) {
  if (node->identity != observed) {
    for (const NodePtr& dependent : Partition(node->dependents, observed).other) {
      if (observed.namespaced() && dependent->identity.ns != observed.ns)
        ReportInvalidNamespace(*dependent, observed.uid);
      sink_.AttemptToDelete(dependent);
    }
    node = graph_.Replace(*node, observed);
  }
  node->is_virtual = false;
  return node;
}

// A creation and a deletion may have become one event, so that a node may be new and deleting.
void GraphBuilder::Insert(const ObjectIdentity& identity, const api::Object& old_object,
                          const api::Object& object) {
  const NodePtr node = graph_.Make(identity);
  node->references = ReferencesOf(object);
  node->owners = OwnersOf(object);
  node->being_deleted = object.deleting();
  node->deleting_dependents = object.deleting() && HasFinalizer(object, kForegroundFinalizer);
  graph_.Put(node);
  AddToOwners(node, node->owners);
  Transition(node, old_object, object);
}

void GraphBuilder::Update(const NodePtr& node, const api::Object& old_object,
                          const api::Object& object) {
  // Most updates leave the references as they are.
  if (const value::Value& references = ReferencesOf(object); references != node->references) {
    Owners owners = OwnersOf(object);
    const OwnersDiff diff = DiffOwners(node->owners, owners);
    WakeUnblockedOwners(diff);
    node->references = references;
    node->owners = std::move(owners);
    AddToOwners(node, diff.added);
    RemoveFromOwners(*node, diff.removed);
  }
  if (object.deleting()) node->being_deleted = true;
  Transition(node, old_object, object);
}

// processTransitions
void GraphBuilder::Transition(const NodePtr& node, const api::Object& old_object,
                              const api::Object& object) {
  if (DeletionStartsWith(kOrphanFinalizer, old_object, object)) {
    sink_.AttemptToOrphan(node);
    return;
  }
  if (!DeletionStartsWith(kForegroundFinalizer, old_object, object)) return;
  node->deleting_dependents = true;  // a virtual node does not know it yet
  for (const auto& [number, dependent] : node->dependents) sink_.AttemptToDelete(dependent);
  sink_.AttemptToDelete(node);
}

// --- owners --------------------------------------------------------------------------------------

// addDependentToOwners
void GraphBuilder::AddToOwners(const NodePtr& node, const Owners& owners) {
  bool perhaps_invalid = false;
  for (const Owner& owner : owners) {
    NodePtr owner_node = graph_.Find(owner.uid);
    const bool is_new = owner_node == nullptr;
    if (is_new) owner_node = AddVirtualOwner(*node, owner);
    owner_node->dependents.emplace(node->number, node);
    if (is_new)
      sink_.AttemptToDelete(owner_node);
    else if (!perhaps_invalid)
      perhaps_invalid = IsPerhapsInvalid(node, owner, *owner_node);
  }
  if (perhaps_invalid && !by_uid_) sink_.AttemptToDelete(node);
}

// Looking at a virtual node asks the API server whether its object exists.
NodePtr GraphBuilder::AddVirtualOwner(const Node& dependent, const Owner& owner) {
  NodePtr node = graph_.Make(owner.In(dependent.identity.ns));
  node->is_virtual = true;
  graph_.Put(node);
  return node;
}

// Whether the dependent's reference may lead nowhere, and the dependent has to be looked at.
bool GraphBuilder::IsPerhapsInvalid(const NodePtr& dependent, const Owner& owner,
                                    const Node& owner_node) {
  const ObjectIdentity& identity = owner_node.identity;
  const bool same_namespace = identity.ns == dependent->identity.ns;
  if (identity.namespaced() && !same_namespace) {
    if (owner_node.IsObserved()) ReportInvalidNamespace(*dependent, owner.uid);
    return true;
  }
  if (!owner.Matches(identity)) return true;
  // The owner may be an absent object of a namespaced kind, to which a cluster-scoped object
  // referred first (kubernetes#98040).
  return !identity.namespaced() && !same_namespace && !owner_node.IsObserved();
}

void GraphBuilder::RemoveFromOwners(const Node& node, const Owners& owners) {
  for (const Owner& owner : owners) {
    const NodePtr owner_node = graph_.Find(owner.uid);
    if (owner_node != nullptr) owner_node->dependents.erase(node.number);
  }
}

// addUnblockedOwnersToDeleteQueue: owners that a reference no longer keeps from going.
void GraphBuilder::WakeUnblockedOwners(const OwnersDiff& diff) {
  for (const Owner& owner : diff.removed)
    if (owner.blocks) WakeOwner(owner.uid);
  for (const auto& [before, after] : diff.changed)
    if (before.blocks && !after.blocks) WakeOwner(after.uid);
}

void GraphBuilder::WakeOwner(std::string_view uid) {
  const NodePtr owner = graph_.Find(uid);
  if (owner != nullptr) sink_.AttemptToDelete(owner);
}

void GraphBuilder::ReportInvalidNamespace(const Node& dependent, std::string_view owner_uid) {
  const auto owner = std::find_if(dependent.owners.begin(), dependent.owners.end(),
                                  [owner_uid](const Owner& o) { return o.uid == owner_uid; });
  if (owner != dependent.owners.end()) sink_.TellOfInvalidNamespace(dependent, *owner);
}

// --- deletion ------------------------------------------------------------------------------------

void GraphBuilder::Remove(const NodePtr& node, const ObjectIdentity& deleted) {
  graph_.Erase(*node);
  RemoveFromOwners(*node, node->owners);
  if (!node->dependents.empty()) absent_.Add(deleted);
  for (const auto& [number, dependent] : node->dependents) sink_.AttemptToDelete(dependent);
  // Owners that wait for their dependents may have waited for this one.
  for (const Owner& owner : node->owners) {
    const NodePtr owner_node = graph_.Find(owner.uid);
    if (owner_node != nullptr && owner_node->deleting_dependents) sink_.AttemptToDelete(owner_node);
  }
}

bool GraphBuilder::StaysAfterVirtualDeletion(const NodePtr& node, const ObjectIdentity& deleted) {
  if (node->IsObserved()) {
    // The informer has told of other coordinates: only references to the absent ones are wrong.
    if (node->identity == deleted) return false;
    KSIM_PROBE("gc/absent-by-other-coordinates");
    KnowAbsent(deleted, Partition(node->dependents, deleted).matching);
    return true;
  }
  const PartitionedDependents dependents = Partition(node->dependents, deleted);
  if (dependents.other.empty()) return false;
  KSIM_PROBE("gc/dependents-disagree");
  KnowAbsent(deleted, dependents.matching);
  if (node->identity == deleted) {
    ObjectIdentity other = AlternateIdentity(dependents.other, deleted);
    if (!other.uid.empty()) sink_.AttemptToDeleteLater(graph_.Replace(*node, std::move(other)));
  }
  return true;
}

void GraphBuilder::KnowAbsent(const ObjectIdentity& absent,
                              const std::vector<NodePtr>& dependents) {
  if (dependents.empty()) return;
  absent_.Add(absent);
  for (const NodePtr& dependent : dependents) sink_.AttemptToDelete(dependent);
}

PartitionedDependents Partition(const Node::Dependents& dependents, const ObjectIdentity& owner) {
  PartitionedDependents out;
  for (const auto& [number, dependent] : dependents) {
    bool matches = false;
    bool differs = owner.namespaced() && owner.ns != dependent->identity.ns;
    if (!differs) {
      for (const Owner& reference : dependent->owners) {
        if (reference.uid != owner.uid) continue;
        (reference.Matches(owner) ? matches : differs) = true;
      }
    }
    if (matches) out.matching.push_back(dependent);
    if (differs) out.other.push_back(dependent);
  }
  return out;
}

ObjectIdentity AlternateIdentity(const std::vector<NodePtr>& dependents,
                                 const ObjectIdentity& absent) {
  std::set<ObjectIdentity> others;
  for (const NodePtr& dependent : dependents) {
    for (const Owner& owner : dependent->owners) {
      if (owner.uid != absent.uid) continue;
      const bool same_place = !absent.namespaced() || absent.ns == dependent->identity.ns;
      if (owner.Matches(absent) && same_place) continue;
      ObjectIdentity other = owner.In(dependent->identity.ns);
      // A kind that is known to be of cluster scope.
      if (!absent.namespaced() && other.api_version == absent.api_version &&
          other.kind == absent.kind)
        other.ns.clear();
      if (other != absent) others.insert(std::move(other));
    }
  }
  if (others.empty()) return {};
  const auto following = others.upper_bound(absent);
  return following != others.end() ? *following : *others.begin();
}

}  // namespace ksim::controllers
