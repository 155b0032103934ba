#include "ksim/kubelet/stages/template.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

const char kObject[] = R"({
  "metadata": {"name": "p", "annotations": {"x/y": "z"}, "n": 0},
  "spec": {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]},
  "status": {"restartCount": 2, "map": {"b": 1, "a": "x"}}})";

// The rendered text; or "OFFSET: PROBLEM" of the text; or "fails: ..." while it runs.
std::string Rendered(std::string_view text) {
  Template made;
  TextProblem problem;
  if (!Template::Parse(text, &made, &problem))
    return std::to_string(problem.offset) + ": " + problem.message;
  TemplateWorld world;
  world.now = "2025-01-01T00:00:07Z";
  world.node_ip = "192.168.0.10";
  world.pod_ip = [] { return "10.244.0.2"; };
  const absl::StatusOr<std::string> out = made.Render(*value::ParseJson(kObject), world);
  return out.ok() ? *out : "fails: " + std::string(Message(out.status()));
}

// KUBELET-STAGE-01: as text/template with KWOK's and sprig's functions.
TEST(Template, KUBELET_STAGE_01_RendersAsGo) {
  const std::pair<const char*, const char*> table[] = {
      {"plain", "plain"},
      {"{{ .metadata.name }}", "p"},
      {"{{ .metadata.missing }}", "<no value>"},
      {"{{ .missing.a.b }}", "<no value>"},
      {"a {{- \"b\" -}} c", "abc"},
      {"a{{/* no */}}b", "ab"},
      {"{{ $x := 1 }}{{ $x = 2 }}{{ $x }}", "2"},
      {"{{ $x := false }}{{ range .spec.containers }}{{ $x = true }}{{ end }}{{ $x }}", "true"},
      {"{{ if .missing }}a{{ else if eq .metadata.name \"p\" }}b{{ else }}c{{ end }}", "b"},
      {"{{ with .missing }}a{{ else }}b{{ end }}", "b"},
      {"{{ with .metadata }}{{ .name }}{{ end }}", "p"},
      {"{{ range .spec.containers }}{{ .name }},{{ end }}", "a,b,"},
      {"{{ range $i, $c := .spec.containers }}{{ $i }}{{ $c.image }}{{ end }}", "0i1j"},
      {"{{ range .missing }}a{{ else }}none{{ end }}", "none"},
      {"{{ range $k, $v := .status.map }}{{ $k }}={{ $v }};{{ end }}", "a=x;b=1;"},
      {"{{ range .spec.containers }}{{ if eq .name \"a\" }}{{ continue }}{{ end }}{{ .name }}{{ "
       "end }}",
       "b"},
      {"{{ range .spec.containers }}{{ .name }}{{ break }}{{ end }}", "a"},
      {"{{ range .spec.containers }}{{ $.metadata.name }}{{ end }}", "pp"},
      {"{{ range until 3 }}{{ . }}{{ end }}", "012"},
      {"{{ (index .spec.containers 1).name }}", "b"},
      {"{{ index .metadata.annotations \"x/y\" }}", "z"},
      {"{{ $a := or .metadata.annotations dict }}{{ or (index $a \"q\") \"d\" }}", "d"},
      {"{{ or .missing .metadata.name | Quote }}", "\"p\""},
      {"{{ and true 0 }}", "0"},
      {"{{ and true \"x\" }}", "x"},
      {"{{ not .missing }}", "true"},
      {"{{ if eq .missing \"Always\" }}a{{ else }}b{{ end }}", "b"},
      {"{{ eq \"a\" \"b\" \"a\" }}", "true"},
      {"{{ ne 1 2 }} {{ lt 1 2 }} {{ ge 1 2 }}", "true true false"},
      {"{{ len .spec.containers }}", "2"},
      {"{{ printf \"%s-%d %v %q\" \"a\" 3 true \"b\" }}", "a-3 true \"b\""},
      {"{{ print 1 2 \"a\" 3 }}", "1 2a3"},
      {"{{ 5 | Quote }}", "\"5\""},
      {"{{ .missing | Quote }}", "\"null\""},
      {"{{ Now | Quote }}", "\"2025-01-01T00:00:07Z\""},
      {"{{ NodeIPWith \"n\" }}", "192.168.0.10"},
      {"{{ PodIPWith \"n\" false \"u\" \"p\" \"default\" }}", "10.244.0.2"},
      {"{{ PodIPWith \"n\" true \"u\" \"p\" \"default\" }}", "192.168.0.10"},
      {"{{ with PodIPsWith \"n\" ( or .spec.hostNetwork false ) \"\" \"\" \"\" }}{{ index . 0 }}{{ "
       "end }}",
       "10.244.0.2"},
      {"{{ range NodeConditions }}{{ .type }} {{ end }}",
       "Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable "},
      {"m:{{ YAML .status.map 1 }}", "m:\n  a: x\n  b: 1\n  "},
      {"{{ add1 .status.restartCount }} {{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 }} {{ div 7 2 }} "
       "{{ mod 7 2 }} {{ max 1 5 3 }}",
       "3 6 3 6 3 1 5"},
      {"{{ default \"d\" .missing }} {{ default \"d\" \"x\" }} {{ coalesce 0 \"\" \"c\" }} "
       "{{ ternary \"a\" \"b\" true }}",
       "d x c a"},
      {"{{ upper \"ab\" }} {{ trim \" a \" }} {{ trimSuffix \"-x\" \"a-x\" }} "
       "{{ replace \"a\" \"b\" \"banana\" }} {{ contains \"an\" \"banana\" }} "
       "{{ hasPrefix \"b\" \"banana\" }}",
       "AB a a bbnbnb true true"},
      {"{{ join \",\" (list 1 \"a\") }} {{ splitList \",\" \"a,b\" | last }} {{ has 1 (list 1 2) "
       "}}",
       "1,a b true"},
      {"{{ toJson .status.map }} {{ get .status.map \"a\" }} {{ hasKey .status.map \"c\" }}",
       "{\"a\":\"x\",\"b\":1} x false"},
      {"{{ quote \"a\" 1 }} {{ squote \"a\" }}", "\"a\" \"1\" 'a'"},
      {"{{ indent 2 \"a\\nb\" }}", "  a\n  b"},
      // A number of the object is json.Number to Go, which is true even if it is 0.
      {"{{ if .metadata.n }}true{{ end }}{{ if 0 }}false{{ end }}", "true"},
      {"{{ eq .status.restartCount \"2\" }}", "true"},
      {"{{ int .status.restartCount | eq 2 }}", "true"},
      {"{{ .status.map }}", "map[a:x b:1]"},
      {"{{ `raw \"text\"` }}", "raw \"text\""},
  };
  for (const auto& [text, out] : table) EXPECT_EQ(Rendered(text), out) << text;
}

