#include "ksim/api/core/names.h"

#include <set>

#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

sim::Decisions Seeded(std::uint64_t seed) { return sim::Decisions(seed, {}, nullptr); }

// API-64
TEST(Names, GeneratedNamesHaveFiveDrawnCharacters) {
  sim::Decisions decisions = Seeded(7);
  std::set<std::string> names;
  for (std::uint64_t identity = 0; identity < 200; ++identity) {
    const std::string name = GenerateName(decisions, "pods", identity, "web-");
    ASSERT_EQ(name.size(), 9u);
    EXPECT_EQ(name.substr(0, 4), "web-");
    EXPECT_EQ(name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 4), name.npos) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 200u);
  EXPECT_EQ(GenerateName(decisions, "pods", 1, std::string(80, 'a')).size(), 63u);
}

TEST(Names, AreAFunctionOfSeedIdentityAndAttempt) {
  sim::Decisions a = Seeded(7), b = Seeded(7), other = Seeded(8);
  const std::string first = GenerateName(a, "pods", 5, "x-");
  EXPECT_EQ(GenerateName(b, "pods", 5, "x-"), first);
  EXPECT_NE(GenerateName(other, "pods", 5, "x-"), first);
  EXPECT_NE(GenerateName(a, "pods", 5, "x-"), first);  // the next attempt
  GenerateName(b, "pods", 6, "x-");                    // others do not disturb it
  EXPECT_EQ(GenerateName(b, "pods", 5, "x-").size(), first.size());
}

// API-63
TEST(Names, UidsAreVersion4) {
  sim::Decisions decisions = Seeded(1);
  std::set<std::string> uids;
  for (std::uint64_t identity = 0; identity < 100; ++identity) {
    const std::string uid = GenerateUid(decisions, "pods", identity);
    ASSERT_EQ(uid.size(), 36u) << uid;
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) EXPECT_EQ(uid[dash], '-') << uid;
    EXPECT_EQ(uid[14], '4') << uid;
    EXPECT_NE(std::string("89ab").find(uid[19]), std::string::npos) << uid;
    EXPECT_EQ(uid.find_first_not_of("0123456789abcdef-"), uid.npos) << uid;
    uids.insert(uid);
  }
  EXPECT_EQ(uids.size(), 100u);
}

TEST(Identities, GeneratedObjectsCountByTheirOwner) {
  Identities ids;
  const std::uint64_t rs = ids.Of("replicasets", "default", "web");
  const std::uint64_t other = ids.Of("replicasets", "default", "db");
  const std::uint64_t first = ids.NextGenerated(rs, "pods");
  const std::uint64_t of_other = ids.NextGenerated(other, "pods");
  const std::uint64_t second = ids.NextGenerated(rs, "pods");
  EXPECT_EQ(std::set<std::uint64_t>({rs, other, first, of_other, second}).size(), 5u);

  // The creations of another owner do not change these names.
  Identities again;
  EXPECT_EQ(again.NextGenerated(rs, "pods"), first);
  EXPECT_EQ(again.NextGenerated(rs, "pods"), second);
  EXPECT_NE(again.NextGenerated(rs, "events"), first);
}

TEST(Identities, RecordedNamesKeepTheirIdentity) {
  Identities ids;
  const std::uint64_t named = ids.Of("pods", "default", "web-abcde");
  ids.Record("pods", "default", "web-abcde", 42);
  EXPECT_EQ(ids.Of("pods", "default", "web-abcde"), 42u);
  EXPECT_EQ(named, sim::KeyOf("pods/default/web-abcde"));
  EXPECT_EQ(ids.Of("pods", "default", "web"), sim::KeyOf("pods/default/web"));
}

TEST(Compat, NamesAndNumbers) {
  for (const Compat c : kAllCompats) EXPECT_EQ(ParseCompat(ToString(c)), c);
  EXPECT_EQ(ParseCompat("1.29"), std::nullopt);
  EXPECT_EQ(ParseCompat(""), std::nullopt);
}

TEST(Requests, WordsOfTheWire) {
  EXPECT_EQ(ToString(Verb::kDeleteCollection), "deletecollection");
  EXPECT_EQ(ToString(Verb::kGet), "get");
  EXPECT_EQ(ToString(Verb::kList), "list");
  EXPECT_EQ(ToString(Verb::kWatch), "watch");
  EXPECT_EQ(ToString(Verb::kCreate), "create");
  EXPECT_EQ(ToString(Verb::kUpdate), "update");
  EXPECT_EQ(ToString(Verb::kPatch), "patch");
  EXPECT_EQ(ToString(Verb::kDelete), "delete");
  EXPECT_EQ(ContentType(PatchType::kJson), "application/json-patch+json");
  EXPECT_EQ(ContentType(PatchType::kMerge), "application/merge-patch+json");
  EXPECT_EQ(ContentType(PatchType::kStrategic), "application/strategic-merge-patch+json");
  EXPECT_EQ(ContentType(PatchType::kApply), "application/apply-patch+yaml");
  EXPECT_EQ(ToString(WatchEventType::kAdded), "ADDED");
  EXPECT_EQ(ToString(WatchEventType::kModified), "MODIFIED");
  EXPECT_EQ(ToString(WatchEventType::kDeleted), "DELETED");
  EXPECT_EQ(ToString(WatchEventType::kBookmark), "BOOKMARK");
  EXPECT_EQ(ToString(WatchEventType::kError), "ERROR");
}

}  // namespace
}  // namespace ksim::api
