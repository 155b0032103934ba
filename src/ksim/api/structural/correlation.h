// Correlation: which part of the old object a part of the new one has come from. Fields are known
// by their names, items of a list of type map by their keys; items of other lists are not.
//
// Source: apiserver pkg/cel/common/equality.go (CorrelatedObject), maplist.go.
#pragma once
#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// CorrelatedObject.Key: null if there is none, or the schema does not know the field.
const value::Value* CorrelatedField(const SchemaNode& schema, value::Atom name,
                                    const value::Value& old);

// CorrelatedObject.Index
class ItemCorrelation {
 public:
  // `old` may be null: then no item has an old one.
  ItemCorrelation(const SchemaNode& list, const value::Value& now, const value::Value* old);
  const value::Value* OldOf(const value::Value& item) const;

 private:
  const SchemaNode& list_;
  const value::Value* old_;  // null: nothing is correlated
};

}  // namespace ksim::api
