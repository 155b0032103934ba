// From YAML nodes to a Scenario: shapes, names and references, with every problem at its place.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/kinds.h"
#include "ksim/scenario/mapping_reader.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Reads a file named in a scenario; the path is relative to the caller's directory.
using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// A manifest after `---`.
struct Document {
  Document() = default;
  std::vector<Manifest> manifests;  // several if it is a List
  std::string label;                // ReplicaSet/my-replicaset
  Span span;
  bool used = false;
};

// The state of parsing one file: its sources, and what parsing has collected.
struct ParseContext {
  ParseContext(std::shared_ptr<const value::YamlFile> f, Problems& p, api::Kinds& k)
      : file(std::move(f)), problems(p), kinds(k) {}
  std::shared_ptr<const value::YamlFile> file;
  Problems& problems;
  api::Kinds& kinds;  // learns the custom kinds that manifests use
  api::Compat compat = api::kDefaultCompat;
  std::string directory;  // of the scenario file, "" or ending in '/'
  FileReader read_named;  // of a file that the scenario names
  std::size_t index = 0;  // of the Scenario among the file's documents
  std::vector<Document> documents;
  std::vector<Manifest> stages;             // KWOK's Stages among the documents
  std::shared_ptr<const Registry> program;  // ClusterSpec::program
};

// Document `index` of the file as a Scenario. Problems are in the context; what could be read is
// returned all the same.
Scenario ParseScenario(ParseContext& context, std::size_t index);

// The objects in a node: one, or the items of a List. `place` leads to the node.
std::vector<Manifest> ReadManifests(Problems& problems, api::Kinds& kinds,
                                    const std::shared_ptr<const value::YamlFile>& file,
                                    const value::YamlNode& node, std::vector<std::string> place);

// The keys of manifests that are given twice: kubectl takes the last of them without a word.
std::vector<Diagnostic> DuplicateKeyWarnings(const value::YamlFile& file);

// Every document of a YAML file as manifests. Syntax errors go to the result as well.
std::vector<Manifest> ReadManifestFile(api::Kinds& kinds,
                                       const std::shared_ptr<const value::YamlFile>& file,
                                       std::vector<Diagnostic>* errors,
                                       std::vector<Diagnostic>* warnings);

// Teaches `kinds` a custom kind (of a group that is no Kubernetes one) that it does not know.
// False: the kind is unknown and none of ours to invent, or a definition has it at other versions
// only.
bool LearnKind(api::Kinds& kinds, std::string_view api_version, std::string_view kind);
// Teaches `kinds` the kind that a CustomResourceDefinition defines; ignores any other manifest.
void LearnDefinition(api::Kinds& kinds, const Manifest& manifest);

// Teaches `kinds` what a program registers; null: nothing.
void LearnOwnKinds(api::Kinds& kinds, const Registry* program);
// Teaches `kinds` all that a run of the scenario serves, also what its program registers: what its
// definitions define, whichever step creates them, then the custom kinds that nothing defines.
void LearnKinds(api::Kinds& kinds, const Scenario& scenario);
// The manifests of kinds that the scenario has no definition of, the first of each kind.
std::vector<const Manifest*> UndefinedKinds(const Scenario& scenario);

// The name of a scenario without a name: that of a/web.yaml is "web", of standard input "stdin".
std::string NameOfFile(std::string_view path);

// The node that a place leads to; null if nowhere.
const value::YamlNode* NodeAt(const value::YamlFile& file, const std::vector<std::string>& place);

// Where a field of a manifest (spec.template.metadata.labels, spec.containers[0].image) stands in
// its file: the deepest part of the path that is there; without a file an empty span. The part: of
// a scalar its value, of all else its key; or always its key.
enum class Part { kValue, kKey };
Span SpanOfField(const Manifest& manifest, std::string_view field, Part part = Part::kValue);

// spec.cluster.images.
std::vector<ImageSpec> ParseImages(ParseContext& context, MappingReader& cluster);

// The parts that ParseScenario is made of.
ClusterSpec ParseCluster(ParseContext& context, const value::YamlNode& node, api::Compat compat);
// parse_node.cc. `fewest`: a cluster may begin without nodes, a step adds at least one.
// The name, the capacity, labels and taints must be such as the API server takes of a kubelet.
NodeSpec ParseNode(ParseContext& context, const value::YamlNode& node, const std::string& where,
                   std::int64_t fewest = 1);
std::vector<Step> ParseSteps(ParseContext& context, MappingReader& spec);
std::vector<FaultSpec> ParseFaults(ParseContext& context, MappingReader& spec,
                                   const ClusterSpec& cluster, const std::vector<Step>& steps);
// parse_trigger.cc. What an event of the trace never has in a field is refused.
std::optional<Trigger> ParseTrigger(ParseContext& context, const value::YamlNode& node,
                                    const std::string& where);
std::vector<sim::Override> ParseOverrides(ParseContext& context, MappingReader& spec);
std::vector<Expectation> ParseExpect(ParseContext& context, MappingReader& spec);
// parse_invariants.cc. Wrong expressions are reported where they are wrong.
std::vector<check::Invariant> ParseInvariants(ParseContext& context, MappingReader& reader);
FuzzSpec ParseFuzz(ParseContext& context, const value::YamlNode& node);
// Reads a `where` field; reports bad ones.
value::Where ReadWhere(MappingReader& reader, std::string_view field);
// Reports a name that is unknown, or not in this version.
void CheckKnown(Problems& problems, const Span& span, std::string_view name,
                const std::vector<Named>& known, std::string_view what);
// The same of a list of "*", NAME and -NAME; what is not there may be taken away.
void CheckNames(MappingReader& reader, std::string_view field, const std::vector<Named>& known,
                std::string_view what);
// By whatever name kubectl takes; reports an unknown one at `span`, and returns null.
const api::ResourceInfo* FindResource(ParseContext& context, const std::string& type,
                                      const Span& span);
// Reports an argument that names a version at which objects are converted, where versions make no
// difference. `why`: "faults strike all of them".
void CheckIsStored(ParseContext& context, const std::string& type, const Span& span,
                   std::string_view why);
// TYPE or TYPE/NAME into its parts; reports unknown types. The type keeps a version that it names.
void ReadResource(ParseContext& context, MappingReader& reader, std::string* resource,
                  std::string* name, bool name_required);

}  // namespace ksim::scenario
