#include "ksim/check/watch_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using value::Value;

// The length of the JSON object at the beginning of `text`; npos if it does not end.
std::size_t ObjectLength(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::size_t LineOf(std::string_view whole, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + at, '\n'));
}

bool ParseRevision(std::string_view text, std::int64_t* out) {
  if (text.empty() || text.size() > 18) return false;
  *out = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    *out = *out * 10 + (c - '0');
  }
  return true;
}

std::string KindOf(const Value& object) {
  return fmt::format("{}/{}", object.Get("apiVersion").AsString(), object.Get("kind").AsString());
}

std::string NameOf(const Value& object) {
  const Value& metadata = object.Get("metadata");
  return fmt::format("{}/{}/{}", object.Get("kind").AsString(),
                     metadata.Get("namespace").AsString(), metadata.Get("name").AsString());
}

class Judge {
 public:
  explicit Judge(bool with_list) : with_list_(with_list) {
    Make("watch.ordered");
    Make("watch.unique");
    Make("watch.reliable");
  }

  absl::Status TakeList(const Value& list) {
    for (const Value& item : list.Get("items").items()) {
      std::int64_t rv = 0;
      if (!ParseRevision(item.Get("metadata").Get("resourceVersion").AsString(), &rv))
        return absl::InvalidArgumentError(
            fmt::format("the list's {} has no decimal resourceVersion", NameOf(item)));
      there_[NameOf(item)] = Version{rv, Uid(item)};
      listed_[NameOf(item)] = rv;
      list_revision_ = std::max(list_revision_, rv);
    }
    const std::string_view own = list.Get("metadata").Get("resourceVersion").AsString();
    if (!own.empty() && !ParseRevision(own, &list_revision_))
      return absl::InvalidArgumentError("the list's metadata.resourceVersion is not decimal");
    return absl::OkStatus();
  }

