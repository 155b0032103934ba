// Schemas of CustomResourceDefinitions: what they refuse, in upstream's words.
#include "ksim/api/structural/schema_validator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/api/structural/embedded.h"
#include "ksim/api/structural/list_types.h"
#include "ksim/api/structural/prune.h"
#include "ksim/value/json.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

std::unique_ptr<const SchemaNode> SchemaOfText(const std::string& text) {
  return SchemaNode::Compile(Yaml(text));
}

std::string Told(FieldErrorList errors) {
  std::string out;
  for (const StatusCause& cause : errors.Take())
    out += fmt::format("{}{} {}: {}", out.empty() ? "" : "\n", cause.reason, cause.field,
                       cause.message);
  return out;
}

std::string Judge(const std::string& schema, const std::string& object,
                  Compat compat = Compat::k1_30) {
  FieldErrorList errors(compat);
  ValidateBySchema(*SchemaOfText(schema), Yaml(object), nullptr, "", &errors);
  return Told(std::move(errors));
}

struct SchemaRow {
  const char *field, *value, *told;
};

// CRD-05: kube-openapi's own texts; the field is called f.
TEST(SchemaValidator, ToldAsUpstreamTellsIt) {
  for (const SchemaRow& row : {
           SchemaRow{
               "{type: integer}", "x",
               "FieldValueTypeInvalid f: Invalid value: \"string\": f in body must be of type "
               "integer: \"string\""},
           SchemaRow{
               "{type: integer}", "1.5",
               "FieldValueTypeInvalid f: Invalid value: \"number\": f in body must be of type "
               "integer: \"number\""},
           SchemaRow{"{type: integer}", "2.0", ""},
           SchemaRow{"{type: number}", "2", ""},
           SchemaRow{"{type: string}", "null",
                     "FieldValueTypeInvalid f: Invalid value: \"null\": f in body must be of type "
                     "string: \"null\""},
           SchemaRow{"{type: string, nullable: true}", "null", ""},
           SchemaRow{
               "{x-kubernetes-int-or-string: true}", "true",
               "FieldValueTypeInvalid f: Invalid value: \"boolean\": f in body must be of type "
               "integer,string: \"boolean\""},
           SchemaRow{"{x-kubernetes-int-or-string: true}", "\"50%\"", ""},
           SchemaRow{"{type: string, enum: [a, b]}", "c",
                     "FieldValueNotSupported f: Unsupported value: \"c\": supported values: \"a\", "
                     "\"b\""},
           SchemaRow{
               "{type: integer, enum: [1, 2]}", "3",
               "FieldValueNotSupported f: Unsupported value: 3: supported values: \"1\", \"2\""},
           SchemaRow{"{type: string, pattern: '^a+$'}", "ab",
                     "FieldValueInvalid f: Invalid value: \"ab\": f in body should match '^a+$'"},
           SchemaRow{"{type: string, maxLength: 2}", "abc",
                     "FieldValueTooLong f: Too long: may not be longer than 2"},
           SchemaRow{
               "{type: string, minLength: 2}", "a",
               "FieldValueInvalid f: Invalid value: \"a\": f in body should be at least 2 chars "
               "long"},
           SchemaRow{
               "{type: integer, minimum: 1}", "0",
               "FieldValueInvalid f: Invalid value: 0: f in body should be greater than or equal "
               "to 1"},
           SchemaRow{"{type: integer, maximum: 3, exclusiveMaximum: true}", "3",
                     "FieldValueInvalid f: Invalid value: 3: f in body should be less than 3"},
           SchemaRow{"{type: integer, multipleOf: 5}", "7",
                     "FieldValueInvalid f: Invalid value: 7: f in body should be a multiple of 5"},
           SchemaRow{
               "{type: number, multipleOf: 0.5}", "1.25",
               "FieldValueInvalid f: Invalid value: 1.25: f in body should be a multiple of 0.5"},
           SchemaRow{"{type: array, items: {type: string}, maxItems: 1}", "[a, b]",
                     "FieldValueTooMany f: Too many: 2: must have at most 1 items"},
           SchemaRow{
               "{type: array, items: {type: string}, minItems: 1}", "[]",
               "FieldValueInvalid f: Invalid value: 0: f in body should have at least 1 items"},
           SchemaRow{
               "{type: array, items: {type: string}}", "[1]",
               "FieldValueTypeInvalid f[0]: Invalid value: \"integer\": f[0] in body must be of "
               "type string: \"integer\""},
           SchemaRow{
               "{type: object, additionalProperties: {type: string}}", "{a: 1}",
               "FieldValueTypeInvalid f.a: Invalid value: \"integer\": f.a in body must be of type "
               "string: \"integer\""},
           SchemaRow{"{type: object, maxProperties: 1, additionalProperties: {type: string}}",
                     "{a: b, c: d}", "FieldValueTooMany f: Too many: 2: must have at most 1 items"},
           SchemaRow{"{type: object, required: [a], properties: {a: {type: string}}}", "{}",
                     "FieldValueRequired f.a: Required value"},
           SchemaRow{
               "{type: string, format: ipv4}", "x",
               "FieldValueTypeInvalid f: Invalid value: \"x\": f in body must be of type ipv4: "
               "\"x\""},
           SchemaRow{"{type: string, format: nobody-knows}", "x", ""},
           SchemaRow{
               "{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: "
               "[{required: [a]}, {required: [b]}]}",
               "{}",
               "FieldValueInvalid <nil>: Invalid value: \"\": \"f\" must validate one and only "
               "one schema (oneOf). Found none valid\nFieldValueRequired f.a: Required value"},
           SchemaRow{
               "{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: "
               "[{required: [a]}, {required: [b]}]}",
               "{a: x, b: y}",
               "FieldValueInvalid <nil>: Invalid value: \"\": \"f\" must validate one and only "
               "one schema (oneOf). Found 2 valid alternatives"},
           SchemaRow{
               "{type: string, anyOf: [{pattern: '^a'}, {pattern: '^b'}]}", "c",
               "FieldValueInvalid <nil>: Invalid value: \"\": \"f\" must validate at least one "
               "schema (anyOf)\nFieldValueInvalid f: Invalid value: \"c\": f in body should match "
               "'^a'"},
           SchemaRow{
               "{type: string, not: {enum: [a]}}", "a",
               "FieldValueInvalid <nil>: Invalid value: \"\": \"f\" must not validate the schema "
               "(not)"},
       }) {
    EXPECT_EQ(Judge(fmt::format("{{type: object, properties: {{f: {}}}}}", row.field),
                    fmt::format("{{f: {}}}", row.value)),
              row.told)
        << row.field << " " << row.value;
  }
}

