#include "ksim/cel/syntax/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ksim/cel/syntax/builder.h"
#include "ksim/cel/syntax/cursor.h"
#include "ksim/cel/syntax/grammar.h"
#include "ksim/cel/syntax/lexer.h"
#include "ksim/cel/syntax/macros.h"

namespace ksim::cel {
namespace {

class Parser : private TokenCursor {
 public:
  Parser(const Source& source, const ParserOptions& options, std::vector<SourceError>* errors)
      : TokenCursor(source, errors), options_(options) {}

  Ast Run() {
    Ast ast;
    ExprPtr root = ParseExpr();
    if (!stopped_) ExpectEnd();
    ast.offsets = b_.TakeOffsets();
    if (errors_->empty() && !stopped_) ast.root = std::move(root);
    return ast;
  }

 private:
  bool TooDeep(int depth) {
    if (depth > kMaxDepth) {
      Stop("expression recursion limit exceeded: " + std::to_string(kMaxDepth));
    } else if (b_.size() > kMaxNodes) {
      Stop("expression size limit exceeded: " + std::to_string(kMaxNodes));
    }
    return stopped_;
  }

  std::int64_t Id(const Token& token) { return b_.NewId(token.offset); }
  ExprPtr Nothing() { return b_.Literal(b_.NewId(-1), Val::Null()); }
  ExprPtr ParseExpr() {
    const Depth depth(&expr_depth_);
    if (TooDeep(expr_depth_)) return Nothing();
    ExprPtr condition = ParseOr();
    if (!Is("?") || stopped_) return condition;
    const std::int64_t id = Id(Advance());
    ++ternaries_;
    ExprPtr yes = ParseOr();
    --ternaries_;
    if (!Expect(":", "':'", true)) return Nothing();
    ExprPtr no = ParseExpr();
    return b_.Call(id, kConditional, b_.Three(std::move(condition), std::move(yes), std::move(no)));
  }

  ExprPtr ParseOr() {
    return ParseLogic("||", kLogicalOr, [this] { return ParseAnd(); });
  }
  ExprPtr ParseAnd() {
    return ParseLogic("&&", kLogicalAnd, [this] { return ParseRelation(); });
  }

  // A chain becomes a balanced tree, so that its length costs no depth.
  template <class Operand>
  ExprPtr ParseLogic(const char* op, const char* function, Operand operand) {
    std::vector<ExprPtr> terms;
    std::vector<std::int64_t> ops;
    terms.push_back(operand());
    while (Is(op) && !stopped_) {
      const std::int32_t offset = Advance().offset;
      terms.push_back(operand());
      ops.push_back(b_.NewId(offset));
    }
    if (ops.empty()) return std::move(terms[0]);
    return Balanced(function, &terms, ops, 0, ops.size() - 1);
  }

  ExprPtr Balanced(const char* function, std::vector<ExprPtr>* terms,
                   const std::vector<std::int64_t>& ops, std::size_t low, std::size_t high) {
    const std::size_t mid = (low + high + 1) / 2;
    ExprPtr left =
        mid == low ? std::move((*terms)[mid]) : Balanced(function, terms, ops, low, mid - 1);
    ExprPtr right =
        mid == high ? std::move((*terms)[mid + 1]) : Balanced(function, terms, ops, mid + 1, high);
    return b_.Call(ops[mid], function, b_.Two(std::move(left), std::move(right)));
  }

  const char* RelationHere() const {
    if (Now().kind == TokenKind::kIdent && Now().text == "in") return kIn;
    return FunctionHere(kRelations);
  }
  template <std::size_t N>
  const char* FunctionHere(const std::array<Operator, N>& operators) const {
    if (Now().kind != TokenKind::kPunctuation) return nullptr;
    for (const Operator& op : operators) {
      if (Now().text == op.text) return op.function;
    }
    return nullptr;
  }

  ExprPtr ParseRelation() {
    Depth depth(&relation_depth_);
    ExprPtr left = ParseSum();
    while (const char* function = RelationHere()) {
      depth.Enter();
      if (TooDeep(relation_depth_ + 1)) return left;
      const std::int64_t id = Id(Advance());
      ExprPtr right = ParseSum();
      left = b_.Call(id, function, b_.Two(std::move(left), std::move(right)));
    }
    return left;
  }

