#include "ksim/serve/kubeconfig.h"

#include <gtest/gtest.h>

namespace ksim::serve {
namespace {

TEST(Kubeconfig, NamesItsServer) {
  Access access;
  access.server = "http://127.0.0.1:8080";
  const auto read = AccessOfKubeconfig(KubeconfigFor(access));
  EXPECT_EQ(read->server, "http://127.0.0.1:8080");
  EXPECT_TRUE(read->client.empty());
  EXPECT_EQ(read->token, "");
}

TEST(Kubeconfig, HasTheCredentials) {
  Access access;
  access.server = "https://10.0.0.1:6443";
  access.authority = "authority\n";
  access.client.certificate = "certificate\n";
  access.client.key = "key\n";
  access.token = "0123";
  const auto read = AccessOfKubeconfig(KubeconfigFor(access));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->server, access.server);
  EXPECT_EQ(read->authority, access.authority);
  EXPECT_EQ(read->client.certificate, access.client.certificate);
  EXPECT_EQ(read->client.key, access.client.key);
  EXPECT_EQ(read->token, access.token);
}

TEST(Kubeconfig, TheCurrentContextCounts) {
  const auto access = AccessOfKubeconfig(R"(
clusters: [{name: a, cluster: {server: "http://a:1"}}, {name: b, cluster: {server: "http://b:2"}}]
users: [{name: u, user: {token: no}}, {name: v, user: {token: yes it is}}]
contexts: [{name: x, context: {cluster: b, user: v}}]
current-context: x
)");
  EXPECT_EQ(access->server, "http://b:2");
  EXPECT_EQ(access->token, "yes it is");
}

TEST(Kubeconfig, WithoutAServerItIsNone) {
  for (const char* text : {"", "[]", "kind: Config", "current-context: x", "a: ["})
    EXPECT_FALSE(AccessOfKubeconfig(text).ok()) << text;
}

TEST(Kubeconfig, WhatItCannotBeUsedWithoutMustBeThere) {
  const auto why = [](std::string_view cluster) {
    return std::string(AccessOfKubeconfig("clusters: [{name: a, cluster: {" + std::string(cluster) +
                                          "}}]\ncontexts: [{name: x, context: {cluster: a}}]\n"
                                          "current-context: x\n")
                           .status()
                           .message());
  };
  EXPECT_EQ(why("server: 'https://a:1'"),
            "its cluster has no certificate-authority-data, as ksim serve writes it");
  EXPECT_EQ(why("server: 'https://a:1', certificate-authority-data: '?'"),
            "certificate-authority-data is no base64");
}

}  // namespace
}  // namespace ksim::serve
