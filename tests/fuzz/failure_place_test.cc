#include "ksim/fuzz/failure_place.h"

#include <gtest/gtest.h>

namespace ksim::fuzz {
namespace {

TEST(Generalised, TakesOutWhatIsAnotherInEveryRun) {
  const struct {
    const char* text;
    const char* general;
  } cases[] = {
      {"pods/default/my-replicaset-x7k2p", "pods/default/my-replicaset-*"},
      {"pods/default/my-watch", "pods/default/my-watch"},  // vowels: no generated suffix
      {"watch 17 of kubelet/node-12 on kube-apiserver-0",
       "watch N of kubelet/node-N on kube-apiserver-N"},
      {"nothing at all", "nothing at all"},
      {"", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(Generalised(c.text), c.general);
}

TEST(PlaceOf, ObjectsOfOneOwnerAreOnePlace) {
  trace::Violation a, b, other;
  a.oracle = b.oracle = other.oracle = "noOvershoot";
  a.objects = {"pods/default/web-x7k2p", "pods/default/web-zzzzz"};
  b.objects = {"pods/default/web-bbbbb"};
  b.message = "another seed says it otherwise";
  other.objects = {"pods/other/web-bbbbb"};
  EXPECT_EQ(PlaceOf(a), PlaceOf(b));
  EXPECT_NE(PlaceOf(a), PlaceOf(other));
}

// G-IN12.
TEST(PlaceOf, AnInvariantIsItsObjectOrOfASetItself) {
  trace::Violation one, other, set, later;
  one.oracle = other.oracle = set.oracle = later.oracle = "invariant.a";
  one.message = "always object.x: it is false of pods/default/web-x7k2p since web wrote it";
  one.objects = {"pods/default/web-x7k2p"};
  other.message = "always object.x: it has no answer (no such key: x) of pods/default/web-zzzzz";
  other.objects = {"pods/default/web-zzzzz"};
  EXPECT_EQ(PlaceOf(one), PlaceOf(other));
  set.message = "whenever count > 1, then count == 1 within 1m0s: it was true of the 3 pods";
  later.message = "whenever count > 1, then count == 1: it was true of the 2 pods";
  EXPECT_EQ(PlaceOf(set), "whenever count > 1, then count == 1");
  EXPECT_EQ(PlaceOf(set), PlaceOf(later));
}

TEST(PlaceOf, AnExpectationIsItsOwnWordsWithoutItsTime) {
  trace::Violation strict, lax;
  strict.oracle = lax.oracle = "expect";
  strict.message = "eventually 2 pods with app=web within 1m: there is 1";
  strict.objects = {"pods/default/web-x7k2p"};
  lax.message = "eventually 2 pods with app=web: there are 3";
  EXPECT_EQ(PlaceOf(strict), "eventually 2 pods with app=web");
  EXPECT_EQ(PlaceOf(strict), PlaceOf(lax));
}

TEST(PlaceOf, ALimitIsWhatKeptTheRunBusy) {
  trace::Violation v;
  v.oracle = "limit";
  v.message = "not quiet when limit.time had passed; busy with: sleep  kubelet/node-2  due +31.5s";
  EXPECT_EQ(PlaceOf(v), "not quiet when limit.time had passed; busy with: sleep  kubelet/node-N");
  v.message =
      "not quiet when limit.time had passed; busy with: step 2 (delete rs/r) has not ended: it "
      "waits "
      "for replicasets/r to be gone; nobody has removed its finalizer \"x\"";
  EXPECT_EQ(PlaceOf(v),
            "not quiet when limit.time had passed; busy with: step N (delete rs/r) has not ended");
}

TEST(PlaceOf, WhichEventCameNextWhenALoopHadMadeTooManyIsChance) {
  trace::Violation a, b;
  a.oracle = b.oracle = "limit";
  a.message = "not quiet when limit.events had passed; busy with: message  etcd  due +5.2s";
  b.message = "not quiet when limit.events had passed; busy with: mailbox  looper  due +7s";
  EXPECT_EQ(PlaceOf(a), PlaceOf(b));
}

TEST(FileNameOf, IsOneDirectoryName) {
  const std::string name = FileNameOf("expect", "always at most 2 pods with app=a/b");
  EXPECT_EQ(name.find_first_of("/ ="), std::string::npos);
  EXPECT_TRUE(name.starts_with("expect-always-at-most"));
  EXPECT_NE(name, FileNameOf("expect", "always at most 2 pods with app=a b"));
}

}  // namespace
}  // namespace ksim::fuzz
