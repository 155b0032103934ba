// Audit logs: what is read of them, and what requests and answers alone show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/check/audit/audit_log.h"
#include "ksim/check/audit/judge_audit.h"

namespace ksim::check {
namespace {

// An event as a kube-apiserver of 1.36 writes it, one line; `more` follows its common fields.
struct Line {
  std::string verb = "update";
  std::string resource = R"("resource":"deployments","apiGroup":"apps","apiVersion":"v1")";
  std::string name = "web";
  std::string user = "system:serviceaccount:kube-system:deployment-controller";
  int at = 0;  // ms
  int code = 200;
  std::string more;
  std::string query;
};

std::string Time(int ms) {
  return fmt::format("2025-01-01T00:{:02}:{:02}.{:03}000Z", ms / 60000, ms / 1000 % 60, ms % 1000);
}

std::string Write(const Line& l, int id) {
  return fmt::format(
      R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse",)"
      R"("auditID":"id-{}","stage":"ResponseComplete",)"
      R"("requestURI":"/apis/apps/v1/namespaces/default/deployments/{}{}","verb":"{}",)"
      R"("user":{{"username":"{}","groups":["system:authenticated"]}},"sourceIPs":["10.0.0.1"],)"
      R"("userAgent":"kube-controller-manager/v1.36.3 (linux/amd64) kubernetes/abc",)"
      R"("objectRef":{{{},"namespace":"default","name":"{}"}},)"
      R"("responseStatus":{{"metadata":{{}},"code":{}}},{})"
      R"("requestReceivedTimestamp":"{}","stageTimestamp":"{}",)"
      R"("annotations":{{"authorization.k8s.io/decision":"allow"}}}})"
      "\n",
      id, l.name, l.query, l.verb, l.user, l.resource, l.name, l.code, l.more, Time(l.at),
      Time(l.at + 2));
}

std::string Log(const std::vector<Line>& lines) {
  std::string out;
  int id = 0;
  for (const Line& l : lines) out += Write(l, ++id);
  return out;
}

// Bodies: from a resourceVersion to another.
std::string Bodies(int from, int to, const std::string& spec = "{}", const std::string& uid = "u") {
  const std::string body =
      R"({{"metadata":{{"name":"web","uid":"{}","resourceVersion":"{}"}},"spec":{}}})";
  return fmt::format(R"("requestObject":{},"responseObject":{},)",
                     fmt::format(fmt::runtime(body), uid, from, spec),
                     fmt::format(fmt::runtime(body), uid, to, spec));
}

Line Update(int at, int from, int to) {
  Line l;
  l.at = at;
  l.more = Bodies(from, to);
  return l;
}

Verdict Of(const std::string& log, std::string_view oracle) {
  const absl::StatusOr<AuditVerdicts> all = JudgeAuditLog(log);
  EXPECT_TRUE(all.ok()) << all.status();
  if (!all.ok()) return Verdict();
  for (const Verdict& v : all->verdicts)
    if (v.oracle == oracle) return v;
  ADD_FAILURE() << "no verdict of " << oracle;
  return Verdict();
}

// The message of the first violation, or "ok", or why it was not judged.
std::string Say(const std::string& log, std::string_view oracle) {
  const Verdict v = Of(log, oracle);
  if (v.state == Verdict::State::kNotJudged) return "not judged: " + v.why;
  return v.findings.empty() ? "ok" : v.findings.front().violation.message;
}

TEST(Audit, UpdatesThatFollowOneAnotherAreRight) {
  const std::string log = Log({Update(0, 5, 8), Update(10, 8, 8), Update(20, 8, 12)});
  EXPECT_EQ(Say(log, "store.linearizable"), "ok");
  EXPECT_EQ(Say(log, "hot.loop"), "ok");
  EXPECT_EQ(Say(log, "leader.alone"),
            "not judged: no Lease changed hands in a write that tells its holder (level "
            "RequestResponse)");
  EXPECT_EQ(Say(log, "watch.ordered"), "not judged: an audit log does not show it");
}

TEST(Audit, TwoUpdatesFromOneVersionCannotBothSucceed) {
  Line other = Update(10, 5, 9);
  other.user = "someone";
  EXPECT_EQ(Say(Log({Update(0, 5, 8), other}), "store.linearizable"),
            "deployments.apps default/web: two writes from resourceVersion 5 succeeded: "
            "system:serviceaccount:kube-system:deployment-controller (kube-controller-manager) "
            "made 8, line 1 (2025-01-01T00:00:00.002000Z, auditID id-1), and someone "
            "(kube-controller-manager) made 9, line 2 (2025-01-01T00:00:00.012000Z, auditID id-2)");
  const Verdict v = Of(Log({Update(0, 5, 8), other}), "store.linearizable");
  EXPECT_EQ(v.findings.front().violation.first, 2u);
  EXPECT_EQ(v.guarantee, Guarantee::kSafety);
  // A dry run changes nothing, and a conflict is as it should be.
  other.query = "?dryRun=All";
  EXPECT_EQ(Say(Log({Update(0, 5, 8), other}), "store.linearizable"), "ok");
  other.query = "";
  other.code = 409;
  EXPECT_EQ(Say(Log({Update(0, 5, 8), other}), "store.linearizable"), "ok");
}

TEST(Audit, AStalePreconditionCannotHold) {
  Line get = Update(0, 7, 7);
  get.verb = "get";
  const std::string said = Say(Log({get, Update(10, 5, 9)}), "store.linearizable");
  EXPECT_NE(said.find("from resourceVersion 5 succeeded and made 9, and the object had 7 by then"),
            std::string::npos)
      << said;
}

TEST(Audit, VersionsDoNotGoBack) {
  EXPECT_NE(Say(Log({Update(0, 9, 5)}), "store.linearizable")
                .find("went back from resourceVersion 9 to 5"),
            std::string::npos);
  Line patch = Update(3000, 0, 4);
  patch.verb = "patch";
  patch.more = R"("requestObject":{"spec":{}},)" + Bodies(0, 4).substr(Bodies(0, 4).find("\"resp"));
  const std::string said = Say(Log({Update(0, 5, 9), patch}), "store.linearizable");
  EXPECT_NE(said.find("went back: patch of"), std::string::npos) << said;
  // Clocks of two servers may differ by a second; a get may ask for an old version.
  patch.at = 900;
  EXPECT_EQ(Say(Log({Update(0, 5, 9), patch}), "store.linearizable"), "ok");
  Line get = patch;
  get.at = 3000;
  get.verb = "get";
  get.query = "?resourceVersion=0";
  EXPECT_EQ(Say(Log({Update(0, 5, 9), get}), "store.linearizable"), "ok");
  get.query = "";
  EXPECT_NE(Say(Log({Update(0, 5, 9), get}), "store.linearizable"), "ok");
}

TEST(Audit, WithoutBodiesMostIsNotJudged) {
  Line bare;
  const std::string log = Log({bare, bare});
  EXPECT_EQ(Say(log, "store.linearizable"),
            "not judged: no write of an object tells which version it made (level "
            "RequestResponse)");
  EXPECT_EQ(Say(log, "delete.uid"),
            "not judged: no deletion names a uid and tells which it hit (level RequestResponse)");
  EXPECT_EQ(Say(log, "hot.loop"), "not judged: nobody wrote the same object twice");
}

TEST(Audit, ADeletionHitsTheUidThatItNames) {
  Line line;
  line.verb = "delete";
  const std::string want =
      R"("requestObject":{"kind":"DeleteOptions","preconditions":{"uid":"u"}},)";
  line.more = want + R"("responseObject":{"kind":"Status","details":{"uid":"u"}},)";
  EXPECT_EQ(Say(Log({line}), "delete.uid"), "ok");
  line.more = want + R"("responseObject":{"kind":"Pod","metadata":{"uid":"newer"}},)";
  EXPECT_NE(Say(Log({line}), "delete.uid").find("meant the one with uid u, and hit newer"),
            std::string::npos);
}

// kubernetes#29522.
TEST(Audit, ADeletionByNameMayHitTheNextOfItsName) {
  const auto answer = [](const std::string& uid) {
    return R"("responseObject":{"metadata":{"name":"web","uid":")" + uid +
           R"(","resourceVersion":"9"}},)";
  };
  Line knows;
  knows.verb = "patch";
  knows.user = "system:node:n";
  knows.more = answer("a");
  Line make;
  make.verb = "create";
  make.at = 500;
  make.more = answer("b");
  Line hit = knows;
  hit.verb = "delete";
  hit.at = 1000;
  hit.more = answer("b");
  Verdict v = Of(Log({knows, make, hit}), "delete.uid");
  ASSERT_EQ(v.remarks.size(), 1u);
  EXPECT_NE(v.remarks[0].message.find("hit the one with uid b, made 498ms before; by its answers "
                                      "it knew the one with uid a: line 3"),
            std::string::npos)
      << v.remarks[0].message;
  EXPECT_TRUE(v.findings.empty());
  hit.at = 20000;
  EXPECT_TRUE(Of(Log({knows, make, hit}), "delete.uid").remarks.empty()) << "it has been told";
  hit.at = 1000;
  knows.more = answer("b");
  EXPECT_TRUE(Of(Log({make, knows, hit}), "delete.uid").remarks.empty()) << "it means that one";
}

