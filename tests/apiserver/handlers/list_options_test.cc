#include "ksim/apiserver/handlers/list_options.h"

#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;

// "" if valid, else the causes' reasons in order.
std::string Causes(const api::Status& status) {
  if (status.ok()) return "";
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.details->kind, "ListOptions");
  EXPECT_EQ(status.details->group, "meta.k8s.io");
  std::string text;
  for (const api::StatusCause& c : status.details->causes)
    text += (text.empty() ? "" : " ") + c.reason;
  return text;
}

constexpr const char* kForbidden = "FieldValueForbidden";
constexpr const char* kNotSupported = "FieldValueNotSupported";

// API-38
TEST(ListOptions, ListsAreCheckedAsOneTable) {
  struct Row {
    const char* rv;
    const char* match;
    const char* token;
    std::string causes;
  };
  for (const Row& row : std::vector<Row>{
           {"", "", "", ""},
           {"0", "", "", ""},
           {"5", "Exact", "", ""},
           {"0", "NotOlderThan", "", ""},
           {"", "Exact", "", kForbidden},
           {"5", "NotOlderThan", "t", kForbidden},
           {"5", "Sometimes", "", kNotSupported},
           {"0", "Exact", "", kForbidden},
           {"", "Never", "t", std::string(kForbidden) + " " + kForbidden + " " + kNotSupported}}) {
    api::ListOptions options = Options(row.rv, row.match);
    options.continue_token = row.token;
    EXPECT_EQ(Causes(ValidateListOptions(options)), row.causes) << row.rv << " " << row.match;
  }
  api::ListOptions initial;
  initial.send_initial_events = false;
  EXPECT_EQ(Causes(ValidateListOptions(initial)), kForbidden);
}

// WATCH-04
TEST(ListOptions, WatchesAreCheckedByProfile) {
  struct Row {
    const char* match;
    std::optional<bool> initial;
    std::string at_1_25, at_1_30, at_1_36;
  };
  const std::string two = std::string(kForbidden) + " " + kForbidden;
  for (const Row& row : std::vector<Row>{
           {"", std::nullopt, "", "", ""},
           {"", true, "", two, kForbidden},
           {"", false, "", two, kForbidden},
           {"NotOlderThan", true, kForbidden, kForbidden, ""},
           {"NotOlderThan", std::nullopt, kForbidden, kForbidden, kForbidden},
           {"Exact", std::nullopt, kForbidden, std::string(kForbidden) + " " + kNotSupported,
            std::string(kForbidden) + " " + kNotSupported}}) {
    const std::string expected[] = {row.at_1_25, row.at_1_30, row.at_1_36};
    for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
      api::ListOptions options = Options("5", row.match);
      options.send_initial_events = row.initial;
      DropUnknownListOptions(options, apiserver::ProfileOf(compat));
      EXPECT_EQ(Causes(ValidateWatchOptions(options, apiserver::ProfileOf(compat))),
                expected[static_cast<int>(compat)])
          << row.match << " at " << api::ToString(compat);
    }
  }
}

// WATCH-05
TEST(ListOptions, AWatchFromAnywhereIsAWatchListFrom136On) {
  for (const char* rv : {"", "0"}) {
    api::ListOptions options = Options(rv);
    DefaultWatchOptions(options, apiserver::ProfileOf(Compat::k1_30));
    EXPECT_FALSE(options.send_initial_events.has_value());
    DefaultWatchOptions(options, apiserver::ProfileOf(Compat::k1_36));
    EXPECT_TRUE(options.send_initial_events.value());
    EXPECT_EQ(options.resource_version_match, "NotOlderThan");
  }
  api::ListOptions at = Options("7");
  DefaultWatchOptions(at, apiserver::ProfileOf(Compat::k1_36));
  EXPECT_FALSE(at.send_initial_events.has_value());
}

}  // namespace
}  // namespace ksim::apiserver
