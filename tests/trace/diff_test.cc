#include "ksim/trace/diff.h"

#include <gtest/gtest.h>

#include "ksim/trace/identity.h"
#include "ksim/trace/schema.h"
#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

using sim::EventKind;

struct Knobs {
  std::string first_pod = "web-aaaaa", second_pod = "web-bbbbb", uid = "u";
  std::int64_t rv = 10, shift = 0;
  std::uint64_t seed = 7;
  int replicas = 2;
  bool extra = false;
};

// The other run of two: with another seed, so that only the meaning of the two is the same.
Knobs OtherRun() {
  Knobs k;
  k.seed = 8;
  return k;
}

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
  b.trace.header.seed = k.seed;
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

// A Deployment's ReplicaSet of a version that hashes the template to `hash`, and its pod.
Trace Hashed(const std::string& compat, const std::string& hash) {
  TraceBuilder b;
  b.trace.header.compat = compat;
  b.Commit(1, 0, "deployments", "web", R"({"metadata":{"name":"web","uid":"d"}})", 1);
  const std::string name = "web-" + hash;
  b.Commit(2, 0, "replicasets", name,
           R"({"metadata":{"name":")" + name + R"(","uid":"r","labels":{"pod-template-hash":")" +
               hash + R"("},"ownerReferences":[{"kind":"Deployment","name":"web","uid":"d",)" +
               R"("controller":true}]}})",
           2);
  b.Commit(3, 0, "pods", name + "-x",
           R"({"metadata":{"name":")" + name + R"(-x","generateName":")" + name +
               R"(-","uid":"p","labels":{"pod-template-hash":")" + hash +
               R"("},"ownerReferences":[{"kind":"ReplicaSet","name":")" + name +
               R"(","uid":"r","controller":true}]}})",
           3);
  return b.Finish(compat + hash);
}

TEST(Diff, HashesOfATemplateArePairedOnlyBetweenVersions) {
  const Diff versions = Compare(Hashed("1.30", "aaa"), Hashed("1.36", "bbb"), DiffOptions());
  EXPECT_TRUE(versions.equal);
  EXPECT_EQ(versions.paired.at("deployments/default/web>replicasets#1"),
            std::pair(std::string("web-aaa"), std::string("web-bbb")));
  const Diff templates = Compare(Hashed("1.30", "aaa"), Hashed("1.30", "bbb"), DiffOptions());
  EXPECT_FALSE(templates.equal) << "in one version another hash is another template";
}

// A pod `p` is created, deleted and created again with these uids; a handler call has the uid
// `told`.
Trace Recreated(const std::string& first, const std::string& second, const std::string& told,
                std::uint64_t seed = 7) {
  TraceBuilder b;
  b.trace.header.seed = seed;
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
    const Diff d = Compare(left, Recreated(c.first, c.second, c.told, 8), DiffOptions());
    std::vector<std::size_t> different;
    for (const Difference& one : d.differences) different.push_back(one.left.value());
    EXPECT_EQ(different, c.different) << c.first << c.second << c.told;
    EXPECT_EQ(d.equal, c.different.empty());
  }
}

// Deliveries of etcd's watches for two pods, in this order.
Trace Delivered(const std::vector<std::string>& names, const std::string& suffix,
                std::uint64_t seed = 7) {
  TraceBuilder b;
  b.trace.header.seed = seed;
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
  EXPECT_TRUE(Compare(left, Delivered({"b", "a"}, "aaaaa", 8), DiffOptions()).equal);
  EXPECT_TRUE(Compare(left, Delivered({"a", "b"}, "bbbbb", 8), DiffOptions()).equal);
  const Diff d = Compare(left, Delivered({"c", "a"}, "bbbbb", 8), DiffOptions());
  ASSERT_EQ(d.differences.size(), 2u);
  EXPECT_EQ(d.differences[0].object, "/registry/pods/default/c") << "never made";
  EXPECT_EQ(d.differences[1].object, "pods/default/b");
}

TEST(Diff, WhatTraceObjectsAddsIsComparedToTheLetterWhereBothHaveIt) {
  const auto with = [](std::uint64_t seed, const char* object) {
    TraceBuilder b;
    b.trace.header.seed = seed;
    b.Event(1, "kubectl", EventKind::kRequest, 0, R"({"id":1,"verb":"create"})");
    if (*object != '\0')
      for (const char* field : {"object", "body"}) b.trace.events.back().Add(field, Json(object));
    return b.Finish("");
  };
  const char *one = R"({"spec":1})", *two = R"({"spec":2})";
  EXPECT_TRUE(Compare(with(7, one), with(7, ""), DiffOptions()).equal);
  EXPECT_FALSE(Compare(with(7, one), with(7, two), DiffOptions()).equal);
  EXPECT_TRUE(Compare(with(7, one), with(8, two), DiffOptions()).equal);
}

