// FlagSet: the flags and arguments of a command, as data. parse_arguments.cc parses by it, help.cc
// and completion.cc read it. Where a value goes belongs to the command, and outlives the set.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ksim::cli {

// Where a flag's value goes. A bool without Flag::type is a switch: it needs no value.
using FlagTarget =
    std::variant<bool*, int*, std::uint32_t*, std::int64_t*, std::uint64_t*,
                 std::optional<std::uint64_t>*, std::string*, std::vector<std::string>*>;

// A flag, or an argument if its name has no dashes. The setters return the flag itself.
struct Flag {
  Flag(std::string_view names, FlagTarget target, std::string help);

  // The value's name in the help: FILE.
  Flag& Type(std::string name);
  // Accepts only these words, which completion offers; any other is an "unknown NOUN".
  Flag& OneOf(std::vector<std::string> accepted, std::string_view noun = "value");
  // Accepts numbers from `low` to `high`.
  Flag& Range(std::int64_t low, std::int64_t high);
  // Refuses the empty text, as `"" is no NOUN`: what "$UNSET" makes of a flag.
  Flag& NotEmpty(std::string_view noun);
  // Refuses a value for which `problem` gives a text.
  Flag& Check(std::function<std::string(const std::string&)> problem);
  Flag& Required();
  // Splits values at commas.
  Flag& SplitAtCommas();
  // Takes one value each time it is given, and keeps all.
  Flag& Repeated();

  bool is_argument() const { return long_names.empty() && short_names.empty(); }
  bool is_switch() const { return std::holds_alternative<bool*>(target) && type.empty(); }

  std::string names;                                 // "-o,--output", "TRACE"
  std::vector<std::string> short_names, long_names;  // without dashes
  FlagTarget target;
  std::string help, type;
  std::vector<std::string> words;  // of OneOf
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  // Each gives the complaint about a value, "" for none.
  std::vector<std::function<std::string(const std::string&)>> checks;
  bool required = false, split_at_commas = false, repeated = false;
};

// The flags that a command line names, by their first long name: "output".
using GivenFlags = std::set<std::string, std::less<>>;

class FlagSet {
 public:
  // `names`: "-o,--output", or "TRACE" for an argument. The reference stays valid.
  Flag& Add(std::string_view names, FlagTarget target, std::string help);

  // Notes the flags that are given in `given`: a flag may be given its default value.
  void NoteGiven(GivenFlags* given) { given_ = given; }
  GivenFlags* given() const { return given_; }

  const std::deque<Flag>& flags() const { return flags_; }
  // The flag of that name, "--output"; null if there is none.
  const Flag* Find(std::string_view long_name) const;

 private:
  std::deque<Flag> flags_;  // in the order of the help
  GivenFlags* given_ = nullptr;
};

}  // namespace ksim::cli
