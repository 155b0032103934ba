// Printing and patching that the two kinds of webhook configurations share.
//
// Source: pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/base/time.h"

namespace ksim::api {

inline constexpr value::PatchField kWebhooksPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                             MergeList("webhooks", "name")};
inline constexpr value::PatchSchema kWebhooksPatch{kWebhooksPatchFields};

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now);

// WarningsForStaticSuffix: names that are reserved for configurations from files.
std::vector<std::string> StaticNameWarnings(const value::Value& tree, Compat compat);

}  // namespace ksim::api
