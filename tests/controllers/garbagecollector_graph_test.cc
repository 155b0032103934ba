// The garbage collector's graph: what informers tell, and which nodes have to be looked at. The
// cases of several coordinates for one uid are those of upstream's garbagecollector_test.go
// TestConflictingData and graph_builder_test.go TestGetAlternateOwnerIdentity.
#include "tests/controllers/garbagecollector_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ObjectIdentity kParent = Id("apps/v1", "ReplicaSet", "ns1", "owner", "ou");
const ObjectIdentity kChild = Id("v1", "Pod", "ns1", "pod", "pu");
const ObjectIdentity kMachine = Id("v1", "Node", "", "node", "nu");

// CTRL-GC-02
TEST(GarbageGraph, AnOwnerThatNobodyToldOfIsVirtual) {
  GraphFixture f;
  f.Add(kChild, {ReferenceTo(kParent)});
  ASSERT_NE(f.Find("ou"), nullptr);
  EXPECT_FALSE(f.Find("ou")->IsObserved());
  EXPECT_EQ(f.Find("ou")->identity, kParent);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/owner"));
  f.Add(kParent);
  EXPECT_TRUE(f.Find("ou")->IsObserved());
  EXPECT_THAT(f.Told(), IsEmpty());
  EXPECT_EQ(f.Find("ou")->dependents.size(), 1u);
}

// CTRL-GC-02, CTRL-GC-07
TEST(GarbageGraph, AVirtualOwnerThatIsNotThereGoes) {
  GraphFixture f;
  f.Add(kChild, {ReferenceTo(kParent)});
  f.Told();
  f.builder.DeleteVirtually(kParent);
  EXPECT_EQ(f.Find("ou"), nullptr);
  EXPECT_TRUE(f.builder.absent_owners().Has(kParent));
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/pod"));
}

// CTRL-GC-03: an owner of cluster scope was known by the namespace of its dependent.
TEST(GarbageGraph, AnObservedOwnerTakesThePlaceOfTheVirtualOne) {
  GraphFixture f;
  f.Add(kChild, {ReferenceTo(kMachine)});
  const NodePtr before = f.Find("nu");
  EXPECT_EQ(before->identity.ns, "ns1");
  f.Told();
  f.Add(kMachine);
  EXPECT_NE(f.Find("nu"), before);
  EXPECT_FALSE(before->IsObserved());
  EXPECT_TRUE(f.Find("nu")->IsObserved());
  EXPECT_EQ(f.Find("nu")->identity, kMachine);
  EXPECT_EQ(f.Find("nu")->dependents.size(), 1u);
  EXPECT_THAT(f.Told(), IsEmpty()) << "the dependent's reference is right";
}

// CTRL-GC-04
TEST(GarbageGraph, AReferenceThatNoLongerBlocksWakesTheOwner) {
  const value::Value blocking = ReferenceTo(kParent, true), plain = ReferenceTo(kParent);
  const std::vector<std::vector<value::Value>> later = {{plain}, {}};
  for (const std::vector<value::Value>& references : later) {
    GraphFixture f;
    f.Add(kParent);
    f.Add(kChild, {blocking});
    EXPECT_THAT(f.Find("ou")->BlockingDependents(), ElementsAre(f.Find("pu")));
    EXPECT_THAT(f.Told(), IsEmpty());
    f.Update(kChild, MakeObject(kChild, {blocking}), MakeObject(kChild, references));
    EXPECT_THAT(f.Told(), ElementsAre("delete ns1/owner"));
    EXPECT_THAT(f.Find("ou")->BlockingDependents(), IsEmpty());
    EXPECT_EQ(f.Find("ou")->dependents.size(), references.size());
  }
}

