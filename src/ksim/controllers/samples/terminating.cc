// wrong-terminating keeps pods as right-keeper does, also of a ReplicaSet that is being deleted.
// With foreground deletion the ReplicaSet is there until its pods are gone: the garbage collector
// deletes one, it makes another, and neither ever ends.
//
// Seen in infinispan-operator#1428, seldon-core#2781, ClickHouse/clickhouse-operator#309.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongTerminating : public Keeper {
 public:
  using Keeper::Keeper;
  // WRONG: whatever deletionTimestamp says.
  bool Serves(const api::Object&) override { return true; }
};

}  // namespace

ControllerRows TerminatingSamples() {
  return {{.name = "wrong-terminating",
           .text = "Makes pods for a ReplicaSet that is being deleted.",
           .make = &MakeController<WrongTerminating>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
