// The store's answers as etcdctl 3.4.23 prints them, recorded with a real etcd; only the cluster
// and member ids differ.
#include "ksim/cli/etcdctl.h"

#include <gtest/gtest.h>

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
  std::string Get(const RangeRequest& request, EtcdctlFormat format, bool value_only = false) {
    EtcdctlPrinter printer;
    printer.format = format;
    printer.value_only = value_only;
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

}  // namespace
}  // namespace ksim::cli
