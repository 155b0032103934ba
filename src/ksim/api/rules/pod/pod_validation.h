// Rules of pods and of the pod templates of workloads, in upstream's order; the other files of this
// folder hold the rules of their parts.
//
// Source: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodSpec,
// ValidatePodTemplateSpec).
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// A pod's spec, or a template's, which has no metadata of a pod (null).
void ValidatePodSpec(const value::Value& spec, const value::Value& pod_metadata,
                     const FieldPath& path, FieldErrorList* errors);

// spec.template of a workload: metadata.labels, annotations, spec.
void ValidatePodTemplate(const value::Value& pod_template, const FieldPath& path,
                         FieldErrorList* errors);

// A new Pod's rules beyond those of its metadata.
void ValidatePodCreate(const value::Value& pod, FieldErrorList* errors);

// A Pod's spec and the annotations that mean something. `old` is the stored Pod where this is an
// update, else null.
void ValidatePodMetadataAndSpec(const value::Value& pod, const value::Value& old,
                                FieldErrorList* errors);

}  // namespace ksim::api
