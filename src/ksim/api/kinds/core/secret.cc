// The kind Secret of v1.
//
// Source: pkg/apis/core/validation/validation.go ValidateSecret; pkg/apis/core/v1/conversion.go.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/core/data_keys.h"
#include "ksim/api/kinds/core/tls_key_pair.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/value/base64.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kSecretTypes = R"(
Secret: apiVersion=string data={}bytes immutable=*bool kind=string metadata=ObjectMeta
   stringData={}string type=s:SecretType
)";

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < n ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= n ? kBase64Digits[(group >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

// stringData is for writing only: it lands in data. pkg/apis/core/v1/conversion.go
// Convert_v1_Secret_To_core_Secret.
Value MergeStringData(Value secret) {
  const Value plain = secret.Get(Fields().string_data);
  if (plain.is_null()) return secret;
  Value data = secret.Get(Fields().data);
  if (!data.is_object()) data = Value::EmptyObject();
  for (const Value::Member& m : plain.members()) {
    data = std::move(data).Set(m.name, Value::String(EncodeBase64(m.value.AsString())));
  }
  secret = secret.Erase("stringData");
  return data.empty() ? secret : std::move(secret).Set(Fields().data, std::move(data));
}

// The conversion to the internal type comes with the decoding, as the defaults do.
Value DefaultSecret(const Value& tree, Compat) {
  return MergeStringData(WithNonEmpty(tree, Fields().type, Value::Of("Opaque")));
}

void RequireSecretKey(const Value& tree, const char* key, FieldErrorList* errors) {
  const FieldPath data("data");
  if (!tree.Get("data").Has(key)) errors->Required(data.Key(key));
}

void ValidateSecret(const Value& tree, FieldErrorList* errors) {
  std::int64_t size = 0;
  CheckDataKeys(tree.Get("data"), "data", nullptr, &size, errors);
  if (size / 4 * 3 > kMaxDataSize) errors->TooLong(FieldPath("data"), kMaxDataSize);
  const std::string_view type = tree.Get("type").AsString();
  if (type == "kubernetes.io/service-account-token") {
    static const Path kAnnotation{"metadata", "annotations", "kubernetes.io/service-account.name"};
    const FieldPath metadata("metadata");
    const FieldPath annotations = metadata.Child("annotations");
    if (tree.Get(kAnnotation).AsString().empty()) {
      errors->Required(annotations.Key("kubernetes.io/service-account.name"));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    RequireSecretKey(tree, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    RequireSecretKey(tree, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    RequireSecretKey(tree, "ssh-privatekey", errors);
  } else if (type == "kubernetes.io/tls") {
    RequireSecretKey(tree, "tls.crt", errors);
    RequireSecretKey(tree, "tls.key", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    const Value& data = tree.Get("data");
    if (!data.Has("username") && !data.Has("password")) {
      RequireSecretKey(tree, "username", errors);
      RequireSecretKey(tree, "password", errors);
    }
  }
}

void ValidateSecretUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("type"), old.Get("type"), GoShape::kOther, FieldPath("type"), errors);
  ValidateImmutableData(tree, old, errors);
}

// warningsForSecret
std::vector<std::string> SecretWarnings(const Value& tree, Compat compat) {
  if (!ProfileOf(compat).warns_of_key_pairs || tree.Get("type").AsString() != "kubernetes.io/tls")
    return {};
  const auto bytes = [&](const char* key) {
    return value::Unbase64(tree.Get("data").Get(key).AsString()).value_or("");
  };
  std::string problem = KeyPairProblem(bytes("tls.crt"), bytes("tls.key"));
  if (problem.empty()) return {};
  return {std::move(problem)};
}

std::vector<std::string> SecretCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.tree().Get("type")),
          std::to_string(o.tree().Get("data").size()), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kSecretKind = {
    .kind = "Secret",
    .resource = "secrets",
    .go_types = kSecretTypes,
    .columns = {{"Name"}, {"Type"}, {"Data"}, {"Age"}},
    .cells = SecretCells,
    .defaults = DefaultSecret,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange, kCheckMeta, kCheckObject},
            .on_status_update = {},
            .object = ValidateSecret,
            .change = ValidateSecretUpdate,
        },
    .warnings_on_create = SecretWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return SecretWarnings(updated, compat); },
};

}  // namespace ksim::api