// One event of each kind with each field that it may have.
Trace WithEveryField() {
  TraceBuilder b;
  b.Commit(1, 0, "pods", "p", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n"}})", 1);
  for (const std::string_view kind : KindNames()) {
    if (kind == "commit") continue;
    b.Event(2, "actor", *ParseKind(kind), 1, "{}");
    for (const std::string_view field : FieldsOf(*ParseKind(kind)))
      b.trace.events.back().Add(field, value::Value::Of(1));
  }
  return b.Finish("digest");
}

value::Value Edited(const value::Value& v) {
  if (v.is_int()) return value::Value::Of(v.AsInt() + 1);
  if (v.is_string()) return value::Value::Of(std::string(v.AsString()) + "x");
  return value::Value::Array({v.items().begin(), v.items().end() - 1});  // `changed`
}

// A run that repeats has equal lines, so in traces of one run an edit of any field is a difference,
// whatever their last lines say.
TEST(Diff, OfOneRunEveryFieldIsCompared) {
  const Trace left = WithEveryField();
  EXPECT_TRUE(Compare(left, WithEveryField(), DiffOptions()).equal);
  for (std::size_t i = 0; i < left.events.size(); ++i) {
    const Record& r = left.events[i];
    std::vector<std::pair<std::string, Record>> edits;
    const auto edit = [&](std::string name) -> Record& {
      return edits.emplace_back(std::move(name), r).second;
    };
    ++edit("t").t;
    ++edit("cause").cause;
    edit("actor").actor += "x";
    edit("kind").kind = r.kind == EventKind::kPhase ? EventKind::kActor : EventKind::kPhase;
    for (std::size_t f = 0; f < r.fields.size(); ++f) {
      value::Value::Member& field = edit(std::string(r.fields[f].name.text())).fields[f];
      field.value = Edited(field.value);
    }
    for (const auto& [field, edited] : edits) {
      Trace right = WithEveryField();
      right.events[i] = edited;
      const Diff d = Compare(left, right, DiffOptions());
      EXPECT_FALSE(d.equal) << KindName(r.kind) << " " << field;
      ASSERT_EQ(d.differences.size(), 1u) << KindName(r.kind) << " " << field;
      EXPECT_EQ(d.differences[0].fields, std::vector<std::string>{field}) << KindName(r.kind);
    }
  }
}

TEST(Diff, ClaimsOfTheLastLineAreToldBesideTheEvents) {
  const std::string both_say =
      "both say digest d, and their events differ: it is not the digest of "
      "both";
  struct Case {
    const char* what;
    void (*change)(Trace&);
    std::vector<std::string> claims;
  };
  const Case cases[] = {
      {"nothing", [](Trace&) {}, {}},
      {"an event", [](Trace& t) { ++t.events[1].t; }, {both_say}},
      {"the digest",
       [](Trace& t) { t.end->digest = "e"; },
       {"the events are the same, and the digests are not: d -> e"}},
      {"the result",
       [](Trace& t) { t.end->result = "violation"; },
       {R"(end.result: "ok" -> "violation")"}},
      {"a commit that does not fit",
       [](Trace& t) {
         for (value::Value::Member& m : t.events[1].fields)
           if (m.name.text() == "op") m.value = value::Value::Of("update");
       },
       {"the commits of B do not fit one another: seq 2 updates replicasets/web, which is "
        "not there",
        both_say}},
  };
  for (const Case& c : cases) {
    Trace left = Example(Knobs()), right = Example(Knobs());
    left.end->digest = right.end->digest = "d";
    c.change(right);
    const Diff d = Compare(left, right, DiffOptions());
    EXPECT_EQ(d.claims, c.claims) << c.what;
    EXPECT_EQ(d.equal, c.claims.empty()) << c.what;
  }
  // A cut trace claims nothing.
  Trace cut = Example(Knobs());
  cut.end.reset();
  EXPECT_TRUE(Compare(Example(Knobs()), cut, DiffOptions()).equal);
}

TEST(Diff, AnAlteredFirstLineIsTold) {
  const Trace whole = Copy(Example(Knobs()));
  std::string text = FormatTrace(whole, false);
  text.replace(text.find("\"compat\":\"1.30\""), 15, "\"compat\":\"1.36\"");
  const Diff d = Compare(whole, ParseTrace(text).value(), DiffOptions());
  EXPECT_FALSE(d.equal);
  EXPECT_EQ(d.headers, std::vector<std::string>{R"(compat: "1.30" -> "1.36")"});
  EXPECT_EQ(d.claims,
            std::vector<std::string>{"the first line of B was altered since it was written"});
}

