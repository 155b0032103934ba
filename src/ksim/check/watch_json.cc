#include "ksim/check/watch_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/base/status.h"
#include "ksim/check/watch_verdicts.h"
#include "ksim/value/json.h"
#include "ksim/value/json_stream.h"
#include "ksim/value/text.h"

namespace ksim::check {
namespace {

using value::Value;

Span SpanOf(const value::LineColumn& place) {
  Span span;
  span.line = place.line;
  span.column = place.column;
  return span;
}

absl::Status Wrong(const Span& at, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("line {} column {}: {}", at.line, at.column, what));
}

// A resourceVersion: decimal, as long as it likes, without a zero in front.
// Source: apimachinery/pkg/util/resourceversion CompareResourceVersion.
class Revision {
 public:
  Revision() = default;  // before all others
  static std::optional<Revision> Parse(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || text.front() == '0' || !std::all_of(text.begin(), text.end(), digit))
      return std::nullopt;
    Revision r;
    r.digits_ = text;
    return r;
  }
  // The revision of an object.
  static std::optional<Revision> Of(const Value& object) {
    return Parse(object.Get("metadata").Get("resourceVersion").AsString());
  }
  const std::string& text() const { return digits_; }
  bool operator==(const Revision&) const = default;
  std::strong_ordering operator<=>(const Revision& o) const {
    const auto longer = digits_.size() <=> o.digits_.size();
    return longer != 0 ? longer : digits_.compare(o.digits_) <=> 0;
  }

 private:
  std::string digits_;
};

std::string KindOf(const Value& object) {
  return fmt::format("{}/{}", object.Get("apiVersion").AsString(), object.Get("kind").AsString());
}

std::string NameOf(const Value& object) {
  const Value& metadata = object.Get("metadata");
  return fmt::format("{}/{}/{}", object.Get("kind").AsString(),
                     metadata.Get("namespace").AsString(), metadata.Get("name").AsString());
}

// The name with the group: two groups may have a kind of one name.
std::string KeyOf(const Value& object) {
  return fmt::format("{} {}", api::GroupOf(object.Get("apiVersion").AsString()), NameOf(object));
}

class Judge {
 public:
  explicit Judge(bool with_list) : with_list_(with_list), on_list_(with_list) {}

  void TakeList(const Value& list) {
    for (const Value& item : list.Get("items").items()) {
      const Revision rv = Revision::Of(item).value_or(Revision());
      there_[KeyOf(item)] = Version{rv, Uid(item)};
      listed_[KeyOf(item)] = rv;
      list_revision_ = std::max(list_revision_, rv);
    }
    if (const auto own = Revision::Of(list)) list_revision_ = *own;
  }

