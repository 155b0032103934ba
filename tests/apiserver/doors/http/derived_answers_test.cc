#include "ksim/apiserver/doors/http/derived_answers.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::apiserver::http {
namespace {

value::Value Json(std::string_view text) { return value::ParseJson(text).value(); }

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