// CTRL-GC-04: one that begins to block wakes nobody.
TEST(GarbageGraph, AReferenceThatBeginsToBlockWakesNobody) {
  GraphFixture f;
  f.Add(kParent);
  f.Add(kChild, {ReferenceTo(kParent)});
  f.Update(kChild, MakeObject(kChild, {ReferenceTo(kParent)}),
           MakeObject(kChild, {ReferenceTo(kParent, true)}));
  EXPECT_THAT(f.Told(), IsEmpty());
  EXPECT_THAT(f.Find("ou")->BlockingDependents(), ElementsAre(f.Find("pu")));
}

// CTRL-GC-07
TEST(GarbageGraph, ADeletionWakesDependentsAndOwnersThatWait) {
  GraphFixture f;
  f.Add(kParent, {}, true, {kForegroundFinalizer});
  f.Add(kChild, {ReferenceTo(kParent)});
  const ObjectIdentity child = Id("v1", "ConfigMap", "ns1", "child", "cu");
  f.Add(child, {ReferenceTo(kChild)});
  f.Told();
  f.Delete(kChild, {ReferenceTo(kParent)});
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/child", "delete ns1/owner"));
  EXPECT_TRUE(f.builder.absent_owners().Has(kChild));
  EXPECT_THAT(f.Find("ou")->dependents, IsEmpty());
  f.Delete(child, {ReferenceTo(kChild)});
  EXPECT_FALSE(f.builder.absent_owners().Has(child)) << "nobody depends on it";
}

// CTRL-GC-10
TEST(GarbageGraph, TheBeginOfADeletionIsSeenOnce) {
  GraphFixture f;
  f.Add(kParent);
  f.Add(kChild, {ReferenceTo(kParent)});
  const api::Object alive = MakeObject(kParent);
  const api::Object waits = MakeObject(kParent, {}, true, {kForegroundFinalizer});
  f.Update(kParent, alive, waits);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/pod", "delete ns1/owner"));
  EXPECT_TRUE(f.Find("ou")->deleting_dependents);
  EXPECT_TRUE(f.Find("ou")->being_deleted);
  f.Update(kParent, waits, waits);
  EXPECT_THAT(f.Told(), IsEmpty());
  const api::Object orphans = MakeObject(kParent, {}, true, {kOrphanFinalizer});
  f.Update(kParent, alive, orphans);
  EXPECT_THAT(f.Told(), ElementsAre("orphan ns1/owner"));
  f.Update(kParent, alive, MakeObject(kParent, {}, false, {kOrphanFinalizer}));
  EXPECT_THAT(f.Told(), IsEmpty()) << "it is not being deleted";
  f.Update(kParent, alive, MakeObject(kParent, {}, true, {"example.dev/mine"}));
  EXPECT_THAT(f.Told(), IsEmpty());
}

// CTRL-GC-10: creation and deletion may be one event.
TEST(GarbageGraph, AnObjectMayBeNewAndWaiting) {
  GraphFixture f;
  f.Add(kChild, {ReferenceTo(kParent)});
  f.Told();
  f.Add(kParent, {}, true, {kForegroundFinalizer});
  EXPECT_TRUE(f.Find("ou")->deleting_dependents);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/pod", "delete ns1/owner"));
}

// CTRL-GC-09
TEST(GarbageGraph, ADependentInAnotherNamespaceIsToldAndLookedAt) {
  const ObjectIdentity owner = Id("v1", "Pod", "ns2", "podname2", "ou");
  const std::string event = "event pod: [v1/Pod, namespace: ns1, name: podname2, uid: ou]";
  GraphFixture parent_first;
  parent_first.Add(owner);
  parent_first.Add(kChild, {ReferenceTo(owner)});
  EXPECT_THAT(parent_first.Told(), ElementsAre(event, "delete ns1/pod"));
  GraphFixture child_first;
  child_first.Add(kChild, {ReferenceTo(owner)});
  EXPECT_THAT(child_first.Told(), ElementsAre("delete ns1/podname2"));
  child_first.Add(owner);
  EXPECT_THAT(child_first.Told(), ElementsAre(event, "delete ns1/pod"));
}

