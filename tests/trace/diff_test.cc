#include "ksim/trace/diff.h"

#include <gtest/gtest.h>

#include "ksim/trace/identity.h"
#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

using sim::EventKind;

struct Knobs {
  std::string first_pod = "web-aaaaa", second_pod = "web-bbbbb", uid = "u";
  std::int64_t rv = 10, shift = 0;
  int replicas = 2;
  bool extra = false;
};

// A ReplicaSet, two pods of it, and a request about each.
Trace Example(const Knobs& k) {
  TraceBuilder b;
  std::int64_t rv = k.rv;
  const std::uint64_t step =
      b.Event(0, "kubectl", EventKind::kStep, 0, R"({"n":1,"state":"begin","verb":"create"})");
  const std::uint64_t rs =
      b.Commit(100 + k.shift, step, "replicasets", "web",
               R"({"kind":"ReplicaSet","metadata":{"name":"web","uid":")" + k.uid +
                   R"("},"spec":{"replicas":)" + std::to_string(k.replicas) + "}}",
               rv++);
  for (const std::string& pod : {k.first_pod, k.second_pod}) {
    const std::uint64_t request =
        b.Event(200 + k.shift, "kube-controller-manager/replicaset", EventKind::kRequest, rs,
                R"({"id":)" + std::to_string(rv) + R"(,"verb":"create","resource":"pods",)" +
                    R"("namespace":"default","name":""})");
    b.Commit(300 + k.shift, request, "pods", pod,
             R"({"metadata":{"name":")" + pod + R"(","generateName":"web-","uid":"uid-)" + pod +
                 R"(","creationTimestamp":"2025-01-01T00:00:0)" + std::to_string(k.shift % 10) +
                 R"(Z","ownerReferences":[{"kind":"ReplicaSet","name":"web","uid":")" + k.uid +
                 R"(","controller":true}]}})",
             rv++);
    b.Event(400 + k.shift, "kube-scheduler", EventKind::kHandler, b.trace.events.size(),
            R"({"type":"add","resource":"pods","namespace":"default","name":")" + pod +
                R"(","rv":)" + std::to_string(rv - 1) + "}");
  }
  if (k.extra) b.Commit(500, 1, "pods", "stray", R"({"metadata":{"name":"stray"}})", rv++);
  return b.Finish(std::to_string(k.rv) + k.first_pod + k.uid + std::to_string(k.replicas) +
                  (k.extra ? "x" : ""));
}

TEST(Identity, GeneratedNamesStandForOwnerAndOrdinal) {
  const Trace trace = Example(Knobs());
  const TraceIdentities ids(trace.events);
  EXPECT_EQ(ids.Of("pods", "default", "web-aaaaa"), "replicasets/default/web>pods#1");
  EXPECT_EQ(ids.Of("pods", "default", "web-bbbbb"), "replicasets/default/web>pods#2");
  EXPECT_EQ(ids.Of("replicasets", "default", "web"), "replicasets/default/web");
  EXPECT_EQ(ids.Normalise("Created pod: web-bbbbb."),
            "Created pod: replicasets/default/web>pods#2.");
}

// A pod `p` is created, deleted and created again with these uids; a handler call has the uid
// `told`.
Trace Recreated(const std::string& first, const std::string& second, const std::string& told) {
  TraceBuilder b;
  const auto pod = [](const std::string& uid) {
    return R"({"metadata":{"name":"p","uid":")" + uid + R"("}})";
  };
  b.Commit(1, 0, "pods", "p", pod(first), 1);
  b.Commit(2, 0, "pods", "p", "", 2);
  b.Commit(3, 0, "pods", "p", pod(second), 3);
  b.Event(4, "kube-scheduler", EventKind::kHandler, 3,
          R"({"type":"add","resource":"pods","namespace":"default","name":"p","uid":")" + told +
              R"("})");
  return b.Finish(first + second + told);
}

TEST(Identity, AUidStandsForOneCreation) {
  const Trace trace = Recreated("u1", "u2", "u2");
  const TraceIdentities ids(trace.events);
  EXPECT_EQ(ids.Of("pods", "default", "p"), "pods/default/p");
  EXPECT_EQ(ids.Normalise("u1 u2"), "pods/default/p pods/default/p~2");
}

TEST(Diff, UidsOfObjectsMadeAgainAreToldApart) {
  const Trace left = Recreated("u1", "u2", "u2");
  const struct {
    std::string first, second, told;
    std::vector<std::size_t> different;  // events
  } cases[] = {{"x", "y", "y", {}},  {"u2", "u1", "u1", {}},  {"u1", "u2", "u1", {3}},
               {"x", "y", "x", {3}}, {"u2", "u1", "u2", {3}}, {"x", "x", "x", {2, 3}}};
  for (const auto& c : cases) {
    const Diff d = Compare(left, Recreated(c.first, c.second, c.told), DiffOptions());
    std::vector<std::size_t> different;
    for (const Difference& one : d.differences) different.push_back(one.left.value());
    EXPECT_EQ(different, c.different) << c.first << c.second << c.told;
    EXPECT_EQ(d.equal, c.different.empty());
  }
}

