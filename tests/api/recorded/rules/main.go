// Judges definitions and objects as kube-apiserver does: reads cases in JSON, one a line, and writes
// what validation says of each. record.py runs it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"
)

type oneCase struct {
	Schema    json.RawMessage        `json:"schema"`
	OldSchema json.RawMessage        `json:"oldSchema"`
	Now       map[string]interface{} `json:"now"`
	Old       map[string]interface{} `json:"old"`
}

func definition(schema json.RawMessage) *apiextensions.CustomResourceDefinition {
	props := v1.JSONSchemaProps{}
	must(json.Unmarshal(schema, &props))
	in := &v1.CustomResourceDefinition{}
	in.Name = "foos.x.io"
	in.ResourceVersion = "1"
	in.Spec.Group = "x.io"
	in.Spec.Scope = v1.ClusterScoped
	in.Spec.Names = v1.CustomResourceDefinitionNames{
		Plural: "foos", Singular: "foo", Kind: "Foo", ListKind: "FooList"}
	in.Spec.Versions = []v1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true,
		Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &props}}}
	in.Spec.Conversion = &v1.CustomResourceConversion{Strategy: v1.NoneConverter}
	in.Status.StoredVersions = []string{"v1"}
	out := &apiextensions.CustomResourceDefinition{}
	must(v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(
		in, out, nil))
	return out
}

func told(errors field.ErrorList) []string {
	lines := []string{}
	for _, e := range errors {
		lines = append(lines, string(e.Type)+"|"+e.Field+"|"+e.ErrorBody())
	}
	return lines
}

type recorder struct{ said []string }

func (r *recorder) AddWarning(agent, text string) { r.said = append(r.said, text) }

// Numbers without a fraction are int64, as a server decodes them.
func whole(object map[string]interface{}) map[string]interface{} {
	text, err := json.Marshal(object)
	must(err)
	out := map[string]interface{}{}
	must(utiljson.Unmarshal(text, &out))
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func judge(c oneCase) map[string]interface{} {
	now := definition(c.Schema)
	said := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), said)
	var errors field.ErrorList
	if c.OldSchema != nil {
		errors = validation.ValidateCustomResourceDefinitionUpdate(ctx, now, definition(c.OldSchema))
	} else {
		errors = validation.ValidateCustomResourceDefinition(ctx, now)
	}
	out := map[string]interface{}{"crd": told(errors)}
	if c.Now == nil {
		return out
	}
	strategy := strategyOf(now.Spec.Validation)
	object := &unstructured.Unstructured{Object: whole(c.Now)}
	if c.Old != nil {
		old := &unstructured.Unstructured{Object: whole(c.Old)}
		out["object"] = told(strategy.ValidateUpdate(ctx, object, old))
	} else {
		out["object"] = told(strategy.Validate(ctx, object))
	}
	if len(said.said) > 0 {
		out["warnings"] = said.said
	}
	return out
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	for lines.Scan() {
		c := oneCase{}
		must(json.Unmarshal(lines.Bytes(), &c))
		text, err := json.Marshal(judge(c))
		must(err)
		fmt.Println(string(text))
	}
}