// CTRL-GC-09, kubernetes#98040
TEST(GarbageGraph, ADependentOfAVirtualOwnerOfAnotherScopeIsLookedAt) {
  GraphFixture f;
  f.Add(kMachine, {ReferenceTo(kParent)});
  EXPECT_THAT(f.Told(), ElementsAre("delete owner"));
  f.Add(kChild, {ReferenceTo(kParent)});
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/pod"));
}

// CTRL-GC-09: the kind that a reference names is not the observed one.
TEST(GarbageGraph, ADependentWithOtherCoordinatesIsLookedAt) {
  GraphFixture f;
  f.Add(kParent);
  f.Add(kChild, {ReferenceTo(Id("v1", "Secret", "ns1", "owner", "ou"))});
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/pod"));
}

// CTRL-GC-08
TEST(GarbageGraph, AnAbsenceConcernsThoseWhoseCoordinatesMatch) {
  GraphFixture f;
  const ObjectIdentity wrong = Id("v1", "Secret", "ns1", "secret", "ou");
  const ObjectIdentity bad = Id("v1", "Pod", "ns1", "bad", "bu");
  f.Add(bad, {ReferenceTo(wrong)});
  f.Add(kChild, {ReferenceTo(kParent)});
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/secret", "delete ns1/pod"));
  f.builder.DeleteVirtually(wrong);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/bad", "later ns1/owner"));
  ASSERT_NE(f.Find("ou"), nullptr);
  EXPECT_EQ(f.Find("ou")->identity, kParent) << "the other identity";
  EXPECT_TRUE(f.builder.absent_owners().Has(wrong));
  EXPECT_FALSE(f.builder.absent_owners().Has(kParent));
}

// CTRL-GC-08
TEST(GarbageGraph, AnObservedOwnerStaysWhateverIsAbsentElsewhere) {
  GraphFixture f;
  const ObjectIdentity wrong = Id("v1", "Secret", "ns1", "secret", "ou");
  const ObjectIdentity bad = Id("v1", "Pod", "ns1", "bad", "bu");
  f.Add(bad, {ReferenceTo(wrong)});
  f.Add(kChild, {ReferenceTo(kParent)});
  f.Add(kParent);
  f.Told();
  f.builder.DeleteVirtually(wrong);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/bad"));
  ASSERT_NE(f.Find("ou"), nullptr);
  EXPECT_TRUE(f.Find("ou")->IsObserved());
  f.builder.DeleteVirtually(kParent);
  EXPECT_EQ(f.Find("ou"), nullptr);
}

// The variant gc.absentOwners: uid.
TEST(GarbageGraph, ByUidAnAbsenceConcernsAll) {
  GraphFixture f(true);
  const ObjectIdentity wrong = Id("v1", "Secret", "ns1", "secret", "ou");
  const ObjectIdentity bad = Id("v1", "Pod", "ns1", "bad", "bu");
  f.Add(bad, {ReferenceTo(wrong)});
  f.Add(kChild, {ReferenceTo(kParent)});
  f.Told();
  f.builder.DeleteVirtually(wrong);
  EXPECT_THAT(f.Told(), ElementsAre("delete ns1/bad", "delete ns1/pod"));
  EXPECT_TRUE(f.builder.absent_owners().Has(kParent));
}

// CTRL-GC-05
TEST(GarbageGraph, FiveHundredAbsentOwnersAreRemembered) {
  AbsentOwners absent(false);
  const auto nth = [](int i) { return Id("v1", "Pod", "ns1", "p", fmt::format("u{}", i)); };
  for (int i = 0; i < 500; ++i) absent.Add(nth(i));
  EXPECT_TRUE(absent.Has(nth(0))) << "and so it is used again";
  absent.Add(nth(500));
  EXPECT_TRUE(absent.Has(nth(0)));
  EXPECT_FALSE(absent.Has(nth(1)));
  EXPECT_TRUE(absent.Has(nth(2)));
  ObjectIdentity elsewhere = nth(2);
  elsewhere.ns = "ns2";
  EXPECT_FALSE(absent.Has(elsewhere));
}