// Deliveries of etcd's watches for two pods, in this order.
Trace Delivered(const std::vector<std::string>& names, const std::string& suffix) {
  TraceBuilder b;
  for (const std::string name : {"a", "b"}) {
    const std::string full = name == "a" ? "web-" + suffix : "b";
    b.Commit(1, 0, "pods", full,
             R"({"metadata":{"name":")" + full + R"(","uid":")" + suffix + name +
                 (name == "a" ? R"(","generateName":"web-"}})" : R"("}})"),
             b.trace.events.size() + 2);
    b.trace.events.back().Add("key", value::Value::Of("/registry/pods/default/" + full));
  }
  for (const std::string& name : names)
    b.Event(2, "kube-apiserver-0", EventKind::kDeliver, 1,
            R"({"type":"ADDED","server":"etcd","key":"/registry/pods/default/)" +
                (name == "a" ? "web-" + suffix : name) + R"("})");
  return b.Finish(suffix + names.front());
}

TEST(Diff, EventsOfEtcdMatchByTheirObjects) {
  const Trace left = Delivered({"a", "b"}, "aaaaa");
  const TraceIdentities ids(left.events);
  EXPECT_EQ(ids.Of(left.events[2]), "pods/default/web->pods#1");
  EXPECT_EQ(ids.Of(left.events[3]), "pods/default/b");
  EXPECT_TRUE(Compare(left, Delivered({"b", "a"}, "aaaaa"), DiffOptions()).equal);
  EXPECT_TRUE(Compare(left, Delivered({"a", "b"}, "bbbbb"), DiffOptions()).equal);
  const Diff d = Compare(left, Delivered({"c", "a"}, "bbbbb"), DiffOptions());
  ASSERT_EQ(d.differences.size(), 2u);
  EXPECT_EQ(d.differences[0].object, "/registry/pods/default/c") << "never made";
  EXPECT_EQ(d.differences[1].object, "pods/default/b");
}

TEST(Diff, FieldsForReadersAreIgnored) {
  const auto with = [](const char* object) {
    TraceBuilder b;
    b.Event(1, "kubectl", EventKind::kRequest, 0, R"({"id":1,"verb":"create"})");
    if (*object != '\0')
      for (const char* field : {"object", "body"}) b.trace.events.back().Add(field, Json(object));
    return b.Finish(object);
  };
  for (const bool strict : {false, true})
    for (const char* object : {R"({"spec":1})", ""}) {
      DiffOptions options;
      options.strict = strict;
      EXPECT_TRUE(Compare(with(R"({"spec":2})"), with(object), options).equal) << object;
    }
}

TEST(Diff, EqualDigestsSkipTheComparison) {
  const Diff d = Compare(Example(Knobs()), Example(Knobs()), DiffOptions());
  EXPECT_TRUE(d.equal);
  EXPECT_TRUE(d.by_digest);
}

// A trace from a script: each letter is an event of actor `a` at time 0.
Trace Letters(std::string_view letters) {
  TraceBuilder b;
  for (const char c : letters)
    b.Event(0, std::string(1, c), EventKind::kStep, 0, R"({"verb":"create"})");
  return b.Finish(std::string(letters));
}

TEST(Diff, OfOneInstantTheEarliestPlaceIsTheFirstDifference) {
  struct Case {
    std::string_view left, right;
    std::optional<std::size_t> common_left, first_left, first_right;
  };
  const Case cases[] = {
      {"abcdef", "abXcdef", 1, std::nullopt, 2},      {"abXcdef", "abcdef", 1, 2, std::nullopt},
      {"abXcdeY", "abcZdef", 1, 2, std::nullopt},     {"abcdX", "aYbcd", 0, std::nullopt, 1},
      {"abc", "Xabc", std::nullopt, std::nullopt, 0}, {"abc", "abcX", 2, std::nullopt, 3}};
  for (const Case& c : cases) {
    const Diff d = Compare(Letters(c.left), Letters(c.right), DiffOptions());
    ASSERT_FALSE(d.differences.empty());
    EXPECT_EQ(d.differences.front().left, c.first_left) << c.left << " " << c.right;
    EXPECT_EQ(d.differences.front().right, c.first_right) << c.left << " " << c.right;
    ASSERT_EQ(d.last_common.has_value(), c.common_left.has_value());
    if (d.last_common) {
      EXPECT_EQ(d.last_common->first, *c.common_left) << c.left << " " << c.right;
    }
  }
}

