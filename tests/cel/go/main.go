// Evaluates the expressions of cel_evaluate (../evaluate.cc) with cel-go and Kubernetes' own
// environment, and prints what it prints.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

func document() map[string]any {
	return map[string]any{
		"i": int64(7), "d": 2.5, "s": "h\u00e9llo w", "b": true, "n": nil,
		"l":  []any{int64(1), int64(2), int64(3), int64(2)},
		"ls": []any{"a", "b", "a.b"},
		"m":  map[string]any{"a": int64(1), "b": map[string]any{"c": []any{true, false}}, "k-1": "v"},
		"e":  []any{},
		"lm": []any{map[string]any{"x": int64(1)}, map[string]any{"x": int64(2), "y": "z"}},
	}
}

func format(v ref.Val) string {
	switch t := v.(type) {
	case *types.Optional:
		if !t.HasValue() {
			return "optional.none()"
		}
		return "optional.of(" + format(t.GetValue()) + ")"
	case *types.Type:
		return t.TypeName()
	case traits.Lister, traits.Mapper:
		return types.Format(v)
	}
	switch v.Type() {
	case types.BoolType, types.IntType, types.UintType, types.DoubleType, types.StringType,
		types.BytesType, types.NullType, types.TimestampType, types.DurationType:
		return types.Format(v)
	}
	return v.Type().TypeName()
}

func line(kind, text string, cost uint64) {
	b, _ := json.Marshal(text)
	var raw string
	_ = json.Unmarshal(b, &raw)
	fmt.Printf("%s %s %d\n", kind, strconv.QuoteToASCII(raw), cost)
}

func main() {
	ver := version.MustParseGeneric("1." + os.Args[1])
	set, err := environment.MustBaseEnvSet(ver).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("o", cel.DynType), cel.Variable("i", cel.IntType),
			cel.Variable("s", cel.StringType), cel.Variable("l", cel.ListType(cel.IntType)),
			cel.Variable("ls", cel.ListType(cel.StringType)),
			cel.Variable("m", cel.MapType(cel.StringType, cel.DynType)),
		}})
	if err != nil {
		panic(err)
	}
	env := set.NewExpressionsEnv()
	doc := document()
	vars := map[string]any{"o": doc, "i": doc["i"], "s": doc["s"], "l": doc["l"], "ls": doc["ls"],
		"m": doc["m"]}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var expression string
		if err := json.Unmarshal(in.Bytes(), &expression); err != nil {
			panic(err)
		}
		ast, issues := env.Compile(expression)
		if issues != nil && issues.Err() != nil {
			line("compile", issues.String(), 0)
			continue
		}
		program, err := env.Program(ast, cel.CostTracking(&library.CostEstimator{}))
		if err != nil {
			line("compile", err.Error(), 0)
			continue
		}
		value, details, err := program.Eval(vars)
		cost := uint64(0)
		if details != nil && details.ActualCost() != nil {
			cost = *details.ActualCost()
		}
		if err != nil {
			line("error", err.Error(), cost)
			continue
		}
		line("value", format(value), cost)
	}
}