TEST(SchemaValidator, WordsOf136) {
  const std::string schema =
      "{type: object, properties: {f: {type: string, maxLength: 2}, o: {type: object, "
      "x-kubernetes-preserve-unknown-fields: true, enum: [{a: 1}]}}}";
  EXPECT_EQ(Judge(schema, "{f: abc}", Compat::k1_36),
            "FieldValueTooLong f: Too long: may not be more than 2 bytes");
  EXPECT_EQ(Judge(schema, "{o: {b: x}}", Compat::k1_36),
            "FieldValueNotSupported o: Unsupported value: {\"b\":\"x\"}: supported values: "
            "\"{\\\"a\\\":1}\"");
  EXPECT_EQ(Judge(schema, "{o: {b: x}}", Compat::k1_30),
            "FieldValueNotSupported o: Unsupported value: map[string]interface {}{\"b\":\"x\"}: "
            "supported values: \"{\\\"a\\\":1}\"");
}

// CRD-09: what is as it was is not judged again; items of a list of type map are known by keys.
TEST(SchemaValidator, Ratchets) {
  const auto schema = SchemaOfText(
      "{type: object, properties: {a: {type: string, maxLength: 1}, l: {type: array, "
      "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, "
      "properties: {k: {type: string}, v: {type: integer, maximum: 1}}}}, s: {type: array, items: "
      "{type: integer, maximum: 1}}}}");
  const auto judge = [&](const char* old, const char* now) {
    FieldErrorList errors(Compat::k1_30);
    const Value before = Yaml(old);
    ValidateBySchema(*schema, Yaml(now), &before, "", &errors);
    return Told(std::move(errors));
  };
  EXPECT_EQ(judge("{a: long}", "{a: long, b: 1}"), "");
  EXPECT_NE(judge("{a: long}", "{a: longer}"), "");
  EXPECT_EQ(judge("{l: [{k: x, v: 5}]}", "{l: [{k: y, v: 0}, {k: x, v: 5}]}"), "");
  EXPECT_NE(judge("{l: [{k: x, v: 5}]}", "{l: [{k: x, v: 6}]}"), "");
  EXPECT_NE(judge("{s: [5]}", "{s: [5, 0]}"), "") << "items of a plain list have no old ones";
  EXPECT_EQ(judge("{s: [5]}", "{s: [5], b: 1}"), "") << "but the whole list has";
}