  ExprPtr ParseSum() {
    Depth depth(&calc_depth_);
    ExprPtr left = ParseProduct(&depth);
    while (const char* function = FunctionHere(kSums)) {
      depth.Enter();
      if (TooDeep(calc_depth_ + 1)) return left;
      const std::int64_t id = Id(Advance());
      Depth operand(&calc_depth_);
      ExprPtr right = ParseProduct(&operand);
      left = b_.Call(id, function, b_.Two(std::move(left), std::move(right)));
    }
    return left;
  }

  ExprPtr ParseProduct(Depth* depth) {
    ExprPtr left = ParseUnary();
    while (const char* function = FunctionHere(kProducts)) {
      depth->Enter();
      if (TooDeep(calc_depth_ + 1)) return left;
      const std::int64_t id = Id(Advance());
      ExprPtr right = ParseUnary();
      left = b_.Call(id, function, b_.Two(std::move(left), std::move(right)));
    }
    return left;
  }

  bool IsNegativeNumber() const {
    return Is("-") && (Next().kind == TokenKind::kInt || Next().kind == TokenKind::kDouble);
  }

  ExprPtr ParseUnary() {
    if (stopped_) return Nothing();
    if (!ExpectUnary()) return Nothing();
    const bool negative_number = IsNegativeNumber();
    const char* op = Is("!") ? "!" : Is("-") && !negative_number ? "-" : nullptr;
    if (op == nullptr) return ParseMember();
    const Token& first = Now();
    int count = 0;
    while (Is(op)) {
      Advance();
      ++count;
    }
    if (!ExpectPrimary()) return Nothing();
    if (count % 2 == 0) return ParseMember();
    const std::int64_t id = Id(first);
    ExprPtr operand = ParseMember();
    std::vector<ExprPtr> args;
    args.push_back(std::move(operand));
    return b_.Call(id, *op == '!' ? kLogicalNot : kNegate, std::move(args));
  }

  ExprPtr ParseMember() {
    Depth depth(&member_depth_);
    ExprPtr e = ParsePrimary();
    while (!stopped_) {
      if (Is(".")) {
        depth.Enter();
        if (TooDeep(member_depth_)) return e;
        e = ParseSelection(std::move(e));
        if (e == nullptr) return Nothing();
      } else if (Is("[")) {
        depth.Enter();
        if (TooDeep(member_depth_)) return e;
        e = ParseIndex(std::move(e));
      } else {
        return e;
      }
    }
    return e;
  }

  ExprPtr ParseSelection(ExprPtr operand) {
    const Token& dot = Advance();
    const bool optional = Accept("?");
    const Token& name = Now();
    if (name.kind == TokenKind::kEscapedIdent && !options_.escaped_identifiers) {
      Error(name.offset, "unsupported syntax: '`'");
      Advance();
      return operand;
    }
    if ((name.kind != TokenKind::kIdent || IsKeyword(name.text)) &&
        name.kind != TokenKind::kEscapedIdent) {
      if (name.kind == TokenKind::kIdent && name.text != "in") {
        SyntaxError(name, "mismatched input '" + name.text + "' expecting IDENTIFIER");
      } else {
        SyntaxError(name, "no viable alternative at input '." + std::string(optional ? "?" : "") +
                              (name.kind == TokenKind::kEnd ? "" : name.text) + "'");
      }
      Recover();
      return nullptr;
    }
    Advance();
    std::string field = name.text;
    if (name.kind == TokenKind::kEscapedIdent) field = field.substr(1, field.size() - 2);
    if (optional) {
      if (!options_.optional_syntax) {
        Error(dot.offset, "unsupported syntax '.?'");
        return operand;
      }
      const std::int64_t id = Id(dot);
      return b_.Call(id, kOptSelect,
                     b_.Two(std::move(operand), b_.Literal(Id(name), Val::String(field))));
    }
    if (Is("(") && name.kind == TokenKind::kIdent) {
      const std::int64_t id = Id(Advance());
      std::vector<ExprPtr> args = ParseArguments();
      return CallOrMacro(id, field, std::move(operand), std::move(args));
    }
    ExprPtr select = b_.Make(ExprKind::kSelect, Id(dot));
    select->target = std::move(operand);
    select->name = std::move(field);
    return select;
  }

  ExprPtr ParseIndex(ExprPtr operand) {
    const Token& bracket = Advance();
    const bool optional = Accept("?");
    if (optional && !options_.optional_syntax) Error(bracket.offset, "unsupported syntax '[?'");
    const std::int64_t id = Id(bracket);
    ++brackets_;
    if (!optional) SetIndexExtra();
    ExprPtr index = ParseExpr();
    --brackets_;
    Expect("]", "']'");
    return b_.Call(id, optional ? kOptIndex : kIndex, b_.Two(std::move(operand), std::move(index)));
  }