  absl::Status Take(std::uint64_t n, const Value& event) {
    if (!event.Has("type") && event.Has("kind")) return TakeObject(n, event);
    ++typed_;
    const std::string_view type = event.Get("type").AsString();
    const Value& object = event.Get("object");
    static constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK",
                                                  "ERROR"};
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes) ||
        !object.is_object())
      return absl::InvalidArgumentError(
          fmt::format("event {} is no watch event: want type and object", n));
    if (type == "ERROR") {
      BeginAnew();
      return absl::OkStatus();
    }
    const std::optional<Revision> rv = Revision::Of(object);
    if (!rv)
      return absl::InvalidArgumentError(
          fmt::format("event {} has no decimal metadata.resourceVersion", n));
    if (type == "BOOKMARK")
      TakeBookmark(n, object, *rv);
    else
      TakeChange(n, type, object, *rv);
    return absl::OkStatus();
  }

  std::vector<Verdict> Finish() {
    if (!with_list_)
      verdicts_.CannotJudge("watch.reliable", "it needs the list before the watch (--list FILE)");
    if (typed_ == 0 && objects_ > 0)
      for (const char* name : {"watch.unique", "watch.reliable"})
        verdicts_.CannotJudge(name, "kubectl tells changes apart with --output-watch-events");
    for (const char* name : {"watch.ordered", "watch.unique"})
      if (changes_ == 0) verdicts_.CannotJudge(name, "there is no change in it");
    if (with_list_ && changes_ == 0)
      verdicts_.CannotJudge("watch.reliable", "there is no change in it");
    return verdicts_.Take();
  }

 private:
  struct Version {
    Revision rv;
    std::string uid;
  };
  struct Stream {
    bool initial = true;
    Revision items;  // the newest of those that kubectl listed
    Revision last;   // the newest of the changes and bookmarks
    std::set<std::pair<std::string, Revision>> seen;
  };

  static std::string Uid(const Value& object) {
    return std::string(object.Get("metadata").Get("uid").AsString());
  }

  // An object without the type of an event: kubectl prints the items, and then what each change
  // left, or the last of what was deleted. The first object that comes again shows that the items
  // are over; from there on each is newer than all before it.
  absl::Status TakeObject(std::uint64_t n, const Value& object) {
    if (object.Get("items").is_array())
      return absl::InvalidArgumentError(
          fmt::format("event {} is a list: give it with --list FILE", n));
    const std::optional<Revision> rv = Revision::Of(object);
    if (!rv)
      return absl::InvalidArgumentError(
          fmt::format("event {} has no decimal metadata.resourceVersion", n));
    ++objects_;
    Stream& stream = streams_[KindOf(object)];
    const std::string name = KeyOf(object);
    const bool again = there_.contains(name);
    stream.initial = stream.initial && !again;
    if (!stream.initial) ++changes_;
    // A server of before 1.27 tells of a deletion with the revision of what it deleted.
    const bool deleted = again && *rv == there_[name].rv;
    const Revision newest = std::max(stream.items, stream.last);
    if (!stream.initial && !deleted && *rv <= newest)
      Violate("watch.ordered", n, fmt::format("it comes after revision {}", newest.text()), object,
              *rv);
    (stream.initial ? stream.items : stream.last) = std::max(newest, *rv);
    there_[name] = Version{*rv, Uid(object)};
    return absl::OkStatus();
  }

  // An ERROR does not say whose it is: of every kind, what follows is another watch, after a list
  // of its own or not. What was there says nothing about it.
  void BeginAnew() {
    streams_.clear();
    there_.clear();
    listed_.clear();
    told_.clear();
    on_list_ = false;
  }

  // Whether it is an item of the list that kubectl printed first.
  bool PartOfList(std::string_view type, const std::string& name, const Revision& rv,
                  const std::string& uid, const Stream& stream) {
    if (type != "ADDED") return false;
    const auto it = listed_.find(name);
    if (it == listed_.end()) {
      // Made between the list and kubectl's own, or after both: nothing shows which.
      return stream.initial && !there_.contains(name) && (!on_list_ || rv > list_revision_);
    }
    if (rv < it->second) return false;
    const bool changed_since = rv > it->second;
    if (changed_since && (!stream.initial || there_[name].uid != uid)) return false;
    listed_.erase(it);  // once
    return true;
  }

  void TakeBookmark(std::uint64_t n, const Value& object, const Revision& rv) {
    Stream& stream = streams_[KindOf(object)];
    if (rv < std::max(stream.last, stream.items))
      Violate("watch.ordered", n, "a bookmark goes back", object, rv);
    stream.last = std::max(stream.last, rv);
    stream.initial = false;
  }

  void TakeChange(std::uint64_t n, std::string_view type, const Value& object, const Revision& rv) {
    Stream& stream = streams_[KindOf(object)];
    const std::string name = KeyOf(object);
    if (PartOfList(type, name, rv, Uid(object), stream)) {
      there_[name] = Version{rv, Uid(object)};
      told_.insert(name);
      stream.seen.emplace(name, rv);
      stream.items = std::max(stream.items, rv);
      return;
    }
    ++changes_;
    stream.initial = false;
    if (!stream.seen.emplace(name, rv).second) {
      Violate("watch.unique", n, fmt::format("{} comes again", type), object, rv);
    } else if (const std::string what = OutOfOrder(rv, stream); !what.empty()) {
      Violate("watch.ordered", n, fmt::format("{} comes after {}", type, what), object, rv);
    } else if (on_list_ || told_.contains(name)) {
      JudgePresence(n, type, object, rv);
    }
    told_.insert(name);
    stream.last = std::max(stream.last, rv);
    if (type == "DELETED")
      there_.erase(name);
    else
      there_[name] = Version{rv, Uid(object)};
  }

  // The event that should have come later, in words; "" = the order is right.
  std::string OutOfOrder(const Revision& rv, const Stream& stream) const {
    if (rv <= stream.last) return fmt::format("revision {}", stream.last.text());
    if (on_list_ && rv <= list_revision_)
      return fmt::format("the list at revision {}", list_revision_.text());
    if (rv <= stream.items) return fmt::format("an ADDED at revision {}", stream.items.text());
    return "";
  }

  void JudgePresence(std::uint64_t n, std::string_view type, const Value& object,
                     const Revision& rv) {
    const auto it = there_.find(KeyOf(object));
    std::string what;
    if (type == "ADDED" && it != there_.end())
      what = "ADDED, and it was there: its deletion is missing";
    if (type != "ADDED" && it == there_.end())
      what = fmt::format("{}, and it was not there: its creation is missing", type);
    if (type != "ADDED" && it != there_.end() && it->second.uid != Uid(object))
      what = fmt::format("{} with another uid: a deletion and a creation are missing", type);
    if (!what.empty()) Violate("watch.reliable", n, what, object, rv);
  }

  void Violate(std::string_view oracle, std::uint64_t n, const std::string& what,
               const Value& object, const Revision& rv) {
    verdicts_.Violate(oracle, n, NameOf(object),
                      fmt::format("{} at revision {}: {}", NameOf(object), rv.text(), what));
  }

  bool with_list_;
  bool on_list_;  // what the list says holds still
  Revision list_revision_;
  std::uint64_t changes_ = 0, typed_ = 0, objects_ = 0;  // with and without the type of an event
  std::map<std::string, Version> there_;
  std::set<std::string> told_;  // names, of this watch: of these it shows whether they are there
  std::map<std::string, Revision> listed_;  // items not printed as ADDED so far
  std::map<std::string, Stream> streams_;   // by apiVersion/kind
  WatchVerdicts verdicts_;
};

