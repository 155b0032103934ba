// ksim etcd over a trace.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/schema/protobuf.h"
#include "ksim/base/os.h"
#include "ksim/trace/trace.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

trace::Record Commit(std::uint64_t seq, std::int64_t t, const char* op, const char* key,
                     std::int64_t revision, value::Value changed) {
  trace::Record r;
  r.seq = seq;
  r.t = t;
  r.actor = "etcd";
  r.kind = sim::EventKind::kCommit;
  r.Add("revision", value::Value::Int(revision)).Add("op", value::Value::Of(op));
  r.Add("key", value::Value::Of(key)).Add("changed", std::move(changed));
  return r;
}

value::Value Became(const char* path, const char* text) {
  return value::Value::Array(
      {value::Obj({{"path", value::Value::Of(path)}, {"new", value::Value::Of(text)}})});
}

// Revision 2 creates a, 3 changes it, 4 deletes it and creates b; then 3 is compacted.
class EtcdTrace : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    trace::Trace t;
    t.header.scenario = value::Value::EmptyObject();
    t.events.push_back(Commit(1, 0, "create", "/registry/pods/x/a", 2, Became("v", "1")));
    t.events.push_back(Commit(2, 1'000, "update", "/registry/pods/x/a", 3, Became("v", "2")));
    t.events.push_back(Commit(3, 2'000, "delete", "/registry/pods/x/a", 4, value::Value()));
    t.events.push_back(Commit(4, 2'000, "create", "/registry/pods/x/b", 4, Became("v", "3")));
    trace::Record compact;
    compact.seq = 5;
    compact.t = 3'000;
    compact.actor = "etcd";
    compact.kind = sim::EventKind::kCompact;
    compact.Add("revision", value::Value::Int(4));
    t.events.push_back(compact);
    t.end.emplace();
    t.end->events = 5;
    t.end->time = 4'000;
    ASSERT_TRUE(trace::WriteTrace(t, Path()).ok());
  }
  static std::string Path() { return testing::TempDir() + "etcd.jsonl"; }
  static CliResult Etcd(std::vector<std::string> args) {
    args.insert(args.begin(), {"etcd", Path()});
    return RunCli(args);
  }
};

TEST_F(EtcdTrace, GetShowsAMoment) {
  EXPECT_EQ(Etcd({"get", "/registry/pods/x/a", "--at", "0s"}).out,
            "/registry/pods/x/a\n{\"v\":\"1\"}\n");
  EXPECT_EQ(Etcd({"get", "/", "--prefix", "--at", "rv:3"}).out,
            "/registry/pods/x/a\n{\"v\":\"2\"}\n");
  EXPECT_EQ(Etcd({"get", "/", "--prefix", "--at", "seq:4", "--rev", "2"}).out,
            "/registry/pods/x/a\n{\"v\":\"1\"}\n");
  EXPECT_EQ(Etcd({"get", "", "--prefix", "--print-value-only"}).out, "{\"v\":\"3\"}\n");
  EXPECT_EQ(Etcd({"get", "/a", "/z", "--keys-only"}).out, "/registry/pods/x/b\n\n");
  EXPECT_EQ(Etcd({"get", "/registry/pods/x/a", "--from-key", "--limit", "1", "--keys-only"}).out,
            "/registry/pods/x/b\n\n");
}

TEST_F(EtcdTrace, AMissingKeyIsNothingAndNoError) {
  const CliResult r = Etcd({"get", "nope"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
}

TEST_F(EtcdTrace, RevisionsThatAreNotThere) {
  const CliResult future = Etcd({"get", "/", "--rev", "5"});
  EXPECT_EQ(future.code, 5);
  EXPECT_EQ(future.err, "Error: etcdserver: mvcc: required revision is a future revision\n");
  const CliResult compacted = Etcd({"get", "/", "--rev", "3"});
  EXPECT_EQ(compacted.code, 5);
  EXPECT_EQ(compacted.err,
            "Error: etcdserver: mvcc: required revision has been compacted\n"
            "hint: --at rv:N shows the store as it was at revision N\n");
  EXPECT_EQ(Etcd({"get", "/", "--at", "rv:9"}).code, 5);
  EXPECT_EQ(Etcd({"get", "/", "--at", "later"}).code, 2);
}

TEST_F(EtcdTrace, WatchShowsAllEventsFromTheBeginning) {
  EXPECT_EQ(Etcd({"watch", "/registry/pods/", "--prefix", "--prev-kv"}).out,
            "PUT\n/registry/pods/x/a\n{\"v\":\"1\"}\n"
            "PUT\n/registry/pods/x/a\n{\"v\":\"1\"}\n/registry/pods/x/a\n{\"v\":\"2\"}\n"
            "DELETE\n/registry/pods/x/a\n{\"v\":\"2\"}\n/registry/pods/x/a\n\n"
            "PUT\n/registry/pods/x/b\n{\"v\":\"3\"}\n");
  EXPECT_EQ(Etcd({"watch", "/registry/pods/x/a", "--rev", "4"}).out,
            "DELETE\n/registry/pods/x/a\n\n");
  EXPECT_EQ(Etcd({"watch", "/registry/pods/x/a", "--at", "rv:2"}).out,
            "PUT\n/registry/pods/x/a\n{\"v\":\"2\"}\nDELETE\n/registry/pods/x/a\n\n");
}

TEST_F(EtcdTrace, AWatchOpenedTooLateIsCanceled) {
  const CliResult r = Etcd({"watch", "/", "--prefix", "--rev", "2", "--at", "end"});
  EXPECT_EQ(r.code, 5);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err,
            "watch was canceled (etcdserver: mvcc: required revision has been compacted)\n"
            "Error: watch is canceled by the server\n");
}

TEST_F(EtcdTrace, WrongUsageSaysWhatEtcdctlSays) {
  struct Case {
    std::vector<std::string> args;
    std::string err;
  };
  const Case cases[] = {
      {{}, "error: get or watch?\nhint: ksim etcd TRACE get KEY\n"},
      {{"put", "a", "b"},
       "error: unknown verb \"put\"; want get, watch or endpoint\nhint: ksim etcd TRACE get KEY\n"},
      {{"get"},
       "error: get command needs one argument as key and an optional argument as range_end\n"},
      {{"get", "a", "--prefix", "--from-key"},
       "error: `--prefix` and `--from-key` cannot be set at the same time, choose one\n"},
      {{"get", "a", "b", "--prefix"},
       "error: too many arguments, only accept one argument when `--prefix` or `--from-key` is "
       "set\n"},
      {{"get", "a", "--count-only"},
       "error: --count-only is only for `--write-out=fields` and `--write-out=json`\n"},
      {{"get", "a", "--print-value-only", "-w", "json"},
       "error: print-value-only is only for `--write-out=simple`\n"},
      {{"get", "a", "-o", "yaml"},
       "error: unknown output format \"yaml\"; want one of simple, json, fields, protobuf\n"},
      {{"get", "a", "-w", "table"}, "error: table not supported as output format\n"},
      {{"endpoint", "status", "-w", "protobuf"},
       "error: protobuf not supported as output format\n"},
      {{"get", "a", "--consistency", "x"}, "error: unknown consistency flag \"x\"\n"},
      {{"get", "a", "--decode", "-w", "json"},
       "error: --decode is only for `--write-out=simple`\n"},
      {{"get", "a", "--decode", "--raw"}, "error: --decode shows no bytes, --raw and --hex do\n"},
      {{"endpoint"}, "error: endpoint what?\nhint: ksim etcd TRACE endpoint status\n"},
      {{"endpoint", "health"},
       "error: unknown endpoint command \"health\": a trace tells only the status\n"
       "hint: ksim etcd TRACE endpoint status\n"},
      {{"endpoint", "status", "--prefix"}, "error: --prefix is not for endpoint\n"},
      {{"get", "a", "--order", "up"}, "error: bad sort order up\n"},
      {{"get", "a", "--prev-kv"}, "error: --prev-kv is not for get\n"},
      {{"watch", "a", "--limit", "1"}, "error: --limit is not for watch\n"}};
  for (const Case& c : cases) {
    const CliResult r = Etcd(c.args);
    EXPECT_EQ(r.code, 2) << c.err;
    EXPECT_EQ(r.err, c.err);
    EXPECT_EQ(r.out, "");
  }
}

// Whatever a script has for a real server is taken.
TEST_F(EtcdTrace, FlagsOfAConnectionMeanNothing) {
  const CliResult r =
      Etcd({"--endpoints=https://10.0.0.1:2379,https://10.0.0.2:2379", "--cacert=ca.crt", "--cert",
            "c.crt", "--key", "c.key", "--user", "root:x", "--dial-timeout=2s",
            "--command-timeout=5s", "--insecure-skip-tls-verify", "--insecure-transport=false",
            "get", "/registry/pods/x/b", "--consistency=s", "-w=simple"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "/registry/pods/x/b\n{\"v\":\"3\"}\n");
}

TEST_F(EtcdTrace, EndpointStatusIsOfAMoment) {
  const CliResult at = Etcd({"endpoint", "status", "-w", "fields", "--at", "rv:3"});
  EXPECT_EQ(at.code, 0) << at.err;
  EXPECT_NE(at.out.find("\"Revision\" : 3\n"), std::string::npos) << at.out;
  EXPECT_NE(at.out.find("\"Endpoint\" : \"127.0.0.1:2379\"\n"), std::string::npos);
  const CliResult two = Etcd({"endpoint", "status", "--endpoints", "a:1,b:2"});
  EXPECT_EQ(two.out.substr(0, 5), "a:1, ");
  EXPECT_NE(two.out.find("\nb:2, "), std::string::npos);
}

class EtcdOfARun : public testing::Test {
 protected:
  static std::string Run(const std::string& scenario) {
    const std::string path = testing::TempDir() + "etcd-run.jsonl";
    EXPECT_EQ(RunCli({"run", scenario, "-q", "--trace", path}).code, 0);
    return path;
  }
  static std::string Value(const std::string& path, const std::string& key,
                           std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"etcd", path, "get", key, "--print-value-only"});
    return RunCli(flags).out;
  }
};

// The values under the keys are the objects that `ksim get` shows.
TEST_F(EtcdOfARun, ValuesAreTheStoredObjects) {
  const std::string path = Run("scenarios/replicaset.yaml");
  const std::string key = "/registry/replicasets/default/my-replicaset";
  const std::string json = Value(path, key, {});
  EXPECT_EQ(json.substr(0, 43), "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\"");
  EXPECT_EQ(json.find("resourceVersion"), std::string::npos);
  const CliResult count =
      RunCli({"etcd", path, "get", "/registry/pods/", "--prefix", "--count-only", "-o", "fields"});
  EXPECT_NE(count.out.find("\"Count\" : 2\n"), std::string::npos);
}

TEST_F(EtcdOfARun, RawValuesAreWhatAServerStores) {
  const std::string path = Run("scenarios/replicaset.yaml");
  const std::string key = "/registry/replicasets/default/my-replicaset";
  std::string raw = Value(path, key, {"--raw"});
  ASSERT_EQ(raw.substr(0, 4), std::string_view("k8s\0", 4));
  raw.pop_back();  // etcdctl's newline
  const auto tree = api::FromProtobuf(raw);
  ASSERT_TRUE(tree.ok()) << tree.status();
  const auto json = value::ParseJson(Value(path, key, {}));
  EXPECT_EQ(value::ToJson(*tree), value::ToJson(*json));
  EXPECT_EQ(Value(path, key, {"--hex"}).substr(0, 20), "\\x6b\\x38\\x73\\x00\\x0a");
  const CliResult message = RunCli({"etcd", path, "get", key, "-w", "protobuf"});
  EXPECT_NE(message.out.find(raw), std::string::npos) << "in the message, too";
}

TEST_F(EtcdOfARun, DecodedValuesAreThoseOfEtcdhelper) {
  const std::string path = Run("scenarios/replicaset.yaml");
  const std::string set = Value(path, "/registry/replicasets/default/my-replicaset", {"--decode"});
  EXPECT_EQ(set.substr(0, 78),
            "apps/v1, Kind=ReplicaSet\n{\n  \"kind\": \"ReplicaSet\",\n  \"apiVersion\": "
            "\"apps/v1\",\n");
  EXPECT_EQ(Value(path, "/registry/namespaces/default", {"--decode"}).substr(0, 20),
            "/v1, Kind=Namespace\n");
}

}  // namespace
}  // namespace ksim::cli
