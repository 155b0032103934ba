// Defaults of pods and of the pod templates in workloads.
//
// Source: pkg/apis/core/v1/defaults.go (SetDefaults_Pod, SetDefaults_PodSpec,
// SetDefaults_Container, SetDefaults_Probe, SetDefaults_Volume and the volume sources'),
// zz_generated.defaults.go (port protocols).
#pragma once
#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The spec of a Pod: a template's defaults, enableServiceLinks, requests from limits.
value::Value DefaultPodSpec(const value::Value& spec, Compat compat);

// spec.template of a workload: {metadata, spec}.
value::Value DefaultPodTemplate(const value::Value& pod_template, Compat compat);

}  // namespace ksim::api
