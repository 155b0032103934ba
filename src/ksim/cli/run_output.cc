#include "ksim/cli/run_output.h"

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::cli {

using value::Value;

void RunOutput::WriteTo(Io& io) const {
  for (const auto& [err, text] : texts) err ? io.Err(text) : io.Out(text);
}

std::string Encode(const RunOutput& output) {
  std::vector<Value> texts;
  for (const auto& [err, text] : output.texts)
    texts.push_back(value::Arr({Value::Bool(err), Value::String(text)}));
  return ToJson(value::Obj({{"code", Value::Int(output.code)},
                            {"texts", Value::Array(std::move(texts))},
                            {"complaints", Value::String(output.complaints)},
                            {"tree", output.tree}}));
}

absl::StatusOr<RunOutput> DecodeRunOutput(std::string_view bytes) {
  ASSIGN_OR_RETURN(const Value tree, value::ParseJson(bytes));
  RunOutput output;
  output.code = static_cast<int>(tree.Get("code").AsInt());
  for (const Value& one : tree.Get("texts").items())
    output.texts.emplace_back(one.at(0).AsBool(), std::string(one.at(1).AsString()));
  output.complaints = std::string(tree.Get("complaints").AsString());
  output.tree = tree.Get("tree");
  return output;
}

}  // namespace ksim::cli
