// Validation of pods and of the pod templates in workloads.
//
// Source: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodSpec,
// ValidatePodTemplateSpec, ValidatePodUpdate, ValidatePodStatusUpdate).
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// A pod's spec, or a template's, which has no metadata of a pod (null).
void ValidatePodSpec(const value::Value& spec, const value::Value& pod_metadata,
                     const FieldPath& path, FieldErrorList* errors);

// spec.template of a workload: metadata.labels, annotations, spec.
void ValidatePodTemplate(const value::Value& pod_template, const FieldPath& path,
                         FieldErrorList* errors);

// What a new Pod needs beyond its metadata.
void ValidatePodCreate(const value::Value& pod, FieldErrorList* errors);

// What may change in a stored Pod, and its spec again. API-115.
void ValidatePodUpdate(const value::Value& pod, const value::Value& old, FieldErrorList* errors);

// /status: terminated containers stay so where the restart policy says so.
void ValidatePodStatusUpdate(const value::Value& pod, const value::Value& old,
                             FieldErrorList* errors);

// A Pod's spec, also where it is the new one of an update (`old` is null where there is none), and
// the annotations that mean something; other metadata is checked elsewhere.
void ValidatePodMetadataAndSpec(const value::Value& pod, const value::Value& old,
                                FieldErrorList* errors);

// container_resources.cc
void ValidateQuantity(std::string_view resource, const value::Value& quantity,
                      const FieldPath& path, FieldErrorList* errors);
void ValidateTolerations(const value::Value& tolerations, const FieldPath& path,
                         FieldErrorList* errors);
// taints and tolerations share the effect.
void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
