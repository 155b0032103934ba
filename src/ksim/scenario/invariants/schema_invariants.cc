// Invariants: part of schema.h.
#include "ksim/scenario/schema.h"

namespace ksim::scenario {

const Type& SelectionType() {
  static const Type type{"Selection",
                         "The objects that an invariant is about.",
                         {{"resource", "string",
                           "By whatever name kubectl takes: configmaps, deploy, "
                           "websites.example.dev, or one object as "
                           "deploy/NAME."},
                          {"namespace", "string", "Of the objects.", "any"},
                          {"name", "string", "One object by name."},
                          {"selector", "string", "Label selector: app=my-app."}}};
  return type;
}

const Type& LeadsToType() {
  static const Type type{
      "LeadsTo",
      "Whenever the one is true, the other is true within the time, of the same object; if no "
      "expression names an object, of the set.",
      {{"when", "CEL", "What begins the wait."},
       {"then", "CEL", "What must come, at once or later."},
       {"within", "duration",
        "How long it may take. In a campaign, and without it: until nothing is left to do in the "
        "run."}}};
  return type;
}

const Type& StableType() {
  static const Type type{
      "Stable",
      "When the user is done and faults are over, writing of the objects stops.",
      {{"writes", "integer", "So many writes there may be all the same.", "0"},
       {"after", "duration", "Counted from so long after the last step and the last fault.", "0s"},
       {"by", "string", "Only writes of this process, or part of one: web, web/reconciler.",
        "anybody"}}};
  return type;
}

const Type& InvariantType() {
  static const Type type{
      "Invariant",
      "What must hold of the objects that `for` selects: one of always, never, eventually, "
      "finally, "
      "leadsTo and stable, in CEL as Kubernetes 1.36 has it. Variables: object, oldObject, owner, "
      "age, unchanged (of one object: the invariant is judged of each); objects, count (of all "
      "that "
      "are selected); now, actor, operation. Broken: exit 1, oracle invariant.NAME. An expression "
      "without an answer (no such key) is broken too: ask has() first.",
      {{"name", "string", "A DNS label, each once."},
       {"for", "Selection", "The objects.", "", &SelectionType()},
       {"always", "CEL", "True after each write of one of the objects."},
       {"never", "CEL", "False after each write of one of the objects."},
       {"eventually", "CEL", "True once, of each object that is not deleted before."},
       {"finally", "CEL", "True when the run is over."},
       {"leadsTo", "LeadsTo", "One thing leads to another.", "", &LeadsToType()},
       {"stable", "Stable", "Writing stops.", "", &StableType()}}};
  return type;
}

const Type& InvariantFileType() {
  static const Type type{"Invariants",
                         "A file of invariants for `ksim check --invariants`.",
                         {{"invariants", "list of Invariant", "As a scenario's spec has them.", "",
                           &InvariantType()}}};
  return type;
}

}  // namespace ksim::scenario