  // Behind "(", up to and with ")".
  std::vector<ExprPtr> ParseArguments() {
    std::vector<ExprPtr> args;
    if (Accept(")")) return args;
    ++parens_;
    SetParenExtra();
    do {
      args.push_back(ParseExpr());
    } while (Accept(",") && !stopped_);
    --parens_;
    Expect(")", "')'");
    return args;
  }

  ExprPtr CallOrMacro(std::int64_t id, const std::string& function, ExprPtr target,
                      std::vector<ExprPtr> args) {
    if (stopped_ || !errors_->empty()) return Nothing();
    MacroError error;
    b_.SetMacroOffset(b_.OffsetOf(id));
    ExprPtr expanded = ExpandMacro(options_, function, &target, &args, &b_, &error);
    if (b_.size() > kMaxNodes) TooDeep(0);
    if (expanded != nullptr) return expanded;
    if (!error.message.empty()) {
      Error(b_.OffsetOf(error.id), error.message);
      return Nothing();
    }
    ExprPtr call = b_.Call(id, function, std::move(args));
    call->target = std::move(target);
    return call;
  }

  ExprPtr ParsePrimary() {
    const Token& token = Now();
    switch (token.kind) {
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
        return ParseNumber();
      case TokenKind::kString:
      case TokenKind::kBytes:
        return ParseText();
      case TokenKind::kIdent:
        return ParseName();
      default:
        break;
    }
    if (IsNegativeNumber()) return ParseNumber();
    if (token.Is("(")) {
      Advance();
      ++parens_;
      ExprPtr inner = ParseExpr();
      --parens_;
      Expect(")", "')'");
      return inner;
    }
    if (token.Is("[")) return ParseList();
    if (token.Is("{")) return ParseMap();
    if (token.Is(".")) return ParseName();
    // A lone minus: the grammar has it only in front of a number.
    SyntaxError(Next(), "no viable alternative at input '" + Shown(token) + Shown(Next()) + "'");
    Advance();
    Recover();
    return Nothing();
  }

  ExprPtr ParseNumber() {
    const Token& first = Now();
    const bool negative = Accept("-");
    const Token& token = Advance();
    std::string problem;
    const Val number = ReadNumber(token, negative, &problem);
    if (problem.empty()) return b_.Literal(Id(first), number);
    Error(first.offset, problem);
    return Nothing();
  }

  ExprPtr ParseText() {
    const Token& token = Advance();
    const bool bytes = token.kind == TokenKind::kBytes;
    std::string problem;
    const std::optional<std::string> text = UnescapeLiteral(token.text, bytes, &problem);
    if (!text.has_value()) {
      Error(token.offset, problem);
      return Nothing();
    }
    return b_.Literal(Id(token), bytes ? Val::Bytes(*text) : Val::String(*text));
  }

  ExprPtr ParseName() {
    const Token& first = Now();
    const bool leading_dot = Accept(".");
    const Token& token = Now();
    if (token.kind != TokenKind::kIdent || IsKeyword(token.text)) {
      if (!leading_dot && token.text != "in") return ParseKeyword();
      SyntaxError(token, "no viable alternative at input '." +
                             (token.kind == TokenKind::kEnd ? "" : token.text) + "'");
      Recover();
      return Nothing();
    }
    if (const std::size_t length = MessageNameLength(); length > 0) {
      return ParseStruct(leading_dot, length);
    }
    Advance();
    if (IsReservedWord(token.text)) {
      Error(first.offset, "reserved identifier: " + token.text);
      if (Accept("(")) ParseArguments();
      return Nothing();
    }
    const std::string name = (leading_dot ? "." : "") + token.text;
    if (Is("(")) {
      const std::int64_t id = Id(Advance());
      std::vector<ExprPtr> args = ParseArguments();
      return CallOrMacro(id, name, nullptr, std::move(args));
    }
    ExprPtr ident = b_.Make(ExprKind::kIdent, Id(token));
    ident->name = name;
    return ident;
  }

  ExprPtr ParseKeyword() {
    const Token& token = Advance();
    const std::int64_t id = Id(token);
    if (token.text == "null") return b_.Literal(id, Val::Null());
    return b_.Literal(id, Val::Bool(token.text == "true"));
  }