// A trace that is cut before a creation has the object's name, but not its owner.
TEST(Diff, APrefixDiffersOnlyWhereItEnds) {
  TraceBuilder b;
  const std::uint64_t step = b.Event(0, "kubectl", EventKind::kStep, 0, R"({"verb":"create"})");
  std::int64_t t = 0;
  for (const std::string name : {"web-1", "web-2"}) {
    b.Event(++t, "client", EventKind::kRequest, step,
            R"({"id":1,"verb":"create","resource":"pods","namespace":"default","name":")" + name +
                R"("})");
    b.Commit(
        ++t, step, "pods", name,
        R"({"metadata":{"name":")" + name + R"(","generateName":"web-","uid":"u)" + name + R"("}})",
        1);
  }
  const Trace whole = b.Finish("whole");
  for (std::size_t n = 1; n < whole.events.size(); ++n) {
    Trace cut = whole;
    cut.end.reset();
    cut.events.resize(n);
    const Diff d = Compare(whole, cut, DiffOptions());
    ASSERT_FALSE(d.differences.empty());
    EXPECT_EQ(d.differences.front().left, n) << n;
    ASSERT_TRUE(d.last_common.has_value());
    EXPECT_EQ(d.last_common->first, n - 1);
    EXPECT_EQ(d.differences.size(), whole.events.size() - n);
  }
}

TEST(Diff, NamesUidsRevisionsAndTimesDoNotMatter) {
  Knobs other;
  other.first_pod = "web-xxxxx";
  other.second_pod = "web-yyyyy";
  other.uid = "v";
  other.rv = 20;
  other.shift = 7;
  const Diff d = Compare(Example(Knobs()), Example(other), DiffOptions());
  EXPECT_TRUE(d.equal);
  EXPECT_FALSE(d.by_digest);
  EXPECT_TRUE(d.differences.empty());
  ASSERT_EQ(d.paired.size(), 2u);
  EXPECT_EQ(d.paired.at("replicasets/default/web>pods#1"),
            std::make_pair(std::string("web-aaaaa"), std::string("web-xxxxx")));
  DiffOptions strict;
  strict.strict = true;
  EXPECT_FALSE(Compare(Example(Knobs()), Example(other), strict).equal);
}

TEST(Diff, RevisionsMustMapOneToOne) {
  Trace left = Example(Knobs());
  Trace right = Example(Knobs());
  right.end->digest = "other";
  // The handler of the second pod claims the first pod's version.
  for (value::Value::Member& m : right.events.back().fields)
    if (m.name.text() == "rv") m.value = value::Value::Of(11);
  const Diff d = Compare(left, right, DiffOptions());
  ASSERT_EQ(d.differences.size(), 1u);
  EXPECT_EQ(d.differences[0].fields, std::vector<std::string>{"rv"});
}

TEST(Diff, FirstDifferenceComesFirstAndWhatFollowsIsMarked) {
  Knobs other;
  other.replicas = 3;
  other.extra = true;
  const Diff d = Compare(Example(Knobs()), Example(other), DiffOptions());
  EXPECT_FALSE(d.equal);
  ASSERT_EQ(d.differences.size(), 2u);
  EXPECT_EQ(d.differences[0].object, "replicasets/default/web");
  EXPECT_EQ(d.differences[0].fields, std::vector<std::string>{"changed"});
  EXPECT_FALSE(d.differences[0].follows);
  EXPECT_EQ(d.differences[1].object, "pods/default/stray");
  EXPECT_FALSE(d.differences[1].left.has_value());
  ASSERT_TRUE(d.last_common.has_value());
  EXPECT_EQ(d.last_common->first, 0u);
  ASSERT_EQ(d.objects.size(), 2u);
  EXPECT_EQ(d.objects[0].changes, std::vector<std::string>{"spec.replicas: 2 -> 3"});
  EXPECT_EQ(d.objects[1].object, "pods/default/stray");
}

TEST(Diff, AnEffectOfADifferenceFollowsIt) {
  Knobs other;
  other.replicas = 3;
  Trace right = Example(other);
  Trace left = Example(Knobs());
  // The right trace lacks the last handler call; its chain of causes begins at the ReplicaSet that
  // differs.
  right.events.pop_back();
  right.end->events = right.events.size();
  const Diff d = Compare(left, right, DiffOptions());
  ASSERT_EQ(d.differences.size(), 2u);
  EXPECT_FALSE(d.differences[0].follows);
  EXPECT_TRUE(d.differences[1].follows);
}

TEST(CauseChain, GoesBackToTheRoot) {
  const Trace trace = Example(Knobs());
  EXPECT_EQ(CauseChain(trace, 4), (std::vector<std::size_t>{4, 3, 2, 1, 0}));
}

TEST(FirstDivergence, IsTheFirstLineThatDiffers) {
  const Trace a = Example(Knobs());
  Trace b = Example(Knobs());
  EXPECT_FALSE(FirstDivergence(a.events, b.events).has_value());
  b.events[3].t += 1;
  ASSERT_TRUE(FirstDivergence(a.events, b.events).has_value());
  EXPECT_EQ(FirstDivergence(a.events, b.events)->index, 3u);
  b = Example(Knobs());
  b.events.pop_back();
  const std::optional<Divergence> d = FirstDivergence(a.events, b.events);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->index, b.events.size());
  EXPECT_EQ(d->right, "");
}

}  // namespace
}  // namespace ksim::trace