// --- getAlternateOwnerIdentity
// --------------------------------------------------------------------

NodePtr Child(const ObjectIdentity& id, const std::vector<ObjectIdentity>& owners) {
  static std::uint64_t made = 0;  // NOLINT(ksim-static): numbers only
  auto node = std::make_shared<Node>(id, ++made);
  for (const ObjectIdentity& owner : owners) node->owners.emplace_back(ReferenceTo(owner));
  return node;
}

// CTRL-GC-08
TEST(GarbageGraph, TheNextIdentityOfAnAbsentOwner) {
  const ObjectIdentity c11 = Id("v1", "Child", "ns1", "child1", "c11");
  const ObjectIdentity c12 = Id("v1", "Child", "ns1", "child2", "c12");
  const ObjectIdentity c21 = Id("v1", "Child", "ns2", "child1", "c21");
  const ObjectIdentity cluster_child = Id("v1", "Child", "", "child1", "cc1");
  const auto parent = [](const char* version, const char* kind, const char* ns, const char* name) {
    return Id(version, kind, ns, name, "parentuid");
  };
  const ObjectIdentity ns1 = parent("v1", "NSParent", "ns1", "parentname");
  const ObjectIdentity cluster = parent("v1", "ClusterParent", "", "parentname");
  std::vector<ObjectIdentity> namespaced, clustered;
  for (const char* version : {"v1", "v2", "v3", "v4", "v5"}) {
    namespaced.push_back(Id(version, "kind", "ns1", "name", "uid"));
    clustered.push_back(Id(version, "kind", "", "name", "uid"));
  }
  struct Case {
    std::vector<NodePtr> dependents;
    ObjectIdentity absent, expected;
  };
  const std::vector<Case> cases = {
      {{Child(c11, {ns1}), Child(c12, {parent("xx", "NSParent", "ns1", "parentname")})},
       ns1,
       parent("xx", "NSParent", "ns1", "parentname")},
      {{Child(c11, {ns1}), Child(c12, {parent("v1", "xxxxxxxx", "ns1", "parentname")})},
       ns1,
       parent("v1", "xxxxxxxx", "ns1", "parentname")},
      {{Child(c11, {ns1}), Child(c21, {ns1})}, ns1, parent("v1", "NSParent", "ns2", "parentname")},
      {{Child(c11, {ns1}), Child(c11, {parent("v1", "NSParent", "ns1", "xxxxxxxxxx")})},
       ns1,
       parent("v1", "NSParent", "ns1", "xxxxxxxxxx")},
      // Nothing says that the other version, or kind, is of cluster scope.
      {{Child(c11, {cluster}), Child(c12, {parent("xx", "ClusterParent", "", "parentname")})},
       cluster,
       parent("xx", "ClusterParent", "ns1", "parentname")},
      {{Child(c11, {cluster}), Child(c12, {parent("v1", "xxxxxxxxxxxxx", "", "parentname")})},
       cluster,
       parent("v1", "xxxxxxxxxxxxx", "ns1", "parentname")},
      {{Child(c11, {cluster}), Child(c21, {cluster})}, cluster, ObjectIdentity()},
      {{Child(c11, {cluster}), Child(c11, {parent("v1", "ClusterParent", "", "xxxxxxxxxx")})},
       cluster,
       parent("v1", "ClusterParent", "", "xxxxxxxxxx")},
      {{Child(c11, namespaced)}, namespaced[4], namespaced[0]},
      {{Child(c11, namespaced)}, namespaced[3], namespaced[4]},
      {{Child(cluster_child, clustered)}, clustered[4], clustered[0]},
      {{Child(cluster_child, clustered)}, clustered[3], clustered[4]},
      {{Child(c11, {cluster, Id("v1", "Parent", "ns1", "name", "anotheruid")})},
       cluster,
       ObjectIdentity()},
      {{Child(c11, {cluster, cluster})}, cluster, ObjectIdentity()},
      {{Child(cluster_child, {cluster, parent("v1", "xxxxxxxxxxxxx", "", "parentname"),
                              parent("v1", "xxxxxxxxxxxxx", "", "parentname")})},
       cluster,
       parent("v1", "xxxxxxxxxxxxx", "", "parentname")},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(AlternateIdentity(cases[i].dependents, cases[i].absent).ToString(),
              cases[i].expected.ToString())
        << "case " << i;
  }
}

