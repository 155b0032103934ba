// handlers.fold: the deletions that a handler may get.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

// The verdicts after `change` altered the last deletion of a pod in the controller's handler.
std::set<std::string> WithDeletion(const char* compat, bool again, std::string_view field,
                                   const Value& v) {
  const std::string pods = "kube-controller-manager pods";
  Trace trace = Recorded("delete-pod", compat);
  Record* deleted = Last(&trace, Handler(pods, "delete"));
  if (again) {
    const Record copy = *deleted;
    trace.events.insert(trace.events.begin() + (deleted - trace.events.data()) + 1, copy);
    deleted = Last(&trace, Handler(pods, "delete"));
  }
  if (!field.empty()) SetField(deleted, field, v);
  std::set<std::string> out = Violated(trace);
  out.erase("view.monotone");  // another object's revision
  return out;
}

// Only a RealFIFO passes on a deletion of an unknown object. A deletion with another uid than the
// handler's can be a tombstone's last known state, never the server's event.
TEST(DeletionsTold, AHandlerGetsDeletionsOfKnownObjectsOnly) {
  const std::set<std::string> none, caught = {"handlers.fold"};
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const bool head = std::string_view(compat) == "1.36";
    EXPECT_EQ(WithDeletion(compat, false, "", Value()), none) << compat;
    EXPECT_EQ(WithDeletion(compat, true, "", Value()), head ? none : caught) << compat;
    EXPECT_EQ(WithDeletion(compat, false, "uid", Value::Of("another")), caught) << compat;
    EXPECT_EQ(WithDeletion(compat, false, "name", Value::Of("never-was")), caught) << compat;
  }
}

// A tombstone has the last known state, which may be that of an earlier incarnation.
TEST(DeletionsTold, ATombstoneMayBeOfAnotherIncarnation) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace trace = Recorded("delete-pod", compat);
    Record* deleted = Last(&trace, Handler("kube-controller-manager pods", "delete"));
    SetField(deleted, "uid", Value::Of("another"));
    SetField(deleted, "tombstone", Value::Of(true));
    EXPECT_EQ(Violated(trace).count("handlers.fold"), 0u) << compat << Messages(trace);
  }
}

}  // namespace
}  // namespace ksim::check