TEST(Template, KUBELET_STAGE_01_RefusesWhatItDoesNotRead) {
  const std::pair<const char*, const char*> table[] = {
      {"{{ foo }}", "3: function \"foo\" is not read here"},
      {"a\n{{ uuidv4 }}", "5: function \"uuidv4\" is not read here"},
      {"{{ $x }}", "3: undefined variable \"$x\""},
      {"{{ $x = 1 }}", "3: undefined variable \"$x\""},
      {"{{ if .a }}", "3: {{if}} has no {{end}}"},
      {"{{ end }}", "3: unexpected {{end}}"},
      {"{{ else }}", "3: unexpected {{else}}"},
      {"{{ if .a }}{{ else }}{{ else }}{{ end }}", "24: a second {{else}}"},
      {"{{ .a ", "0: the action does not end"},
      {"{{ }}", "3: a value is missing in the action"},
      {"{{ .a .b }}", "6: only a function takes arguments"},
      {"{{ .a | .b }}", "8: only a function can follow a |"},
      {"{{ eq .a }}", "3: wrong number of arguments for eq: it takes at least 2, got 1"},
      {"{{ Quote .a .b }}", "3: wrong number of arguments for Quote: it takes 1, got 2"},
      {"{{ print (index) }}",
       "10: wrong number of arguments for index: it takes at least 1, got 0"},
      {"{{ \"a }}", "3: the string does not end"},
      {"{{ (.a }}", "3: \"(\" has no \")\""},
      {"{{ template \"x\" }}", "3: {{template}} is not read here"},
      {"{{ break }}", "3: {{break}} outside {{range}}"},
      {"{{ 1.5 }}", "3: of numbers only whole decimal ones are read here"},
      {"{{ $a, $b := .x }}", "3: too many variables for a value"},
      {"{{ 'a' }}", "3: a character constant is not read here"},
      {"{{ .a % }}", "6: \"%\" is not expected in the action here"},
      {"{{/* a", "2: the comment does not end"},
  };
  for (const auto& [text, problem] : table) EXPECT_EQ(Rendered(text), problem) << text;
}

TEST(Template, SaysWhatGoesWrongWhileItRuns) {
  const std::pair<const char*, const char*> table[] = {
      {"\n{{ index .missing 0 }}", "fails: line 2: error calling index: index of untyped nil"},
      {"{{ index .spec.containers 2 }}",
       "fails: line 1: error calling index: index out of range: 2"},
      {"{{ .metadata.name.x }}", "fails: line 1: can't evaluate field x in type string"},
      {"{{ eq .status.restartCount 2 }}",
       "fails: line 1: error calling eq: incompatible types for comparison"},
      {"{{ lt .missing 2 }}", "fails: line 1: error calling lt: invalid type for comparison"},
      {"{{ upper .missing }}",
       "fails: line 1: error calling upper: wrong type for value; expected string; got nil"},
      {"{{ range .metadata.name }}{{ end }}", "fails: line 1: range can't iterate over p"},
      {"{{ div 1 0 }}", "fails: line 1: error calling div: integer divide by zero"},
      {"{{ range until 5000 }}{{ range until 5000 }}x{{ end }}{{ end }}",
       "fails: line 1: it makes more than 1 MiB of text"},
      {"{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}",
       "fails: line 1: its loops go round millions of times"},
      {"{{ $x := repeat 10000 (repeat 10000 \"a\") }}",
       "fails: line 1: error calling repeat: so many repetitions are too long"},
  };
  for (const auto& [text, problem] : table) EXPECT_EQ(Rendered(text), problem) << text;
}

}  // namespace
}  // namespace ksim::kubelet
