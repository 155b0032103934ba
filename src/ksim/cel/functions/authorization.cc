#include "ksim/cel/functions/authorization.h"

#include <utility>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/functions/opaque.h"

namespace ksim::cel {
namespace {

// A question that is not complete yet. Such values are equal to none.
template <int kStep>
struct Asking {
  static TypePtr CelType();
  friend bool operator==(const Asking&, const Asking&) { return false; }
  AccessOracle oracle;
  AccessQuestion question;
};
using AskingAny = Asking<0>;
using AskingPath = Asking<1>;
using AskingGroup = Asking<2>;
using AskingResource = Asking<3>;

template <int kStep>
TypePtr Asking<kStep>::CelType() {
  constexpr const char* kNames[] = {
      "kubernetes.authorization.Authorizer", "kubernetes.authorization.PathCheck",
      "kubernetes.authorization.GroupCheck", "kubernetes.authorization.ResourceCheck"};
  return StructType(kNames[kStep]);
}

struct Decided {
  static TypePtr CelType() { return StructType("kubernetes.authorization.Decision"); }
  friend bool operator==(const Decided&, const Decided&) { return false; }
  AccessAnswer answer;
};

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\n\v\f\r") == text.npos; }

// A DNS label or subdomain, as names of namespaces and service accounts are.
bool IsName(std::string_view text, bool dots) {
  if (text.empty() || text.size() > (dots ? 253u : 63u)) return false;
  char before = '.';
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool inner = c == '-' || (dots && c == '.');
    if (!plain && !inner) return false;
    if (c == '-' && before == '.') return false;
    if (c == '.' && (before == '.' || before == '-')) return false;
    before = c;
  }
  return before != '-' && before != '.';
}

template <int kFrom, int kTo>
Asking<kTo> Next(const Val& v) {
  const auto& from = OpaqueValue<Asking<kFrom>>(v);
  return {from.oracle, from.question};
}

Val AccountOf(Arguments a) {
  auto asking = Next<0, 0>(a[0]);
  if (!IsName(a[2].AsText(), true)) return Val::Error("Invalid service account name");
  if (!IsName(a[1].AsText(), false)) return Val::Error("Invalid service account namespace");
  asking.question.account_namespace = a[1].AsText();
  asking.question.account_name = a[2].AsText();
  return MakeOpaque(std::move(asking));
}

template <int kStep>
Val Check(Arguments a) {
  const auto& asking = OpaqueValue<Asking<kStep>>(a[0]);
  AccessQuestion question = asking.question;
  question.verb = a[1].AsText();
  return MakeOpaque(Decided{asking.oracle(question)});
}

void AddResourceFields(FunctionTable* table) {
  const auto field = [table](const char* function, std::string AccessQuestion::* member) {
    table->Add(function,
               std::string(".resourcecheck_") + function +
                   " (kubernetes.authorization.ResourceCheck, string) -> "
                   "kubernetes.authorization.ResourceCheck",
               [member](Arguments a) {
                 auto asking = Next<3, 3>(a[0]);
                 asking.question.*member = a[1].AsText();
                 return MakeOpaque(std::move(asking));
               });
  };
  field("subresource", &AccessQuestion::subresource);
  field("namespace", &AccessQuestion::ns);
  field("name", &AccessQuestion::name);
}

// Authorizers here know no selectors: they change no answer.
void AddSelectors(FunctionTable* table) {
  for (const char* function : {"fieldSelector", "labelSelector"}) {
    table->Add(function,
               std::string(".resourcecheck_") + function +
                   " (kubernetes.authorization.ResourceCheck, string) -> "
                   "kubernetes.authorization.ResourceCheck",
               [](Arguments a) { return a[0]; });
  }
}

}  // namespace

Val AuthorizerValue(AccessOracle oracle) {
  return MakeOpaque(AskingAny{std::move(oracle), AccessQuestion()});
}

Val ResourceCheckValue(AccessOracle oracle, AccessQuestion about) {
  return MakeOpaque(AskingResource{std::move(oracle), std::move(about)});
}

void AddAuthorizationFunctions(FunctionTable* table, bool selectors) {
  const std::string k = "kubernetes.authorization.";
  table->Add("path", ".authorizer_path (" + k + "Authorizer, string) -> " + k + "PathCheck",
             [](Arguments a) {
               if (IsBlank(a[1].AsText())) return Val::Error("path must not be empty");
               auto asking = Next<0, 1>(a[0]);
               asking.question.path = a[1].AsText();
               return MakeOpaque(std::move(asking));
             });
  table->Add("group", ".authorizer_group (" + k + "Authorizer, string) -> " + k + "GroupCheck",
             [](Arguments a) {
               auto asking = Next<0, 2>(a[0]);
               asking.question.group = a[1].AsText();
               return MakeOpaque(std::move(asking));
             });
  table->Add(
      "serviceAccount",
      ".authorizer_serviceaccount (" + k + "Authorizer, string, string) -> " + k + "Authorizer",
      AccountOf);
  table->Add("resource",
             ".groupcheck_resource (" + k + "GroupCheck, string) -> " + k + "ResourceCheck",
             [](Arguments a) {
               if (IsBlank(a[1].AsText())) return Val::Error("resource must not be empty");
               auto asking = Next<2, 3>(a[0]);
               asking.question.resource = a[1].AsText();
               return MakeOpaque(std::move(asking));
             });
  AddResourceFields(table);
  if (selectors) AddSelectors(table);
  table->Add("check", ".pathcheck_check (" + k + "PathCheck, string) -> " + k + "Decision",
             Check<1>);
  table->Add("check", ".resourcecheck_check (" + k + "ResourceCheck, string) -> " + k + "Decision",
             Check<3>);
  // An authorizer that fails is not simulated.
  table->Add("errored", ".decision_errored (" + k + "Decision) -> bool",
             [](Arguments) { return Val::Bool(false); });
  table->Add("error", ".decision_error (" + k + "Decision) -> string",
             [](Arguments) { return Val::String(""); });
  table->Add("allowed", ".decision_allowed (" + k + "Decision) -> bool",
             [](Arguments a) { return Val::Bool(OpaqueValue<Decided>(a[0]).answer.allowed); });
  table->Add("reason", ".decision_reason (" + k + "Decision) -> string",
             [](Arguments a) { return Val::String(OpaqueValue<Decided>(a[0]).answer.reason); });
}

}  // namespace ksim::cel
