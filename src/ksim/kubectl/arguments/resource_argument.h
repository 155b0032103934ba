// The resource argument of kubectl: TYPE, TYPE.GROUP or TYPE.VERSION.GROUP. A version that it names
// is the version at which kubectl asks; else the server's preferred one is.
//
// Source: cli-runtime pkg/resource/builder.go mappingFor; apimachinery
// pkg/runtime/schema/group_version.go ParseResourceArg; client-go restmapper/shortcut.go
// expandResourceShortcut.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"

namespace ksim::kubectl {

// The resource, at the version at which kubectl asks for it. Null if the server has no such type:
// no resource has the name, or none at the version that the argument names.
const api::ResourceInfo* ResourceOfArgument(const api::Kinds& kinds, std::string_view argument,
                                            api::Compat compat);

// Whether the argument, which is one of the resource, names its version. widgets.v1.example.com may
// also be a resource of the group v1.example.com.
bool NamesVersion(std::string_view argument, const api::ResourceInfo& info);

// widgets.v1beta1.example.com; pods.v1. in the core group.
std::string VersionedName(const api::ResourceInfo& info);

// "error: the server doesn't have a resource type "widgets"".
std::string NoSuchTypeText(std::string_view argument);

}  // namespace ksim::kubectl
