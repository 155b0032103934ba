// StoredForm: the bytes of an object in etcd. A kube-apiserver writes its built-in kinds as
// protobuf in the envelope `k8s\0`, the kinds of its two other servers (CustomResourceDefinition,
// APIService) and custom resources as JSON with a newline behind it.
//
// Sources: apiserver pkg/server/options/etcd.go (--storage-media-type) and
// pkg/server/storage/storage_factory.go; kubernetes pkg/controlplane/apiserver/apiextensions.go and
// aggregator.go (LegacyCodec); apiextensions-apiserver pkg/apiserver/customresource_handler.go
// (UnstructuredJSONScheme).
#pragma once
#include <string>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// `tree`: an object as the store holds it, without resourceVersion; what is no object (a text, or a
// tree without a kind) comes as it is. The version is the tree's own.
std::string StoredForm(const Kinds& kinds, const value::Value& tree, Compat compat);

}  // namespace ksim::api