TEST(Audit, AStatusIsWrittenToTheUidThatItNames) {
  Line line = Update(0, 5, 6);
  line.resource += R"(,"subresource":"status")";
  EXPECT_EQ(Say(Log({line}), "status.uid"), "ok");
  line.more = R"("requestObject":{"metadata":{"uid":"u"}},)"
              R"("responseObject":{"metadata":{"uid":"newer","resourceVersion":"6"}},)";
  EXPECT_NE(Say(Log({line}), "status.uid").find("hit newer"), std::string::npos);
}

Line Renewal(int at, int rv, const std::string& holder) {
  Line l;
  l.at = at;
  l.name = "scheduler";
  l.resource = R"("resource":"leases","apiGroup":"coordination.k8s.io","apiVersion":"v1")";
  l.more = fmt::format(
      R"("responseObject":{{"metadata":{{"resourceVersion":"{}"}},"spec":{{"holderIdentity":"{}",)"
      R"("leaseDurationSeconds":15}}}},)",
      rv, holder);
  return l;
}

TEST(Audit, NobodyTakesALeaseThatIsHeld) {
  EXPECT_EQ(Say(Log({Renewal(0, 5, "a"), Renewal(15000, 6, "b")}), "leader.alone"), "ok");
  EXPECT_EQ(
      Say(Log({Renewal(0, 5, "a"), Renewal(100, 6, ""), Renewal(200, 7, "b")}), "leader.alone"),
      "ok");
  const std::string said = Say(Log({Renewal(0, 5, "a"), Renewal(4000, 6, "b")}), "leader.alone");
  EXPECT_TRUE(
      said.starts_with("leases default/scheduler: b took it 4.002s after a had renewed it "
                       "for 15s, so both lead: line 2"))
      << said;
}