// --- against a slow oracle
// ------------------------------------------------------------------------

// The graph worked out anew from all that has been told: for each node the time since which it is
// there, for each reference the time since which it is known. A dependent is one of a node that was
// there, or came, when the reference did.
class SlowGraph {
 public:
  void Put(const std::string& uid, const std::set<std::string>& owners) {
    ++now_;
    Appear(uid);
    std::map<std::string, int>& known = references_[uid];
    std::erase_if(known, [&owners](const auto& r) { return !owners.contains(r.first); });
    for (const std::string& owner : owners) {
      if (!known.contains(owner)) {
        Appear(owner);
        known[owner] = now_;
      }
    }
  }
  void Delete(const std::string& uid) {
    ++now_;
    since_.erase(uid);
    references_.erase(uid);
  }
  std::map<std::string, std::set<std::string>> Dependents() const {
    std::map<std::string, std::set<std::string>> out;
    for (const auto& [uid, since] : since_) out[uid];
    for (const auto& [uid, known] : references_)
      for (const auto& [owner, when] : known)
        if (const auto it = since_.find(owner); it != since_.end() && it->second <= when)
          out[owner].insert(uid);
    return out;
  }

 private:
  void Appear(const std::string& uid) { since_.emplace(uid, now_); }
  int now_ = 0;
  std::map<std::string, int> since_;
  std::map<std::string, std::map<std::string, int>> references_;
};

// CTRL-GC-01, CTRL-GC-02, CTRL-GC-04, CTRL-GC-07
TEST(GarbageGraph, IsWhatASlowOneIs) {
  constexpr unsigned kObjects = 12;
  const auto id = [](unsigned i) {
    return Id("v1", "Thing", "ns1", fmt::format("t{}", i), fmt::format("u{}", i));
  };
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    GraphFixture f;
    SlowGraph slow;
    std::map<unsigned, api::Object> last;
    for (int step = 0; step < 200; ++step) {
      const unsigned which = random() % kObjects;
      const NodePtr node = f.Find(id(which).uid);
      if (random() % 4 == 0 && node != nullptr) {
        if (node->IsObserved() || random() % 2 == 0)
          f.Delete(id(which));
        else
          f.builder.DeleteVirtually(id(which));
        slow.Delete(id(which).uid);
        last.erase(which);
      } else {
        std::vector<value::Value> references;
        std::set<std::string> owners;
        for (unsigned n = random() % 4; n > 0; --n) {
          const ObjectIdentity owner = id(random() % kObjects);
          if (owners.insert(owner.uid).second)
            references.push_back(ReferenceTo(owner, random() % 2 == 0));
        }
        const api::Object object = MakeObject(id(which), references);
        f.Update(id(which), last[which], object);
        last[which] = object;
        slow.Put(id(which).uid, owners);
      }
      const auto expected = slow.Dependents();
      ASSERT_EQ(f.builder.graph().size(), expected.size()) << "seed " << seed << " step " << step;
      for (const auto& [uid, dependents] : expected) {
        const NodePtr there = f.Find(uid);
        ASSERT_NE(there, nullptr) << uid;
        std::set<std::string> found;
        for (const auto& [number, dependent] : there->dependents)
          found.insert(dependent->identity.uid);
        ASSERT_EQ(found, dependents) << uid << " seed " << seed << " step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace ksim::controllers
