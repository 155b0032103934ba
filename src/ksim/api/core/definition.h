// CustomDefinition: what a CustomResourceDefinition says of one version of its kind. The schema in
// it is compiled at its first use (structural/schema_node.h).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ksim/value/value.h"

namespace ksim::api {

struct SchemaNode;

struct CustomDefinition {
  CustomDefinition(value::Value v, value::Value s, value::Value all)
      : version(std::move(v)), stored(std::move(s)), versions(std::move(all)) {}
  const value::Value version;   // the entry of spec.versions
  const value::Value stored;    // that of the version at which objects are stored
  const value::Value versions;  // spec.versions
  bool terminating = false;     // the definition is being deleted: nothing new is created
  std::string list_kind;
  value::Value conversion;  // spec.conversion
  std::string deprecation;  // the warning that each request at this version gets; "": none

  // Caches of structural/custom_resource.cc: they change no answer.
  mutable std::shared_ptr<const SchemaNode> schema, stored_schema;
  mutable std::map<std::string, std::shared_ptr<const SchemaNode>, std::less<>> older_schemas;
};

}  // namespace ksim::api
