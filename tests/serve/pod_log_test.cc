// pods/log of a served cluster: what kubectl logs gets.
#include <gtest/gtest.h>

#include <string>

#include "tests/serve/world.h"

namespace ksim::serve {
namespace {

constexpr const char* kPods = "/api/v1/namespaces/default/pods";

std::string Pod(const std::string& log, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{)" + more +
         R"("log.ksim.dev/c":")" + log + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})";
}

std::string Log(const std::string& query = "") {
  return std::string(kPods) + "/p/log" + (query.empty() ? "" : "?" + query);
}

// API-282
TEST(ServedPodLog, HasWhatTheContainerHasPrinted) {
  Served served;
  served.Ask("POST", kPods, Pod("up; warm after 20s"));
  served.Advance(Seconds(15));
  EXPECT_EQ(served.Ask("GET", Log()).body, "up\n");
  served.Advance(Seconds(20));
  EXPECT_EQ(served.Ask("GET", Log()).body, "up\nwarm\n");
  EXPECT_EQ(served.Ask("GET", Log("tailLines=1")).body, "warm\n");
  EXPECT_EQ(served.Ask("GET", Log("limitBytes=2")).body, "up");
  EXPECT_EQ(served.Ask("GET", Log("sinceSeconds=25")).body, "warm\n");
  EXPECT_EQ(served.Ask("GET", Log("tailLines=-1")).code, 422);
  EXPECT_EQ(served.Ask("GET", Log("previous=true")).code, 400);
  EXPECT_EQ(served.Ask("GET", std::string(kPods) + "/q/log").code, 404);
  EXPECT_EQ(served.Ask("GET", std::string(kPods) + "/q/log?tailLines=-1").code, 422);
}

// API-283
TEST(ServedPodLog, IsFollowedToTheEndOfTheRun) {
  Served served;
  served.Ask("POST", kPods, Pod("up; warm after 20s"));
  served.Advance(Seconds(15));
  const auto stream = served.Send("GET", Log("follow=true"));
  served.Advance(Seconds(1));
  EXPECT_EQ(served.reader.answers[stream].code, 200);
  EXPECT_EQ(served.reader.answers[stream].body, "up\n");
  served.Advance(Seconds(20));
  EXPECT_EQ(served.reader.answers[stream].body, "up\nwarm\n");
  EXPECT_FALSE(served.reader.answers[stream].ended);
  served.Ask("DELETE", std::string(kPods) + "/p");
  served.Advance(Seconds(60));
  EXPECT_TRUE(served.reader.answers[stream].ended);
  EXPECT_FALSE(served.reader.answers[stream].reset);
}

// API-283
TEST(ServedPodLog, EndsWithItsLimitOrItsReader) {
  Served served;
  served.Ask("POST", kPods, Pod("up; warm after 20s; hot after 40s"));
  served.Advance(Seconds(15));
  const auto limited = served.Send("GET", Log("follow=true&limitBytes=5"));
  const auto gone = served.Send("GET", Log("follow=true"));
  served.Advance(Seconds(1));
  EXPECT_FALSE(served.reader.answers[limited].ended);
  served.Act(Input::What::kGone, gone);
  served.Advance(Seconds(60));
  EXPECT_EQ(served.reader.answers[limited].body, "up\nwa");
  EXPECT_TRUE(served.reader.answers[limited].ended);
  EXPECT_EQ(served.reader.answers[gone].body, "up\n");
  // A run that is over has its end at once.
  served.Ask("DELETE", std::string(kPods) + "/p");
}

// API-282
TEST(ServedPodLog, OfTheRunBeforeIsKept) {
  Served served;
  served.Ask("POST", kPods, Pod("panic | serving", R"("exit.ksim.dev/c":"1 after 5s, runs",)"));
  served.Advance(Seconds(60));
  EXPECT_EQ(served.Ask("GET", Log()).body, "serving\n");
  EXPECT_EQ(served.Ask("GET", Log("previous=true")).body, "panic\n");
}

}  // namespace
}  // namespace ksim::serve
