// TemplateText: a pod template as Go prints the struct PodTemplateSpec for a hash: all fields in
// the order of their declaration, each with its type, those that are not set included. So the hash
// of a template changes with the version of Kubernetes.
//
// The structs stand in template_types.txt, as reflection finds them in k8s.io/api v0.25.16,
// v0.30.14 and v0.36.3: a struct, then its fields, NAME:TYPE or NAME=JSONNAME:TYPE; & marks an
// embedded struct, 36+ a field that is there from 1.36 on, 36- one that is there before.
//
// Sources: k8s.io/utils/dump ForHash; davecgh/go-spew spew/format.go.
#pragma once
#include <string>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

std::string TemplateText(const value::Value& pod_template, Compat compat);

// apiequality.Semantic.DeepEqual: an empty list is as good as none, and amounts are compared as
// numbers.
bool SameTemplates(const value::Value& a, const value::Value& b, Compat compat);

}  // namespace ksim::api