TEST(Audit, AClientThatWritesTheSameAgainAndAgainIsTold) {
  std::vector<Line> idle;
  for (int i = 0; i < 10; ++i) idle.push_back(Update(i * 1000, 5, 5));
  EXPECT_NE(Say(Log(idle), "hot.loop").find("has 10 updates within 9s that changed nothing"),
            std::string::npos)
      << Say(Log(idle), "hot.loop");
  EXPECT_EQ(Of(Log(idle), "hot.loop").guarantee, Guarantee::kLiveness);
  for (int i = 0; i < 10; ++i) idle[static_cast<std::size_t>(i)].at = i * 10000;
  EXPECT_EQ(Say(Log(idle), "hot.loop"), "ok") << "a resync every 10 s is none";
}

// At the level Metadata the reference has the version that an update was made from.
TEST(Audit, IdleUpdatesShowWithoutBodies) {
  std::vector<Line> idle;
  for (int i = 0; i < 12; ++i) {
    Line l;
    l.at = i * 500;
    l.resource += R"(,"resourceVersion":"5")";
    idle.push_back(l);
  }
  EXPECT_NE(Say(Log(idle), "hot.loop").find("has 10 updates within"), std::string::npos);
}

TEST(Audit, AClientThatIsRefusedAgainAndAgainIsTold) {
  std::vector<Line> refused;
  for (int i = 0; i < 20; ++i) {
    Line l;
    l.at = i * 200;
    l.code = 409;
    refused.push_back(l);
  }
  EXPECT_NE(Say(Log(refused), "hot.loop").find("has 20 times update refused with 409 within 3.8s"),
            std::string::npos)
      << Say(Log(refused), "hot.loop");
  refused.resize(14);
  EXPECT_EQ(Say(Log(refused), "hot.loop"), "ok") << "as many as a client that backs off";
}