// Two runs: addresses, ids of containers, token volumes and durations are handed out anew, a node
// registers before the other, and the verdict is another's.
Trace RunOf(std::uint64_t seed, std::vector<std::string> nodes, const std::string& address,
            const std::string& node, const std::string& heard) {
  TraceBuilder b;
  b.trace.header.seed = seed;
  std::int64_t rv = 1;
  std::map<std::string, std::int64_t> versions;
  for (const std::string& name : nodes) {
    versions[name] = rv;
    b.Commit(rv, 0, "nodes", name, R"({"metadata":{"name":")" + name + R"("}})", rv);
    ++rv;
  }
  b.Event(9, "kubelet", EventKind::kRelist, 0, R"({"resource":"nodes","rv":"0","gotRv":2})");
  b.Event(10, "ksim", EventKind::kPhase, 0, R"({"name":"workload"})");
  for (const std::string name : {"a", "b"})
    b.Event(11, "scheduler", EventKind::kHandler, 0,
            R"({"type":"add","resource":"nodes","namespace":"default","name":")" + name +
                R"(","rv":)" + std::to_string(versions[name]) + "}");
  const std::uint64_t made =
      b.Commit(12, 0, "pods", "p", R"({"metadata":{"name":"p"},"spec":{"image":"nginx"}})", rv++);
  b.Event(13, "scheduler", EventKind::kHandler, made,
          R"({"type":")" + heard + R"(","resource":"pods","namespace":"default","name":"p"})");
  b.Commit(14, made, "pods", "p",
           R"({"metadata":{"name":"p"},"spec":{"image":"nginx","nodeName":")" + node +
               R"("},"status":{"podIP":")" + address + R"(","message":"took 1.6)" +
               std::to_string(seed) + R"(s at )" + address + R"("}})",
           rv);
  return b.Finish("of seed " + std::to_string(seed));
}

TEST(Diff, OfTwoRunsWhatIsHandedOutIsEqual) {
  const Trace left = RunOf(1, {"a", "b"}, "10.0.0.1", "a", "add");
  const Diff d = Compare(left, RunOf(2, {"b", "a"}, "10.0.9.7", "a", "add"), DiffOptions());
  EXPECT_FALSE(d.exact);
  for (const Difference& one : d.differences)
    EXPECT_TRUE(one.fields.empty()) << one.object << " " << one.fields[0];
  EXPECT_TRUE(d.equal);
}

TEST(Diff, OfTwoRunsWhatWasDoneComesBeforeWhatWasHeard) {
  const Trace left = RunOf(1, {"a", "b"}, "10.0.0.1", "a", "add");
  const Diff d = Compare(left, RunOf(2, {"b"}, "10.0.9.7", "b", "update"), DiffOptions());
  ASSERT_GT(d.differences.size(), 3u);
  EXPECT_EQ(d.differences[0].changes, std::vector<std::string>{R"(spec.nodeName: "a" -> "b")"});
  EXPECT_FALSE(d.differences[0].told || d.differences[0].start_up);
  EXPECT_TRUE(d.differences[1].told) << "the handlers";
  EXPECT_TRUE(d.differences.back().start_up) << "that node a is missing";
}

// A trace from a script: each letter is an event of actor `a` at time 0.
Trace Letters(std::string_view letters, std::uint64_t seed) {
  TraceBuilder b;
  b.trace.header.seed = seed;
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
    const Diff d = Compare(Letters(c.left, 7), Letters(c.right, 8), DiffOptions());
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
  Knobs other = OtherRun();
  other.first_pod = "web-xxxxx";
  other.second_pod = "web-yyyyy";
  other.uid = "v";
  other.rv = 20;
  other.shift = 7;
  const Diff d = Compare(Example(Knobs()), Example(other), DiffOptions());
  EXPECT_TRUE(d.equal);
  EXPECT_FALSE(d.exact);
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
  right.header.seed = OtherRun().seed;
  // The handler of the second pod claims the first pod's version.
  for (value::Value::Member& m : right.events.back().fields)
    if (m.name.text() == "rv") m.value = value::Value::Of(11);
  const Diff d = Compare(left, right, DiffOptions());
  ASSERT_EQ(d.differences.size(), 1u);
  EXPECT_EQ(d.differences[0].fields, std::vector<std::string>{"rv"});
}

TEST(Diff, FirstDifferenceComesFirstAndWhatFollowsIsMarked) {
  Knobs other = OtherRun();
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
  Knobs other = OtherRun();
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
