#include "ksim/guest/network/broken_reads.h"

#include <gtest/gtest.h>

#include <string>

namespace ksim::guest {
namespace {

std::string KeyOf(const std::string& target, const std::string& method = "GET") {
  apiserver::http::HttpRequest request;
  request.method = method;
  request.target = target;
  return BrokenReads::KeyOf(request);
}

const std::string kPods = "/api/v1/namespaces/default/pods";

TEST(BrokenReads, AListAndTheWatchThatFollowsAreOne) {
  const std::string key = KeyOf(kPods + "?limit=500&resourceVersion=0");
  EXPECT_NE(key, "");
  EXPECT_EQ(KeyOf(kPods + "?allowWatchBookmarks=true&resourceVersion=7&watch=true"), key);
  EXPECT_EQ(KeyOf(kPods), key);
  EXPECT_NE(KeyOf(kPods + "?labelSelector=a%3Db"), key);
  EXPECT_NE(KeyOf(kPods + "?fieldSelector=spec.nodeName%3Da"), key);
  EXPECT_NE(KeyOf("/api/v1/pods"), key);
  for (const char* other : {"/api/v1/namespaces/default/pods/a", "/healthz", "/apis",
                            "/apis/coordination.k8s.io/v1/namespaces/default/leases"})
    EXPECT_EQ(KeyOf(other), "") << other;
  EXPECT_EQ(KeyOf(kPods, "POST"), "");
}

TEST(BrokenReads, AreAwaitedUntilTheyAreAnswered) {
  const std::string pods = KeyOf(kPods);
  for (const int bad : {0, 410, 429, 500, 503}) {
    BrokenReads reads;
    EXPECT_FALSE(reads.Awaits(pods));
    EXPECT_TRUE(reads.Answered(pods, bad)) << bad;
    EXPECT_TRUE(reads.Awaits(pods)) << bad;
    EXPECT_FALSE(reads.Answered(pods, 200));
    EXPECT_FALSE(reads.Awaits(pods));
  }
  BrokenReads reads;
  EXPECT_TRUE(reads.Broke(pods));
  EXPECT_TRUE(reads.Awaits(pods));
  // A server that says no has answered: to ask again for ever is no work.
  for (const int answer : {200, 403, 404}) {
    EXPECT_TRUE(reads.Broke(pods));
    EXPECT_FALSE(reads.Answered(pods, answer));
    EXPECT_FALSE(reads.Awaits(pods)) << answer;
  }
  EXPECT_FALSE(reads.Broke("")) << "no list and no watch";
}

TEST(BrokenReads, WhatIsGivenUpIsAwaitedAgainOnceAFaultEnds) {
  const std::string pods = KeyOf(kPods);
  BrokenReads reads;
  EXPECT_FALSE(reads.FaultEnded());
  reads.Broke(pods);
  reads.GiveUp(pods);
  EXPECT_FALSE(reads.Awaits(pods));
  EXPECT_FALSE(reads.Answered(pods, 0)) << "it goes on for ever";
  EXPECT_TRUE(reads.FaultEnded());
  EXPECT_TRUE(reads.Awaits(pods));
  reads.Answered(pods, 200);
  EXPECT_FALSE(reads.FaultEnded());
}

}  // namespace
}  // namespace ksim::guest