// CRD-03: pruning goes where the schema goes.
TEST(Prune, DropsWhatTheSchemaDoesNotHave) {
  const auto schema = SchemaOfText(R"({type: object, properties: {spec: {type: object, properties: {
      known: {type: string},
      open: {type: object, x-kubernetes-preserve-unknown-fields: true,
             properties: {closed: {type: object, properties: {a: {type: string}}}}},
      map: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}},
      list: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}})");
  std::vector<std::string> dropped;
  const Value pruned = PruneUnknown(
      schema.get(), Yaml(R"({apiVersion: v1, kind: X, metadata: {any: thing}, other: 1, spec: {
      known: x, unknown: y, open: {z: 1, closed: {a: x, b: y}}, map: {k: {a: x, b: y}},
      list: [{a: x}, {b: y}]}})"),
      &dropped);
  EXPECT_EQ(pruned, Yaml(R"({apiVersion: v1, kind: X, metadata: {any: thing}, spec: {known: x,
      open: {z: 1, closed: {a: x}}, map: {k: {a: x}}, list: [{a: x}, {}]}})"));
  EXPECT_EQ(dropped, (std::vector<std::string>{"other", "spec.list[1].b", "spec.map.k.b",
                                               "spec.open.closed.b", "spec.unknown"}));
  const Value again = PruneUnknown(schema.get(), pruned, nullptr);
  EXPECT_TRUE(again.SameTree(pruned));
}

// CRD-04: defaults go below one another; a null that may not be is replaced by one, or dropped.
TEST(Prune, FillsDefaults) {
  const auto schema = SchemaOfText(R"({type: object, properties: {
      a: {type: object, default: {}, properties: {b: {type: integer, default: 5}}},
      n: {type: string, nullable: true, default: x}, m: {type: string, default: y},
      p: {type: string},
      l: {type: array, items: {type: object, properties: {c: {type: string, default: z}}}}}})");
  const auto filled = [&](const char* text) {
    return value::ToJson(FillDefaults(schema.get(), PruneNulls(schema.get(), Yaml(text))));
  };
  EXPECT_EQ(filled("{}"), R"({"a":{"b":5},"m":"y","n":"x"})");
  EXPECT_EQ(filled("{a: {}, n: null, m: null, p: null, l: [{}, {c: w}]}"),
            R"({"a":{"b":5},"l":[{"c":"z"},{"c":"w"}],"m":"y","n":null})");
}

// CRD-06
TEST(ListTypes, NothingIsThereTwice) {
  const auto schema = SchemaOfText(R"({type: object, properties: {
      s: {type: array, x-kubernetes-list-type: set, items: {type: string}},
      m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b],
          items: {type: object, properties: {a: {type: string}, b: {type: string}}}}}})");
  FieldErrorList errors(Compat::k1_30);
  ValidateListTypes(
      *schema, Yaml("{s: [x, y, x, x], m: [{a: x, b: y}, {a: x}, {a: x, b: y, c: z}]}"), &errors);
  EXPECT_EQ(Told(std::move(errors)),
            "FieldValueDuplicate m[2]: Duplicate value: map[string]interface {}{\"a\":\"x\", "
            "\"b\":\"y\"}\nFieldValueDuplicate s[2]: Duplicate value: \"x\"");
}

// CRD-07
TEST(Embedded, HasATypeAndMetadata) {
  const auto schema = SchemaOfText(R"({type: object, properties: {t: {type: object,
      x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}})");
  FieldErrorList errors(Compat::k1_30);
  ValidateEmbedded(*schema, Yaml("{t: {apiVersion: '', metadata: {name: x, namespace: A_b}}}"),
                   &errors);
  const std::string told = Told(std::move(errors));
  EXPECT_NE(told.find("FieldValueRequired t.kind: Required value: must not be empty"), told.npos)
      << told;
  EXPECT_NE(told.find("FieldValueInvalid t.apiVersion: Invalid value: \"\": must not be empty"),
            told.npos);
  EXPECT_NE(told.find("t.metadata.namespace: Invalid value: \"A_b\""), told.npos);
}

}  // namespace
}  // namespace ksim::api
