#include "ksim/trace/header.h"

#include <gtest/gtest.h>

#include "tests/trace/builder.h"

namespace ksim::trace {
namespace {

TEST(Header, LineHasTheFieldsOfTheContractInOrder) {
  Header h;
  h.ksim_version = "0.1.0";
  h.compat = "1.30";
  h.seed = 7;
  h.strategy_seed = 7;
  h.scenario = Json(R"({"kind":"Scenario"})");
  h.overrides.push_back({"delay/a/b/pods", 0x1f, 2});
  EXPECT_EQ(ToJsonLine(h),
            R"({"ksim":"trace","version":1,"ksimVersion":"0.1.0","compat":"1.30","seed":7,)"
            R"("strategy":{"name":"nominal","seed":7,"params":{}},"mode":"run",)"
            R"("scenario":{"kind":"Scenario"},)"
            R"("overrides":[{"site":"delay/a/b/pods","key":"000000000000001f","answer":2}]})");
}

TEST(Header, ComesBackFromItsLine) {
  Header h;
  h.ksim_version = "0.1.0";
  h.compat = "1.25";
  h.seed = 12345678901;
  h.mode = "fuzz";
  h.scenario = Json(R"({"a":[1,2.5,"x\n"]})");
  h.overrides.push_back({"order", ~std::uint64_t{0}, 1});
  const absl::StatusOr<Header> back = ParseHeader(Json(ToJsonLine(h)));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(ToJsonLine(*back), ToJsonLine(h));
}

TEST(Header, RejectsWhatIsNoHeader) {
  for (const char* text :
       {R"({"seq":1})", R"({"ksim":"trace"})", R"([])",
        R"({"ksim":"trace","version":1,"scenario":{},"overrides":[{"key":"g"}]})",
        R"({"ksim":"trace","version":1,"scenario":{},"seed":-1})",
        R"({"ksim":"trace","version":1,"scenario":{},"strategy":{"name":"x","seed":-1}})"})
    EXPECT_FALSE(ParseHeader(Json(text)).ok()) << text;
}

TEST(End, RejectsNegativeCounts) {
  for (const char* text : {R"({"end":{"events":-1}})", R"({"end":{"violations":[{"first":-1}]}})"})
    EXPECT_FALSE(ParseEnd(Json(text)).ok()) << text;
}

TEST(End, LineHasTheFieldsOfTheContractInOrder) {
  End e;
  e.events = 3;
  e.time = 2000000000;
  e.digest = "0123";
  e.state = "4567";
  e.result = "violation";
  e.violations.emplace_back();
  e.violations.back().oracle = "expect";
  e.violations.back().message = "two pods, wanted \"3\"";
  e.violations.back().objects = {"pods/default/a"};
  e.violations.back().first = 2;
  e.decisions.push_back({"fault.crash/x", 1, 1});
  e.judged = {"expect"};
  e.not_judged = {{"esr", "not in this version"}};
  const std::string line = ToJsonLine(e);
  EXPECT_EQ(line, R"({"end":{"events":3,"time":2000000000,"digest":"0123","state":"4567",)"
                  R"("result":"violation","violations":[{"oracle":"expect",)"
                  R"("message":"two pods, wanted \"3\"","objects":["pods/default/a"],"first":2}],)"
                  R"("decisions":[{"site":"fault.crash/x","key":"0000000000000001","answer":1}],)"
                  R"("unapplied":[],"judged":["expect"],)"
                  R"("notJudged":[{"oracle":"esr","why":"not in this version"}]}})");
  const absl::StatusOr<End> back = ParseEnd(Json(line));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(ToJsonLine(*back), line);
}

}  // namespace
}  // namespace ksim::trace
