// The bytes that a kube-apiserver writes to etcd.
#include "ksim/api/schema/stored_form.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/api/schema/protobuf.h"
#include "ksim/value/json.h"

namespace ksim::api {
namespace {

using value::Value;

class StoredFormTest : public testing::Test {
 protected:
  std::string Form(const char* json) const {
    return StoredForm(kinds_, *value::ParseJson(json), Compat::k1_30);
  }
  Kinds kinds_;
};

TEST_F(StoredFormTest, BuiltInKindsAreProtobuf) {
  const char* const map =
      R"({"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"name":"x"}})";
  const std::string bytes = Form(map);
  EXPECT_EQ(bytes, *ToProtobuf(*value::ParseJson(map)));
  EXPECT_EQ(bytes.substr(0, 4), std::string("k8s\0", 4));
}

TEST_F(StoredFormTest, TheOtherServersWriteJson) {
  const std::string service = Form(
      R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"x"}})");
  EXPECT_EQ(service.substr(0, 63),
            R"({"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1",")");
  EXPECT_EQ(service.back(), '\n');
  const std::string definition =
      Form(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"x.y"}})");
  EXPECT_EQ(definition.substr(0, 2), "{\"");
}

TEST_F(StoredFormTest, CustomResourcesAreJsonByTheNamesOfTheirFields) {
  EXPECT_EQ(Form(R"({"kind":"Foo","spec":{"b":1,"a":2},"apiVersion":"example.com/v1"})"),
            "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\",\"spec\":{\"a\":2,\"b\":1}}\n");
}

TEST_F(StoredFormTest, WhatIsNoObjectStaysAsItIs) {
  EXPECT_EQ(StoredForm(kinds_, Value::Of("1735689600"), Compat::k1_30), "1735689600");
  EXPECT_EQ(StoredForm(kinds_, Value(), Compat::k1_30), "");
  EXPECT_EQ(Form(R"({"v":"1"})"), R"({"v":"1"})");
}

}  // namespace
}  // namespace ksim::api
