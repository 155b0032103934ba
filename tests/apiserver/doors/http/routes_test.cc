// Paths and methods that lead nowhere.
#include "ksim/apiserver/doors/http/routes.h"

#include <gtest/gtest.h>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"

namespace ksim::apiserver::http {
namespace {

// API-144. go-restful answers 405 where only the method has no route, and 404 elsewhere.
TEST(FindRoute, RefusesWhatNoServerHas) {
  const struct {
    const char *method, *path;
    int code;  // 0: there is a route
  } rows[] = {
      {"GET", "/api/v1/namespaces/d/pods/p", 0},
      {"GET", "/api/v1/pods", 0},
      {"POST", "/api/v1/namespaces/d/pods", 0},
      {"POST", "/api/v1/namespaces/d/pods/p/binding", 0},
      {"PUT", "/api/v1/namespaces/d", 0},
      {"PUT", "/api/v1/namespaces/d/finalize", 0},
      {"PUT", "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval", 0},
      {"DELETE", "/apis/apps/v1/namespaces/d/replicasets", 0},
      {"POST", "/api/v1/namespaces/d/pods/p", 405},
      {"PUT", "/api/v1/namespaces/d/pods", 405},
      {"PATCH", "/api/v1/namespaces/d/pods", 405},
      {"PATCH", "/api/v1/nodes?fieldSelector=metadata.name=n", 405},
      {"OPTIONS", "/api/v1/pods", 405},
      {"GET", "/api/v1/nothings", 404},
      {"GET", "/api/v2/pods", 404},
      {"GET", "/apis/apps/v1/pods", 404},
      {"GET", "/apis/apps/v2/replicasets", 404},
      {"GET", "/api/v1/pods/p", 404},
      {"GET", "/api/v1/namespaces/d/nodes", 404},
      {"GET", "/api/v1/namespaces/d/pods/p/nothing", 404},
      {"GET", "/api/v1/namespaces/d/pods/p/ephemeralcontainers", 0},
      {"PATCH", "/api/v1/namespaces/d/pods/p/resize", 0},
      {"PUT", "/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval", 0},
      {"POST", "/api/v1/namespaces/d/bindings", 0},
      {"GET", "/api/v1/namespaces/d/bindings", 405},
      {"POST", "/api/v1/bindings", 404},
      {"PUT", "/api/v1/namespaces/d/bindings/p", 404},
      {"GET", "/api/v1/nodes/n/proxy", 501},
      {"GET", "/api/v1/namespaces/d/services/s/proxy/x", 501},
      {"GET", "/apis/apps/v1/namespaces/d/deployments/d/proxy", 404},
      {"GET", "/api/v1/namespaces/d/pods/p/exec", 501},
      {"POST", "/api/v1/namespaces/d/pods/p/portforward", 501},
  };
  const api::Kinds kinds;
  for (const auto& row : rows) {
    const auto url = ParseTarget(row.path);
    ASSERT_TRUE(url.has_value()) << row.path;
    api::Request request;
    const api::Status status = FindRoute(kinds, ReadRequestInfo(row.method, *url), &request);
    EXPECT_EQ(status.ok() ? 0 : status.code, row.code) << row.method << " " << row.path;
  }
}

}  // namespace
}  // namespace ksim::apiserver::http
