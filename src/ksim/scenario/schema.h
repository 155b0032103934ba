// The vocabulary of scenario files: every field, step, fault, oracle and trigger with the words
// that explain it. One table for the strict reader (unknown fields, suggestions) and for `ksim
// explain`, so that neither can know a field that the other does not.
#pragma once
#include <string_view>
#include <vector>

namespace ksim {
class Registry;  // ksim/registry.h
}

namespace ksim::scenario {

struct Type;

struct Field {
  std::string_view name;
  std::string_view type;  // "duration", "integer", "list of Step"
  std::string_view text;
  std::string_view value = {};  // default as written; "" = none
  const Type* of = nullptr;     // the fields below, if it is a mapping or a list of them
};

struct Type {
  std::string_view name;
  std::string_view text;
  std::vector<Field> fields;
  const Field* Find(std::string_view field) const;  // null if there is none
  std::vector<std::string_view> names() const;
};

const Type& ScenarioType();  // the whole document
const Type& SpecType();
const Type& MetadataType();
const Type& LimitType();
const Type& InitialType();
const Type& ImageType();
const Type& DenyType();
const Type& ClusterType();
const Type& ReplicatedType();
const Type& NodeType();
const Type& SchedulerType();
const Type& ControllersGuestType();
const Type& GuestType();
const Type& LevelType();
const Type& MetricType();
const Type& TaintType();
const Type& NetworkType();
const Type& LatencyType();
const Type& StepType();  // at, when and one field per kind of step
const Type& TriggerType();
const Type& FaultType();  // at, when and one field per verb
const Type& OverrideType();
const Type& FuzzType();
const Type& ExpectType();
const Type& ConditionType();
const Type& CountType();
const Type& InvariantType();
const Type& SelectionType();
const Type& LeadsToType();
const Type& StableType();
const Type& InvariantFileType();  // of `ksim check --invariants`
const Type& ManifestRefType();    // what create and replace take
const Type& ApplyType();          // the same and how apply does it

// A name of a fixed set with its explanation: oracles, controllers, draw and decision sites.
struct Named {
  std::string_view name;
  std::string_view text;
  bool available = true;  // false: known, not in this version
};
const std::vector<Named>& Oracles();
const std::vector<Named>& Components();  // of the control plane, that a cluster may do without
const std::vector<Named>& AdmissionPlugins();
const std::vector<Named>& Controllers();
// The program's own, then ksim's; the names are the registry's. Null: there is no program.
std::vector<Named> ControllersOf(const Registry* program);
const std::vector<Named>& Sites();
const Named* FindNamed(const std::vector<Named>& set, std::string_view name);
std::vector<std::string_view> NamesOf(const std::vector<Named>& set);

}  // namespace ksim::scenario
