#include "ksim/cli/ran.h"

#include "ksim/value/json.h"

namespace ksim::cli {

using value::Value;

void Ran::Say(Io& io) const {
  for (const auto& [err, text] : said) err ? io.Err(text) : io.Out(text);
}

std::string Encode(const Ran& ran) {
  std::vector<Value> said;
  for (const auto& [err, text] : ran.said)
    said.push_back(value::Arr({Value::Bool(err), Value::String(text)}));
  return ToJson(value::Obj({{"code", Value::Int(ran.code)},
                            {"said", Value::Array(std::move(said))},
                            {"complaints", Value::String(ran.complaints)},
                            {"tree", ran.tree}}));
}

absl::StatusOr<Ran> DecodeRan(std::string_view bytes) {
  const absl::StatusOr<Value> tree = value::ParseJson(bytes);
  if (!tree.ok()) return tree.status();
  Ran ran;
  ran.code = static_cast<int>(tree->Get("code").AsInt());
  for (const Value& one : tree->Get("said").items())
    ran.said.emplace_back(one.at(0).AsBool(), std::string(one.at(1).AsString()));
  ran.complaints = std::string(tree->Get("complaints").AsString());
  ran.tree = tree->Get("tree");
  return ran;
}

}  // namespace ksim::cli
