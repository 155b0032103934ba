#include "ksim/api/schema/go_order.h"

#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::api {
namespace {

std::string Written(const char* json) {
  const auto tree = value::ParseJson(json);
  return tree.ok() ? ToGoJson(*tree) : "no JSON";
}

TEST(GoOrder, FieldsComeAsInTheStruct) {
  EXPECT_EQ(
      Written(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"2","a":"1"},
      "creationTimestamp":null,"name":"p"},"spec":{"containers":[{"image":"i","name":"c","ports":[
      {"protocol":"TCP","containerPort":80}]}],"initContainers":[],"volumes":[{"configMap":{
      "name":"m"},"name":"v"}]},"status":{"phase":"Running","conditions":[]}})"),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","creationTimestamp":null,)"
      R"("labels":{"a":"1","b":"2"}},"spec":{"volumes":[{"name":"v","configMap":{"name":"m"}}],)"
      R"("initContainers":[],"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,)"
      R"("protocol":"TCP"}]}]},"status":{"phase":"Running","conditions":[]}})");
}

TEST(GoOrder, AKindWithoutAStructIsAMap) {
  EXPECT_EQ(Written(R"({"kind":"Rocket","apiVersion":"example.com/v1","spec":{"b":1,"a":2}})"),
            R"({"apiVersion":"example.com/v1","kind":"Rocket","spec":{"a":2,"b":1}})");
}

TEST(GoOrder, AFieldThatTheStructLacksComesLast) {
  EXPECT_EQ(Written(R"({"kind":"ConfigMap","apiVersion":"v1","aaa":1,"metadata":{"name":"m"}})"),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"aaa":1})");
}

TEST(GoOrder, AStatusHasItsOrderToo) {
  EXPECT_EQ(
      Written(R"({"apiVersion":"v1","code":422,"details":{"causes":[{"field":"f","message":"m",
      "reason":"r"}],"group":"apps","kind":"deployments","name":"d","retryAfterSeconds":1},
      "kind":"Status","message":"x","metadata":{},"reason":"Invalid","status":"Failure"})"),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"x",)"
      R"("reason":"Invalid","details":{"name":"d","group":"apps","kind":"deployments",)"
      R"("causes":[{"reason":"r","message":"m","field":"f"}],"retryAfterSeconds":1},"code":422})");
}

}  // namespace
}  // namespace ksim::api