TEST(Audit, TwoThatUndoWhatTheOtherWritesAreTold) {
  std::vector<Line> fight;
  for (int i = 0; i < 12; ++i) {
    Line l;
    l.at = i * 3000;
    l.user = i % 2 == 0 ? "a" : "b";
    l.more = Bodies(5 + i, 6 + i, i % 2 == 0 ? R"({"replicas":1})" : R"({"replicas":3})");
    fight.push_back(l);
  }
  const std::string said = Say(Log(fight), "hot.loop");
  EXPECT_NE(said.find("undo what the other writes, 10 times within"), std::string::npos) << said;
  // One that changes its mind is no fight.
  for (Line& l : fight) l.user = "a";
  EXPECT_EQ(Say(Log(fight), "hot.loop"), "ok");
}

TEST(Audit, OnlyAnswersCount) {
  std::string log = Log({Update(0, 5, 8), Update(10, 5, 9)});
  for (std::size_t at = 0; (at = log.find("ResponseComplete", at)) != std::string::npos;)
    log.replace(at, 16, "RequestReceived");
  EXPECT_TRUE(Say(log, "store.linearizable").starts_with("not judged")) << "no answer is in it";
  // The webhook backend sends lists.
  const std::string list = R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[)" +
                           Write(Update(0, 5, 8), 1) + "," + Write(Update(10, 5, 9), 2) + "]}";
  EXPECT_TRUE(IsAuditLog(list));
  EXPECT_NE(Say(list, "store.linearizable").find("two writes from resourceVersion 5"),
            std::string::npos);
}

TEST(Audit, WhatIsNoLogIsRefusedAtItsPlace) {
  const std::string good = Log({Update(0, 5, 8)});
  const auto wrong = [&good](std::string_view from, std::string_view to) {
    std::string log = good + good;
    log.replace(log.rfind(from), from.size(), to);
    const absl::StatusOr<AuditVerdicts> read = JudgeAuditLog(log);
    return read.ok() ? "ok" : std::string(Message(read.status()));
  };
  EXPECT_EQ(wrong("audit.k8s.io/v1", "audit.k8s.io/v1beta1"),
            "line 2 column 30: only audit.k8s.io/v1 is read, which servers write since 1.12");
  EXPECT_TRUE(wrong("\"ResponseComplete\"", "\"Response\"").starts_with("line 2 column "));
  EXPECT_NE(wrong(Time(2), "soon").find("stageTimestamp is no time such as"), std::string::npos);
  EXPECT_NE(wrong("\"code\":200", "\"code\":\"x\"").find("responseStatus.code is no number"),
            std::string::npos);
  EXPECT_NE(wrong("\"verb\":\"update\",", "").find("verb is missing or no text"),
            std::string::npos);
  EXPECT_NE(wrong("\"username\"", "\"name\"").find("user.username is missing"), std::string::npos);
  EXPECT_EQ(Message(JudgeAuditLog("[]").status()),
            "line 1 column 1: expected '{', the beginning of an audit event");
  EXPECT_EQ(Message(JudgeAuditLog("").status()), "line 1 column 1: there is no audit event in it");
  EXPECT_NE(Message(JudgeAuditLog("{\"kind\": }").status()).find("line 1 column "),
            std::string::npos);
}

TEST(Audit, NoPrefixOfALogIsTooMuchForTheReader) {
  const std::string log = Log({Update(0, 5, 8), Renewal(10, 6, "a")});
  for (std::size_t length = 0; length < log.size(); ++length) {
    const absl::StatusOr<AuditVerdicts> read = JudgeAuditLog(log.substr(0, length));
    const bool whole_event = length >= log.find('\n');
    EXPECT_EQ(read.ok(), whole_event) << length;
  }
}

TEST(Audit, ALogThatIsCutIsJudgedUpToThere) {
  const std::string log = Log({Update(0, 5, 8), Update(10, 5, 9)});
  const absl::StatusOr<AuditVerdicts> read = JudgeAuditLog(log + log.substr(0, log.find('\n') / 2));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->missing, "cut in the middle of the event in line 3; 2 before it can be read");
}

}  // namespace
}  // namespace ksim::check