// Whether a value that does not end is one of which the rest is missing, rather than a wrong one.
bool CutShort(std::string_view rest, const Span& error, std::string_view what) {
  if (rest.find("\n{") != std::string_view::npos) return false;  // the next one begins in it
  if (what.find("unexpected end") != std::string_view::npos ||
      what.find("is not closed") != std::string_view::npos)
    return true;
  constexpr int kWord = 6;  // a word or an escape may be cut as well
  const Span end = SpanOf(value::PlaceOf(rest, rest.size()));
  return error.line == end.line && error.column + kWord >= end.column;
}

std::string Missing(const JsonStream& stream, const Span& begin) {
  return fmt::format(
      "cut in the middle of the object that begins in line {}; {} before it can be "
      "read",
      begin.line, stream.values.size());
}

}  // namespace

absl::StatusOr<JsonStream> ParseJsonStream(std::string_view text) {
  JsonStream out;
  value::Places places(text);
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return out;
    const std::string_view rest = text.substr(at);
    const Span begin = SpanOf(places.Of(at));
    if (rest.front() != '{') return Wrong(begin, "expected '{', the beginning of an object");
    const std::size_t length = value::JsonObjectLength(rest);
    absl::StatusOr<Value> value = value::ParseJson(rest.substr(0, length));
    if (!value.ok()) {
      std::string_view what = Message(value.status());
      Span error = TakePlace(&what);  // in `rest`
      if (length == std::string_view::npos && CutShort(rest, error, what)) {
        out.missing = Missing(out, begin);
        return out;
      }
      if (error.line == 1) error.column += begin.column - 1;
      error.line += begin.line - 1;
      return Wrong(error, what);
    }
    out.values.push_back(*std::move(value));
    out.places.push_back(begin);
    at += length;
  }
}

absl::StatusOr<Value> ParseJsonList(std::string_view text) {
  ASSIGN_OR_RETURN(JsonStream stream, ParseJsonStream(text));
  const Span begin = stream.places.empty() ? Span{1, 1} : stream.places.front();
  if (!stream.missing.empty()) return Wrong(begin, stream.missing);
  if (stream.values.size() != 1 || !stream.values.front().Get("items").is_array())
    return Wrong(begin, "want one List, as `kubectl get pods -o json` prints it");
  const Value& list = stream.values.front();
  for (const Value& item : list.Get("items").items())
    if (!Revision::Of(item))
      return Wrong(begin,
                   fmt::format("the list's {} has no decimal resourceVersion", NameOf(item)));
  const Value& own = list.Get("metadata").Get("resourceVersion");
  if (!own.AsString().empty() && !Revision::Of(list))
    return Wrong(begin, "the list's metadata.resourceVersion is not decimal");
  return list;
}

absl::StatusOr<std::vector<Verdict>> JudgeWatchJson(const JsonStream& events, const Value& list) {
  Judge judge(!list.is_null());
  judge.TakeList(list);
  for (std::size_t i = 0; i < events.values.size(); ++i) {
    const absl::Status taken = judge.Take(i + 1, events.values[i]);
    if (!taken.ok()) return Wrong(events.places[i], Message(taken));
  }
  return judge.Finish();
}

}  // namespace ksim::check
