//go:build !k8s125

package main

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type strategy interface {
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList
}

func strategyOf(v *apiextensions.CustomResourceValidation) strategy {
	structural, err := schema.NewStructural(v.OpenAPIV3Schema)
	must(err)
	validator, _, err := validation.NewSchemaValidator(v.OpenAPIV3Schema)
	must(err)
	kind := gvk.GroupVersionKind{Group: "x.io", Version: "v1", Kind: "Foo"}
	return customresource.NewStrategy(nil, false, kind, validator, nil, structural, nil, nil, nil)
}
