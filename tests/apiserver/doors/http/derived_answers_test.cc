#include "ksim/apiserver/doors/http/derived_answers.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::apiserver::http {
namespace {

value::Value Json(std::string_view text) { return value::ParseJson(text).value(); }

// The code and the text of the log of a pod with this status.
std::string LogOf(const std::string& query, const std::string& status) {
  const value::Value tree =
      Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},)"
           R"("spec":{"nodeName":"n","initContainers":[{"name":"i"}],"containers":[{"name":"c"}]},)"
           R"("status":)" +
           status + "}");
  const HttpResponse response =
      PodLog({}, *ParseTarget("/log?" + query), api::Object::FromTree(tree, 1), VirtualTime());
  if (response.code == 200) return "200 " + response.body;
  return std::to_string(response.code) + " " +
         std::string(Json(response.body).Get("message").AsString());
}

TEST(PodLog, WaitsForTheContainerToStart) {
  EXPECT_EQ(LogOf("", "{}"),
            R"(400 container "c" in pod "p" is waiting to start: ContainerCreating)");
  EXPECT_EQ(LogOf("", R"({"containerStatuses":[{"name":"c","state":{"waiting":)"
                      R"({"reason":"ImagePullBackOff"}}}]})"),
            R"(400 container "c" in pod "p" is waiting to start: ImagePullBackOff)");
  const std::string running = R"({"containerStatuses":[{"name":"c","state":{"running":{}}}]})";
  EXPECT_EQ(LogOf("", R"({"containerStatuses":[{"name":"c","state":{"running":{"a":1}}}]})"),
            "200 ");
  EXPECT_EQ(LogOf("previous=true", running),
            R"(400 previous terminated container "c" in pod "p" not found)");
}

TEST(PodLog, OfAContainerThatRanBeforeIsThere) {
  const std::string again =
      R"({"containerStatuses":[{"name":"c","state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
      R"("lastState":{"terminated":{"exitCode":1}}}]})";
  EXPECT_EQ(LogOf("", again), "200 ");
  EXPECT_EQ(LogOf("previous=true", again), "200 ");
}

TEST(PodLog, WantsAContainerOfThePod) {
  EXPECT_EQ(LogOf("container=x", "{}"), "400 container x is not valid for pod p");
  EXPECT_EQ(LogOf("container=i", "{}"),
            R"(400 container "i" in pod "p" is waiting to start: ContainerCreating)");
}

TEST(UserOfToken, KnowsOnlyTokensThatWereGivenOut) {
  HttpRequest http;
  http.body = "{}";
  const value::Value account = Json(R"({"apiVersion":"v1","kind":"ServiceAccount",)"
                                    R"("metadata":{"name":"robot","namespace":"default"}})");
  const HttpResponse response = ServiceAccountToken(
      http, *ParseTarget("/"), api::Object::FromTree(account, 1), VirtualTime());
  ASSERT_EQ(response.code, 201);
  const std::string token(Json(response.body).Get("status").Get("token").AsString());
  EXPECT_EQ(UserOfToken(token), "system:serviceaccount:default:robot");
  for (const std::string& bad : {std::string(), std::string("x"), std::string("ksim."),
                                 token.substr(0, 12), std::string("ksim.c3lzdGVtOmFkbWlu")})
    EXPECT_FALSE(UserOfToken(bad).has_value()) << bad;
}

}  // namespace
}  // namespace ksim::apiserver::http
