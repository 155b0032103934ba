// The store's answers as etcdctl prints them, recorded with a real etcd: 3.4.23, and 3.5.16 for
// what is hexadecimal, protobuf or an endpoint's status (3.6.5 for hexadecimal ids). Only the
// cluster and member ids differ, and of a status the sizes and the version.
#include "ksim/cli/etcd/etcdctl.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/cli/etcd/endpoint_status.h"
#include "tests/store/store_fixture.h"

namespace ksim::cli {
namespace {

using store::RangeRequest;

class Etcdctl : public store::StoreTest {
 protected:
  Etcdctl() {
    Put("/a", "1");
    Put("/b", "{\"x\":\"y<\u00e9>\\n\"}");
    Put("/a", "2");
    Delete("/a");
  }
  std::string Get(const RangeRequest& request, EtcdctlFormat format, bool value_only = false,
                  bool hex = false) {
    EtcdctlPrinter printer;
    printer.format = format;
    printer.value_only = value_only;
    printer.hex = hex;
    return printer.Get(store.Range(request).value());
  }
  std::string Watch(EtcdctlFormat format, store::Revision start) {
    store::WatchRequest request("/", "0", start);
    request.prev_kv = true;
    const auto stream = store.NewWatchStream();
    stream->Watch(request);
    store.SyncWatchers();
    EtcdctlPrinter printer;
    printer.format = format;
    std::string out;
    while (const auto r = stream->Next())
      if (!r->created) out += printer.Watch(*r);
    return out;
  }
  static constexpr char kHeader[] =
      "\"header\":{\"cluster_id\":14841639068965178418,\"member_id\":10276657743932975437,"
      "\"revision\":5,\"raft_term\":2}";
};

TEST_F(Etcdctl, PrintsKeysAndValues) {
  RangeRequest all("/", "0");
  EXPECT_EQ(Get(all, EtcdctlFormat::kSimple), "/b\n{\"x\":\"y<\u00e9>\\n\"}\n");
  EXPECT_EQ(Get(all, EtcdctlFormat::kSimple, true), "{\"x\":\"y<\u00e9>\\n\"}\n");
  EXPECT_EQ(Get(all, EtcdctlFormat::kFields),
            "\"ClusterID\" : 14841639068965178418\n\"MemberID\" : 10276657743932975437\n"
            "\"Revision\" : 5\n\"RaftTerm\" : 2\n\"Key\" : \"/b\"\n\"CreateRevision\" : 3\n"
            "\"ModRevision\" : 3\n\"Version\" : 1\n"
            "\"Value\" : \"{\\\"x\\\":\\\"y<\u00e9>\\\\n\\\"}\"\n\"Lease\" : 0\n"
            "\"More\" : false\n\"Count\" : 1\n");
  all.keys_only = true;
  EXPECT_EQ(Get(all, EtcdctlFormat::kSimple), "/b\n\n");
  EXPECT_EQ(Get(all, EtcdctlFormat::kJson),
            std::string("{") + kHeader +
                ",\"kvs\":[{\"key\":\"L2I=\",\"create_revision\":3,\"mod_revision\":3,"
                "\"version\":1}],\"count\":1}\n");
}

TEST_F(Etcdctl, PrintsJsonWithoutZeros) {
  EXPECT_EQ(Get(RangeRequest("/", "0"), EtcdctlFormat::kJson),
            std::string("{") + kHeader +
                ",\"kvs\":[{\"key\":\"L2I=\",\"create_revision\":3,\"mod_revision\":3,"
                "\"version\":1,\"value\":\"eyJ4IjoieTzDqT5cbiJ9\"}],\"count\":1}\n");
  RangeRequest page("/", "0");
  page.revision = 3;
  page.limit = 1;
  EXPECT_EQ(Get(page, EtcdctlFormat::kJson),
            std::string("{") + kHeader +
                ",\"kvs\":[{\"key\":\"L2E=\",\"create_revision\":2,\"mod_revision\":2,"
                "\"version\":1,\"value\":\"MQ==\"}],\"more\":true,\"count\":2}\n");
  EXPECT_EQ(Get(RangeRequest("nope"), EtcdctlFormat::kJson), std::string("{") + kHeader + "}\n");
}

TEST_F(Etcdctl, PrintsEvents) {
  EXPECT_EQ(Watch(EtcdctlFormat::kSimple, 1),
            "PUT\n/a\n1\nPUT\n/b\n{\"x\":\"y<\u00e9>\\n\"}\nPUT\n/a\n1\n/a\n2\n"
            "DELETE\n/a\n2\n/a\n\n");
  EXPECT_EQ(
      Watch(EtcdctlFormat::kJson, 4),
      "{\"Header\":{\"cluster_id\":14841639068965178418,\"member_id\":10276657743932975437,"
      "\"revision\":5,\"raft_term\":2},\"Events\":["
      "{\"kv\":{\"key\":\"L2E=\",\"create_revision\":2,\"mod_revision\":4,\"version\":2,"
      "\"value\":\"Mg==\"},\"prev_kv\":{\"key\":\"L2E=\",\"create_revision\":2,"
      "\"mod_revision\":2,\"version\":1,\"value\":\"MQ==\"}},"
      "{\"type\":1,\"kv\":{\"key\":\"L2E=\",\"mod_revision\":5},\"prev_kv\":{\"key\":\"L2E=\","
      "\"create_revision\":2,\"mod_revision\":4,\"version\":2,\"value\":\"Mg==\"}}],"
      "\"CompactRevision\":0,\"Canceled\":false,\"Created\":false}\n");
  EXPECT_EQ(Watch(EtcdctlFormat::kFields, 5),
            "\"ClusterID\" : 14841639068965178418\n\"MemberID\" : 10276657743932975437\n"
            "\"Revision\" : 5\n\"RaftTerm\" : 2\n\"Type\" : DELETE\n\"PrevKey\" : \"/a\"\n"
            "\"PrevCreateRevision\" : 2\n\"PrevModRevision\" : 4\n\"PrevVersion\" : 2\n"
            "\"PrevValue\" : \"2\"\n\"PrevLease\" : 0\n\"Key\" : \"/a\"\n\"CreateRevision\" : 0\n"
            "\"ModRevision\" : 5\n\"Version\" : 0\n\"Value\" : \"\"\n\"Lease\" : 0\n");
}

TEST_F(Etcdctl, PrintsACanceledWatch) {
  Compact(4);
  EXPECT_EQ(Watch(EtcdctlFormat::kJson, 1),
            "{\"Header\":{\"cluster_id\":14841639068965178418,\"member_id\":10276657743932975437,"
            "\"raft_term\":2},\"Events\":[],\"CompactRevision\":4,\"Canceled\":true,"
            "\"Created\":false}\n");
  EXPECT_EQ(Watch(EtcdctlFormat::kSimple, 1), "");
}

std::string HexOf(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

TEST_F(Etcdctl, PrintsHexadecimal) {
  const RangeRequest all("/", "0");
  EXPECT_EQ(Get(all, EtcdctlFormat::kSimple, false, true),
            "\\x2f\\x62\n"
            "\\x7b\\x22\\x78\\x22\\x3a\\x22\\x79\\x3c\\xc3\\xa9\\x3e\\x5c\\x6e\\x22\\x7d\n");
  const std::string fields = Get(all, EtcdctlFormat::kFields, false, true);
  EXPECT_EQ(fields.substr(0, fields.find("\"Revision")),
            "\"ClusterID\" : cdf818194e3a8c32\n\"MemberID\" : 8e9e05c52164694d\n");
  EXPECT_NE(fields.find("\"Lease\" : 0000000000000000\n"), std::string::npos);
  EXPECT_NE(fields.find("\"Key\" : \"/b\"\n"), std::string::npos) << "these stay";
}

TEST_F(Etcdctl, PrintsMessages) {
  const std::string header = "0a1a08b298eaf1948386fccd0110cdd2918bd2b881cf8e0118052002";
  EXPECT_EQ(HexOf(Get(RangeRequest("/", "0"), EtcdctlFormat::kProtobuf)),
            header + "121b0a022f621003180320012a0f7b2278223a22793cc3a93e5c6e227d2001");
  EXPECT_EQ(HexOf(Watch(EtcdctlFormat::kProtobuf, 4)),
            header +
                "5a1e120d0a022f611002180420022a01321a0d0a022f611002180220012a0131"
                "5a19080112060a022f6118051a0d0a022f611002180420022a0132");
}

TEST_F(Etcdctl, PrintsTheStatusOfEndpoints) {
  const std::vector<std::string> one{"127.0.0.1:23790"};
  EXPECT_EQ(EndpointStatus(EtcdctlFormat::kSimple, one, 5),
            "127.0.0.1:23790, 8e9e05c52164694d, 3.5.21, 0 B, true, false, 2, 0, 0, \n");
  EXPECT_EQ(EndpointStatus(EtcdctlFormat::kJson, one, 5),
            std::string("[{\"Endpoint\":\"127.0.0.1:23790\",\"Status\":{") + kHeader +
                ",\"version\":\"3.5.21\",\"leader\":10276657743932975437,\"raftTerm\":2}}]\n");
  EXPECT_EQ(EndpointStatus(EtcdctlFormat::kFields, one, 5),
            "\"ClusterID\" : 14841639068965178418\n\"MemberID\" : 10276657743932975437\n"
            "\"Revision\" : 5\n\"RaftTerm\" : 2\n\"Version\" : \"3.5.21\"\n\"DBSize\" : 0\n"
            "\"Leader\" : 10276657743932975437\n\"IsLearner\" : false\n\"RaftIndex\" : 0\n"
            "\"RaftTerm\" : 2\n\"RaftAppliedIndex\" : 0\n\"Errors\" : []\n"
            "\"Endpoint\" : \"127.0.0.1:23790\"\n\n");
  const std::string table = EndpointStatus(EtcdctlFormat::kTable, one, 5);
  EXPECT_EQ(table.substr(0, table.find("| 127")),
            "+-----------------+------------------+---------+---------+-----------+------------+"
            "-----------+------------+--------------------+--------+\n"
            "|    ENDPOINT     |        ID        | VERSION | DB SIZE | IS LEADER | IS LEARNER | "
            "RAFT TERM | RAFT INDEX | RAFT APPLIED INDEX | ERRORS |\n"
            "+-----------------+------------------+---------+---------+-----------+------------+"
            "-----------+------------+--------------------+--------+\n");
  EXPECT_NE(table.find("| 127.0.0.1:23790 | 8e9e05c52164694d |  3.5.21 |     0 B |      true |"),
            std::string::npos);
}

}  // namespace
}  // namespace ksim::cli
