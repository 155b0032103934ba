#include "ksim/apiserver/doors/http/options.h"

#include <gtest/gtest.h>

#include <string>

namespace ksim::apiserver::http {
namespace {

std::string ListError(std::string_view query) {
  api::ListOptions options;
  bool watch = false;
  const api::Status status = ReadListOptions(ParseQuery(query), &options, &watch);
  EXPECT_TRUE(status.ok() || status.code == 400);
  return std::string(status.message.view());
}

bool Watches(std::string_view query) {
  api::ListOptions options;
  bool watch = false;
  EXPECT_TRUE(ReadListOptions(ParseQuery(query), &options, &watch).ok()) << query;
  return watch;
}

// API-154
TEST(Options, ReadsAllListOptions) {
  api::ListOptions options;
  bool watch = false;
  ASSERT_TRUE(
      ReadListOptions(
          ParseQuery("labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&watch=1&"
                     "allowWatchBookmarks=true&resourceVersion=5&resourceVersionMatch=Exact&"
                     "timeoutSeconds=30&limit=500&continue=abc&sendInitialEvents=&pretty=1"),
          &options, &watch)
          .ok());
  EXPECT_EQ(options.label_selector.view(), "a=b");
  EXPECT_EQ(options.field_selector.view(), "metadata.name=x");
  EXPECT_TRUE(watch);
  EXPECT_TRUE(options.allow_watch_bookmarks);
  EXPECT_EQ(options.resource_version.view(), "5");
  EXPECT_EQ(options.resource_version_match.view(), "Exact");
  EXPECT_EQ(options.timeout_seconds, 30);
  EXPECT_EQ(options.limit, 500);
  EXPECT_EQ(options.continue_token.view(), "abc");
  EXPECT_EQ(options.send_initial_events, true);
}

// API-154
TEST(Options, TakesBooleansAsAConversionDoes) {
  for (const char* yes : {"watch", "watch=", "watch=1", "watch=true", "watch=yes", "watch=no",
                          "watch=x&watch=false"}) {
    EXPECT_TRUE(Watches(yes)) << yes;
  }
  for (const char* no :
       {"", "watch=0", "watch=false", "watch=FALSE", "watch=0&watch=1", "Watch=1"}) {
    EXPECT_FALSE(Watches(no)) << no;
  }
}

// API-154
TEST(Options, RefusesWhatIsNoNumber) {
  EXPECT_EQ(ListError("limit=x"), "strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_EQ(ListError("limit="), "strconv.ParseInt: parsing \"\": invalid syntax");
  EXPECT_EQ(ListError("limit=1.5"), "strconv.ParseInt: parsing \"1.5\": invalid syntax");
  EXPECT_EQ(ListError("limit=%2B-1"), "strconv.ParseInt: parsing \"+-1\": invalid syntax");
  EXPECT_EQ(ListError("timeoutSeconds=9223372036854775808"),
            "strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
  EXPECT_EQ(ListError("limit=%2B5"), "");
  EXPECT_EQ(ListError("limit=-5"), "");
}

TEST(Options, RefusesSelectorsThatCannotBeRead) {
  EXPECT_NE(ListError("labelSelector=a%20b"), "");
  EXPECT_NE(ListError("fieldSelector=a"), "");
}

// API-154
TEST(Options, ReadsDeleteOptions) {
  api::Request request;
  api::RequestFlaws flaws;
  ASSERT_TRUE(ReadDeleteOptions(ParseQuery("gracePeriodSeconds=0&propagationPolicy=Foreground&"
                                           "uid=u&resourceVersion=3&dryRun=All"),
                                &request, &flaws)
                  .ok());
  EXPECT_EQ(request.del.grace_period_seconds, 0);
  EXPECT_EQ(request.del.propagation_policy.view(), "Foreground");
  EXPECT_EQ(request.del.uid->view(), "u");
  EXPECT_EQ(request.del.resource_version->view(), "3");
  EXPECT_FALSE(request.del.orphan_dependents.has_value());
  EXPECT_TRUE(request.dry_run);
  ASSERT_TRUE(ReadDeleteOptions(ParseQuery("orphanDependents=false"), &request, &flaws).ok());
  EXPECT_EQ(request.del.orphan_dependents, false);
  EXPECT_FALSE(flaws.empty_policy);
  ASSERT_TRUE(ReadDeleteOptions(ParseQuery("propagationPolicy="), &request, &flaws).ok());
  EXPECT_TRUE(flaws.empty_policy);
}

// API-154
TEST(Options, ReadsWriteOptions) {
  for (const api::Verb verb : {api::Verb::kCreate, api::Verb::kUpdate, api::Verb::kPatch}) {
    api::Request request;
    api::RequestFlaws flaws;
    request.verb = verb;
    ASSERT_TRUE(
        ReadWriteOptions(
            ParseQuery("fieldManager=m&fieldValidation=Strict&force=true&dryRun=All&unknown=1"),
            &request, &flaws)
            .ok());
    EXPECT_EQ(flaws.force_given, verb == api::Verb::kPatch);
    EXPECT_TRUE(flaws.dry_run.empty());
    EXPECT_EQ(request.field_manager.view(), "m");
    EXPECT_EQ(request.field_validation.view(), "Strict");
    EXPECT_EQ(request.force, verb == api::Verb::kPatch) << "only PatchOptions have it";
    EXPECT_TRUE(request.dry_run);
  }
}

TEST(Options, KnowsOneKindOfDryRun) {
  api::Request request;
  api::RequestFlaws flaws;
  request.verb = api::Verb::kCreate;
  EXPECT_TRUE(ReadWriteOptions(ParseQuery("dryRun=All&dryRun=Some"), &request, &flaws).ok());
  EXPECT_EQ(flaws.dry_run, (std::vector<std::string>{"All", "Some"}));
}

}  // namespace
}  // namespace ksim::apiserver::http
