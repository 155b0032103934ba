// The libraries of functions that an environment is put together from.
//
// Upstream: cel-go common/stdlib, cel/library.go, ext/; k8s.io/apiserver pkg/cel/library.
#pragma once
#include "ksim/cel/functions/table.h"

namespace ksim::cel {

// `mixed`: < and the like order numbers of different types, too.
void AddStandardFunctions(FunctionTable* table, bool mixed);
void AddTimeFunctions(FunctionTable* table);  // getFullYear() and the like
void AddConversions(FunctionTable* table);    // int(), string(), ...
void AddOptionalFunctions(FunctionTable* table, int version);
void AddStringFunctions(FunctionTable* table, int version);   // ext.Strings
void AddFormatFunction(FunctionTable* table);                 // "%s".format([...]), strings.quote
void AddSetFunctions(FunctionTable* table);                   // ext.Sets
void AddExtListFunctions(FunctionTable* table, int version);  // ext.Lists: slice, sort, ...
void AddTwoVariableFunctions(FunctionTable* table);           // what transformMap inserts with

// Kubernetes' own.
void AddListFunctions(FunctionTable* table);   // isSorted, sum, min, max, indexOf
void AddRegexFunctions(FunctionTable* table);  // find, findAll
void AddUrlFunctions(FunctionTable* table);
void AddQuantityFunctions(FunctionTable* table);
void AddIpFunctions(FunctionTable* table);
void AddCidrFunctions(FunctionTable* table);
void AddNamedFormatFunctions(FunctionTable* table);  // format.dns1123Label().validate(...)
void AddSemverFunctions(FunctionTable* table);
// Questions to an authorizer; with `selectors`, also about some objects of a kind (1.31).
void AddAuthorizationFunctions(FunctionTable* table, bool selectors);

}  // namespace ksim::cel
