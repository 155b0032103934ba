#include "ksim/kubectl/verbs/earlier_tries.h"

#include <gtest/gtest.h>

namespace ksim::kubectl {
namespace {

api::Response Answer(int code, const std::string& reason = "") {
  api::Response response;
  response.code = code;
  response.status.reason = reason;
  return response;
}

TEST(EarlierTries, KnowWhatTheyMayHaveDone) {
  struct Row {
    const char* name;
    api::Response first, second;
    bool settled;
  };
  const Row rows[] = {
      {"made, then there", Answer(201), Answer(409, "AlreadyExists"), true},
      {"lost, then there", Answer(0), Answer(409, "AlreadyExists"), true},
      {"timed out, then there", Answer(504, "Timeout"), Answer(409, "AlreadyExists"), true},
      {"lost, then gone", Answer(0), Answer(404, "NotFound"), true},
      {"refused, then there", Answer(403, "Forbidden"), Answer(409, "AlreadyExists"), false},
      {"there before", Answer(409, "AlreadyExists"), Answer(409, "AlreadyExists"), false},
      {"gone before", Answer(404, "NotFound"), Answer(404, "NotFound"), false},
      {"lost, then a conflict", Answer(0), Answer(409, "Conflict"), false},
      {"lost twice", Answer(0), Answer(0), false},
      {"lost, then made", Answer(0), Answer(201), true},
  };
  for (const Row& row : rows) {
    EarlierTries tries;
    tries.IsSettled("pods/default/a", row.first);
    tries.BeginNextTry();
    EXPECT_EQ(tries.IsSettled("pods/default/a", row.second), row.settled) << row.name;
    EXPECT_FALSE(tries.IsSettled("pods/default/b", Answer(404, "NotFound"))) << row.name;
  }
}

TEST(EarlierTries, DoNotCountTheOneThatGoesOn) {
  EarlierTries tries;
  EXPECT_TRUE(tries.IsSettled("pods/default/a", Answer(201)));
  EXPECT_FALSE(tries.IsSettled("pods/default/a", Answer(409, "AlreadyExists")))
      << "the same object twice in one command";
  tries.Note("machine node-1");
  EXPECT_FALSE(tries.Had("machine node-1"));
  tries.BeginNextTry();
  EXPECT_TRUE(tries.Had("machine node-1"));
}

}  // namespace
}  // namespace ksim::kubectl