  // How many tokens the name of a message takes, if "{" follows it: a.b.C{...}.
  std::size_t MessageNameLength() const {
    std::size_t n = 1;
    while (Next(n).Is(".") && Next(n + 1).kind == TokenKind::kIdent &&
           !IsKeyword(Next(n + 1).text)) {
      n += 2;
    }
    return Next(n).Is("{") ? n : 0;
  }

  ExprPtr ParseStruct(bool leading_dot, std::size_t length) {
    std::string name = leading_dot ? "." : "";
    for (std::size_t i = 0; i < length; ++i) name += Advance().text;
    ExprPtr e = b_.Make(ExprKind::kStruct, Id(Advance()));
    e->name = std::move(name);
    ++braces_;
    while (!Is("}") && !stopped_) {
      if (Is(",") && Next().Is("}")) {
        Advance();
        break;
      }
      MapEntry entry;
      entry.optional = Accept("?");
      const Token& field = Now();
      if (field.kind != TokenKind::kIdent && field.kind != TokenKind::kEscapedIdent) {
        SyntaxError(field, "mismatched input '" + Shown(field) + "' expecting {'}', ','}");
        Recover();
        break;
      }
      Advance();
      entry.name = field.text;
      if (field.kind == TokenKind::kEscapedIdent) {
        if (!options_.escaped_identifiers) Error(field.offset, "unsupported syntax: '`'");
        entry.name = field.text.substr(1, field.text.size() - 2);
      }
      if (!ParseEntryValue(&entry)) break;
      e->entries.push_back(std::move(entry));
      if (!Accept(",")) break;
    }
    --braces_;
    Expect("}", "{'}', ','}");
    return e;
  }

  bool ParseEntryValue(MapEntry* entry) {
    if (!Expect(":", "':'", true)) return false;
    const Token& colon = tokens_[at_ - 1];
    entry->id = Id(colon);
    if (entry->optional && !options_.optional_syntax) {
      Error(colon.offset, "unsupported syntax '?'");
    }
    entry->value = ParseExpr();
    return true;
  }

  ExprPtr ParseList() {
    ExprPtr e = b_.Make(ExprKind::kList, Id(Advance()));
    bool comma = false;
    ++brackets_;
    while (!Is("]") && !stopped_) {
      if (Is(",") && Next().Is("]")) {
        Advance();
        break;
      }
      const Token& mark = Now();
      const bool optional = Accept("?");
      if (optional && !options_.optional_syntax) Error(mark.offset, "unsupported syntax '?'");
      if (e->items.empty()) SetExtras("']', ", "", ",");
      e->items.push_back(ParseExpr());
      e->optional.push_back(optional);
      comma = Accept(",");
      if (!comma || !(BeginsUnary(Now()) || Is("?"))) break;
    }
    --brackets_;
    Expect("]", comma ? "']'" : "{']', ','}");
    DropUnmarked(e.get());
    return e;
  }

  static void DropUnmarked(Expr* list) {
    const bool marked = std::count(list->optional.begin(), list->optional.end(), true) > 0;
    if (!marked) list->optional.clear();
  }

  ExprPtr ParseMap() {
    ExprPtr e = b_.Make(ExprKind::kMap, Id(Advance()));
    bool comma = false;
    ++braces_;
    while (!Is("}") && !stopped_) {
      if (Is(",") && Next().Is("}")) {
        Advance();
        break;
      }
      MapEntry entry;
      entry.optional = Accept("?");
      if (e->entries.empty() && !entry.optional) SetExtras("", "'}', ", ",");
      entry.key = ParseExpr();
      if (!ParseEntryValue(&entry)) break;
      e->entries.push_back(std::move(entry));
      comma = Accept(",");
      if (!comma || !(BeginsUnary(Now()) || Is("?"))) break;
    }
    --braces_;
    Expect("}", comma ? "'}'" : "{'}', ','}");
    return e;
  }

  const ParserOptions& options_;
  TreeBuilder b_;
  int expr_depth_ = 0, relation_depth_ = 0, calc_depth_ = 0, member_depth_ = 0;
};

}  // namespace

Ast Parse(const Source& source, const ParserOptions& options, std::vector<SourceError>* errors) {
  if (source.runes().size() > kMaxCodePoints) {
    errors->push_back({-1, "expression code point size exceeds limit: size: " +
                               std::to_string(source.runes().size()) + ", limit " +
                               std::to_string(kMaxCodePoints)});
    return {};
  }
  return Parser(source, options, errors).Run();
}

}  // namespace ksim::cel