  absl::Status Take(std::uint64_t n, const Value& event) {
    const std::string_view type = event.Get("type").AsString();
    const Value& object = event.Get("object");
    static constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK",
                                                  "ERROR"};
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes) ||
        !object.is_object())
      return absl::InvalidArgumentError(
          fmt::format("event {} is no watch event: want type and object", n));
    if (type == "ERROR") return absl::OkStatus();
    std::int64_t rv = 0;
    if (!ParseRevision(object.Get("metadata").Get("resourceVersion").AsString(), &rv))
      return absl::InvalidArgumentError(
          fmt::format("event {} has no decimal metadata.resourceVersion", n));
    Stream& stream = streams_[KindOf(object)];
    if (type == "BOOKMARK") {
      if (rv < stream.last) Violate("watch.ordered", n, "a bookmark goes back", object, rv);
      stream.last = std::max(stream.last, rv);
      stream.initial = false;
      return absl::OkStatus();
    }
    TakeChange(n, type, object, rv, &stream);
    return absl::OkStatus();
  }

  std::vector<Verdict> Finish() {
    Verdict& reliable = verdicts_["watch.reliable"];
    if (!with_list_ && reliable.findings.empty())
      NotJudged(&reliable, "it needs the list before the watch (--list FILE)");
    for (const char* name : {"watch.ordered", "watch.unique"})
      if (changes_ == 0) NotJudged(&verdicts_[name], "there is no change in it");
    if (with_list_ && changes_ == 0) NotJudged(&reliable, "there is no change in it");
    std::vector<Verdict> out;
    for (const OracleEntry& entry : AllOracles()) {
      const auto it = verdicts_.find(std::string(entry.info->name));
      if (it != verdicts_.end()) {
        out.push_back(std::move(it->second));
        continue;
      }
      Verdict v;
      v.oracle = std::string(entry.info->name);
      v.guarantee = entry.info->guarantee;
      NotJudged(&v, "a watch alone does not show it");
      out.push_back(std::move(v));
    }
    return out;
  }

 private:
  struct Version {
    std::int64_t rv = 0;
    std::string uid;
  };
  struct Stream {
    bool initial = true;
    std::int64_t last = 0;
    std::set<std::pair<std::string, std::int64_t>> seen;
  };

  static std::string Uid(const Value& object) {
    return std::string(object.Get("metadata").Get("uid").AsString());
  }

  void Make(const char* name) {
    verdicts_[name].oracle = name;
    verdicts_[name].guarantee = FindOracle(name)->info->guarantee;
  }

  static void NotJudged(Verdict* v, std::string why) {
    if (v->state == Verdict::State::kViolated) return;
    v->state = Verdict::State::kNotJudged;
    v->why = std::move(why);
  }

  // Whether it is an item of the list that kubectl printed first.
  bool PartOfList(std::string_view type, const std::string& name, std::int64_t rv,
                  const std::string& uid, const Stream& stream) {
    if (type != "ADDED") return false;
    if (!with_list_) return stream.initial && there_.find(name) == there_.end();
    const auto it = listed_.find(name);
    if (it == listed_.end() || rv < it->second) return false;
    const bool changed_since = rv > it->second;
    if (changed_since && (!stream.initial || there_[name].uid != uid)) return false;
    listed_.erase(it);  // once
    return true;
  }

  void TakeChange(std::uint64_t n, std::string_view type, const Value& object, std::int64_t rv,
                  Stream* stream) {
    const std::string name = NameOf(object);
    if (PartOfList(type, name, rv, Uid(object), *stream)) {
      there_[name] = Version{rv, Uid(object)};
      stream->seen.emplace(name, rv);
      return;
    }
    ++changes_;
    stream->initial = false;
    if (!stream->seen.emplace(name, rv).second) {
      Violate("watch.unique", n, fmt::format("{} comes again", type), object, rv);
    } else if (rv <= stream->last) {
      Violate("watch.ordered", n, fmt::format("{} comes after revision {}", type, stream->last),
              object, rv);
    } else if (with_list_ && rv <= list_revision_) {
      Violate("watch.ordered", n,
              fmt::format("{} comes after the list at revision {}", type, list_revision_), object,
              rv);
    } else {
      if (with_list_) JudgePresence(n, type, object, rv);
    }
    stream->last = std::max(stream->last, rv);
    if (type == "DELETED")
      there_.erase(name);
    else
      there_[name] = Version{rv, Uid(object)};
  }

  void JudgePresence(std::uint64_t n, std::string_view type, const Value& object, std::int64_t rv) {
    const auto it = there_.find(NameOf(object));
    std::string what;
    if (type == "ADDED" && it != there_.end())
      what = "ADDED, and it was there: its deletion is missing";
    if (type != "ADDED" && it == there_.end())
      what = fmt::format("{}, and it was not there: its creation is missing", type);
    if (type != "ADDED" && it != there_.end() && it->second.uid != Uid(object))
      what = fmt::format("{} with another uid: a deletion and a creation are missing", type);
    if (!what.empty()) Violate("watch.reliable", n, what, object, rv);
  }

  void Violate(const std::string& oracle, std::uint64_t n, const std::string& what,
               const Value& object, std::int64_t rv) {
    Verdict& v = verdicts_[oracle];
    v.state = Verdict::State::kViolated;
    Finding f;
    f.violation.oracle = oracle;
    f.violation.message =
        fmt::format("event {}: {} at revision {}: {}", n, NameOf(object), rv, what);
    f.violation.objects = {NameOf(object)};
    f.violation.first = n;
    f.seq = n;
    v.findings.push_back(std::move(f));
  }

  bool with_list_;
  std::int64_t list_revision_ = 0;
  std::uint64_t changes_ = 0;
  std::map<std::string, Version> there_;
  std::map<std::string, std::int64_t> listed_;  // items not printed as ADDED so far
  std::map<std::string, Stream> streams_;       // by apiVersion/kind
  std::map<std::string, Verdict> verdicts_;
};

}  // namespace

absl::StatusOr<std::vector<Value>> ParseJsonStream(std::string_view text) {
  std::vector<Value> out;
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return out;
    const std::string_view rest = text.substr(at);
    if (rest.front() != '{')
      return absl::InvalidArgumentError(
          fmt::format("line {}: expected '{{', the beginning of an object", LineOf(text, at)));
    const std::size_t length = ObjectLength(rest);
    if (length == std::string_view::npos)
      return absl::InvalidArgumentError(
          fmt::format("line {}: the object that begins here does not end", LineOf(text, at)));
    absl::StatusOr<Value> value = value::ParseJson(rest.substr(0, length));
    if (!value.ok())
      return absl::InvalidArgumentError(
          fmt::format("in the object at line {}: {}", LineOf(text, at), Message(value.status())));
    out.push_back(*std::move(value));
    at += length;
  }
}

absl::StatusOr<std::vector<Verdict>> JudgeWatchJson(const std::vector<Value>& events,
                                                    const Value& list) {
  Judge judge(!list.is_null());
  if (!list.is_null()) RETURN_IF_ERROR(judge.TakeList(list));
  for (std::size_t i = 0; i < events.size(); ++i) RETURN_IF_ERROR(judge.Take(i + 1, events[i]));
  return judge.Finish();
}

}  // namespace ksim::check
