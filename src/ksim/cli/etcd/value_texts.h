// The values of a store's keys as bytes: what the store holds as trees, somebody reads as JSON, as
// what a kube-apiserver wrote, or as a helper decodes that.
#pragma once
#include <functional>
#include <string>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::cli {

using ValueText = std::function<std::string(const value::Value& value)>;

// On one line; a text as it is.
std::string JsonText(const value::Value& value);

// As a kube-apiserver of that version wrote it. `kinds` outlives the result.
ValueText StoredText(const api::Kinds& kinds, api::Compat compat);

// As etcdhelper prints what it decoded: the kind, then JSON of several lines. Custom resources too,
// which etcdhelper does not know. `kinds` outlives the result.
//
// Source: openshift/origin tools/etcdhelper/etcdhelper.go getKey.
ValueText DecodedText(const api::Kinds& kinds, api::Compat compat);

}  // namespace ksim::cli
