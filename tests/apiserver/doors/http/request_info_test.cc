#include "ksim/apiserver/doors/http/request_info.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ksim::apiserver::http {
namespace {

RequestInfo Read(std::string_view method, std::string_view target) {
  const auto url = ParseTarget(target);
  EXPECT_TRUE(url.has_value()) << target;
  return url.has_value() ? ReadRequestInfo(method, *url) : RequestInfo();
}

// The rows of upstream's TestGetAPIRequestInfo and TestGetNonAPIRequestInfo
// (apiserver pkg/endpoints/request/requestinfo_test.go).
struct InfoRow {
  const char* method;
  const char* target;
  const char* verb;
  const char* prefix;
  const char* group;
  const char* version;
  const char* ns;
  const char* resource;
  const char* subresource;
  const char* name;
};

// API-144
TEST(RequestInfo, ReadsTheFormsOfResourcePaths) {
  const std::vector<InfoRow> rows = {
      {"GET", "/api/v1/namespaces", "list", "api", "", "v1", "", "namespaces", "", ""},
      {"GET", "/api/v1/namespaces/other", "get", "api", "", "v1", "other", "namespaces", "",
       "other"},
      {"GET", "/api/v1/namespaces/other/pods", "list", "api", "", "v1", "other", "pods", "", ""},
      {"GET", "/api/v1/namespaces/other/pods/foo", "get", "api", "", "v1", "other", "pods", "",
       "foo"},
      {"HEAD", "/api/v1/namespaces/other/pods/foo", "get", "api", "", "v1", "other", "pods", "",
       "foo"},
      {"GET", "/api/v1/pods", "list", "api", "", "v1", "", "pods", "", ""},
      {"HEAD", "/api/v1/pods", "list", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/proxy/namespaces/other/pods/foo", "proxy", "api", "", "v1", "other", "pods",
       "", "foo"},
      {"GET", "/api/v1/proxy/namespaces/other/pods/foo/subpath/not/a/subresource", "proxy", "api",
       "", "v1", "other", "pods", "", "foo"},
      {"GET", "/api/v1/watch/pods", "watch", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=true", "watch", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=false", "list", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/watch/namespaces/other/pods", "watch", "api", "", "v1", "other", "pods", "",
       ""},
      {"GET", "/api/v1/namespaces/other/pods?watch=1", "watch", "api", "", "v1", "other", "pods",
       "", ""},
      {"GET", "/api/v1/namespaces/other/pods?watch=0", "list", "api", "", "v1", "other", "pods", "",
       ""},
      {"GET", "/api/v1/namespaces/other/pods/foo/status", "get", "api", "", "v1", "other", "pods",
       "status", "foo"},
      {"GET", "/api/v1/namespaces/other/pods/foo/proxy/subpath", "get", "api", "", "v1", "other",
       "pods", "proxy", "foo"},
      {"PUT", "/api/v1/namespaces/other/finalize", "update", "api", "", "v1", "other", "namespaces",
       "finalize", "other"},
      {"PUT", "/api/v1/namespaces/other/status", "update", "api", "", "v1", "other", "namespaces",
       "status", "other"},
      {"PATCH", "/api/v1/namespaces/other/pods/foo", "patch", "api", "", "v1", "other", "pods", "",
       "foo"},
      {"DELETE", "/api/v1/namespaces/other/pods/foo", "delete", "api", "", "v1", "other", "pods",
       "", "foo"},
      {"POST", "/api/v1/namespaces/other/pods", "create", "api", "", "v1", "other", "pods", "", ""},
      {"DELETE", "/api/v1/nodes", "deletecollection", "api", "", "v1", "", "nodes", "", ""},
      {"DELETE", "/api/v1/namespaces/other/pods", "deletecollection", "api", "", "v1", "other",
       "pods", "", ""},
      {"POST", "/apis/extensions/v1/namespaces/other/pods", "create", "apis", "extensions", "v1",
       "other", "pods", "", ""},
      // A field selector on metadata.name names the object.
      {"GET", "/apis/apps/v1/namespaces/other/deployments?fieldSelector=metadata.name=foo", "list",
       "apis", "apps", "v1", "other", "deployments", "", "foo"},
      {"GET", "/apis/apps/v1/namespaces/other/deployments?fieldSelector=metadata.name=foo&watch=",
       "watch", "apis", "apps", "v1", "other", "deployments", "", "foo"},
      {"DELETE", "/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo",
       "deletecollection", "api", "", "v1", "other", "pods", "", ""},
      // A name that is no segment of a path names nothing.
      {"GET", "/api/v1/pods?fieldSelector=metadata.name=a%2Fb", "list", "api", "", "v1", "", "pods",
       "", ""},
      // Options that cannot be read leave the verb, read with fewer rules.
      {"GET", "/api/v1/pods?limit=x&watch=no", "watch", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?limit=x&watch=FALSE", "list", "api", "", "v1", "", "pods", "", ""},
      {"OPTIONS", "/api/v1/pods", "", "api", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods/a%2Eb/", "get", "api", "", "v1", "", "pods", "", "a.b"},
  };
  for (const InfoRow& row : rows) {
    SCOPED_TRACE(std::string(row.method) + " " + row.target);
    const RequestInfo info = Read(row.method, row.target);
    EXPECT_TRUE(info.is_resource_request);
    EXPECT_EQ(info.error, "");
    EXPECT_EQ(info.verb, row.verb);
    EXPECT_EQ(info.api_prefix, row.prefix);
    EXPECT_EQ(info.api_group, row.group);
    EXPECT_EQ(info.api_version, row.version);
    EXPECT_EQ(info.ns, row.ns);
    EXPECT_EQ(info.resource, row.resource);
    EXPECT_EQ(info.subresource, row.subresource);
    EXPECT_EQ(info.name, row.name);
  }
}

// API-144
TEST(RequestInfo, LeavesOtherPathsAlone) {
  for (const char* target :
       {"/", "/api", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz",
        "/healthz/ping", "/simple/a/b/c", "/openapi/v3/apis/apps/v1"}) {
    const RequestInfo info = Read("GET", target);
    EXPECT_FALSE(info.is_resource_request) << target;
    EXPECT_EQ(info.verb, "get") << target;
  }
}

TEST(RequestInfo, RefusesASpecialVerbOfNothing) {
  for (const char* target : {"/api/v1/proxy", "/api/v1/watch", "/apis/apps/v1/watch"}) {
    EXPECT_NE(Read("GET", target).error, "") << target;
  }
}

}  // namespace
}  // namespace ksim::apiserver::http
