// Kinds with a pod template share the defaults of a workload's spec and the warnings about its name
// and its template.
//
// Sources: pkg/apis/{core,apps,batch}/v1/defaults.go, zz_generated.defaults.go;
// pkg/registry/<group>/<resource>/strategy.go WarningsOnCreate, WarningsOnUpdate.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The spec of `tree` run through `edit(const Value&) -> Value`; a missing spec is made.
template <class Edit>
value::Value EditSpec(const value::Value& tree, const Edit& edit) {
  return EditField(WithDefault(tree, Fields().spec, value::Value::EmptyObject()), Fields().spec,
                   edit);
}

// A pod template with its defaults; a missing spec is made.
value::Value DefaultTemplate(const value::Value& pod_template, Compat compat);

// A workload's spec with its template's defaults. The server writes a template also where the
// client gave none, since it is a struct in Go.
value::Value WithDefaultTemplate(value::Value spec, Compat compat);

// Gives a Job or a ReplicationController without labels those of its template; no kind of apps/v1
// gets them.
value::Value LabelsFromTemplate(const value::Value& tree);

// Warns if the name of the object, with which its pods' names begin, is no DNS label.
std::vector<std::string> PodNameWarnings(const value::Value& tree, Compat compat);

// Warnings about the name and the spec.template of a new workload.
std::vector<std::string> NamedTemplateWarnings(const value::Value& tree, Compat compat);
// Warnings about spec.template alone.
std::vector<std::string> TemplateWarnings(const value::Value& tree, Compat compat);
// Warnings about spec.template of an updated workload, if the update moved its generation.
std::vector<std::string> TemplateUpdateWarnings(const value::Value& updated,
                                                const value::Value& old, Compat compat);

// Whether an update has moved metadata.generation.
bool HasNewGeneration(const value::Value& updated, const value::Value& old);

}  // namespace ksim::api
