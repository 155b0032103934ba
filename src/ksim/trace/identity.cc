#include "ksim/trace/identity.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/trace/changes.h"
#include "ksim/value/diff.h"

namespace ksim::trace {
namespace {

using value::Value;

std::string Join(std::string_view resource, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", resource, ns, name);
}

bool WordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.';
}

// Takes the first word off the text, without the full stop of a sentence; "" if none begins there.
std::string_view TakeWord(std::string_view* text) {
  std::size_t n = 0;
  while (n < text->size() && WordCharacter((*text)[n])) ++n;
  while (n > 0 && ((*text)[n - 1] == '.' || (*text)[n - 1] == '-')) --n;
  const std::string_view word = text->substr(0, n);
  text->remove_prefix(n);
  return word;
}

bool AllOf(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

bool IsAddress(std::string_view word) {
  return std::count(word.begin(), word.end(), '.') == 3 && AllOf(word, "0123456789.");
}

// Neither a uid nor the name of an object, and another in each run.
bool IsHandedOut(std::string_view word) {
  constexpr std::string_view kTokenVolume = "kube-api-access-";
  constexpr std::size_t kSuffix = 5, kSha256 = 64;
  if (word.starts_with(kTokenVolume)) return word.size() == kTokenVolume.size() + kSuffix;
  return IsAddress(word) || (word.size() == kSha256 && AllOf(word, "0123456789abcdef"));
}

// "1.616s", "1m2.5s", "145.3ms": what took so long. A whole number was configured.
bool IsMeasuredDuration(std::string_view word) {
  return word.ends_with('s') && word.find('.') != std::string_view::npos && word.front() >= '0' &&
         word.front() <= '9' && AllOf(word, "0123456789.hms");
}

// The object that a creation made, out of its leaves.
Value CreatedObject(const Record& commit) {
  const auto changes = ChangesFromTree(commit.Get("changed"));
  return changes.ok() ? value::Apply(Value(), *changes) : Value();
}

// The hash of a template that an object's name ends with; "" if it ends with none.
std::string_view HashInName(const Value& object, std::string_view name) {
  const Value& labels = object.Get("metadata").Get("labels");
  for (const char* label :
       {"pod-template-hash", "controller-revision-hash", "controller.kubernetes.io/hash"}) {
    const std::string_view hash = labels.Get(label).AsString();
    if (!hash.empty() && name.ends_with(hash)) return hash;
  }
  return "";
}

std::string_view BeforeHash(std::string_view name, std::string_view hash) {
  return name.substr(0, name.size() - hash.size());
}

// Whether a word stands for the identity, for IDENTITY~n or for IDENTITY:PATH#n.
bool IsOneOf(std::string_view meaning, std::string_view identity) {
  if (!meaning.starts_with(identity)) return false;
  meaning.remove_prefix(identity.size());
  if (meaning.empty() || meaning.front() == ':') return true;
  return meaning.front() == '~' &&
         meaning.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

TraceIdentities::TraceIdentities(const std::vector<Record>& events, HashNames hash_names)
    : hash_names_(hash_names) {
  for (const Record& r : events) {
    if (r.kind != sim::EventKind::kCommit) continue;
    if (r.Text("op") == "create") LearnCreation(r);
    const std::string identity = Of(r);
    for (const Value& change : r.Get("changed").items())
      LearnHandedOut(change.Get("new"), identity, change.Get("path").AsString());
  }
}

void TraceIdentities::LearnHandedOut(const Value& written, const std::string& identity,
                                     std::string_view path) {
  if (written.is_array())
    for (const Value& item : written.items()) LearnHandedOut(item, identity, path);
  if (written.is_object())
    for (const Value::Member& m : written.members()) LearnHandedOut(m.value, identity, path);
  std::string_view text = written.AsString();
  while (!text.empty()) {
    const std::string_view word = TakeWord(&text);
    if (word.empty()) {
      text.remove_prefix(1);
    } else if (IsHandedOut(word) && !words_.contains(std::string(word))) {
      const std::string place = fmt::format("{}:{}", identity, path);
      words_.emplace(word, fmt::format("{}#{}", place, ++counters_[place]));
    }
  }
}

std::string TraceIdentities::OwnerOf(const Value& object, std::string_view ns) const {
  for (const Value& owner : object.Get("metadata").Get("ownerReferences").items()) {
    if (!owner.Get("controller").AsBool()) continue;
    const auto it = words_.find(std::string(owner.Get("uid").AsString()));
    if (it != words_.end()) return it->second;
    return Join(owner.Get("kind").AsString(), ns, owner.Get("name").AsString());
  }
  return "";
}

void TraceIdentities::LearnCreation(const Record& commit) {
  const std::string resource(commit.Text("resource"));
  const std::string_view ns = commit.Text("namespace"), name = commit.Text("name");
  const Value object = CreatedObject(commit);
  const std::string_view prefix = object.Get("metadata").Get("generateName").AsString();
  const std::string_view hash =
      hash_names_ == HashNames::kAreGenerated ? HashInName(object, name) : std::string_view();
  std::string identity = Join(resource, ns, name);
  const auto known = identities_.find(identity);
  if (resource == "events" || resource == "events.events.k8s.io") {
    const Value& about =
        object.Has("regarding") ? object.Get("regarding") : object.Get("involvedObject");
    const std::string whom = fmt::format("{}/{}/{}", about.Get("kind").AsString(), ns,
                                         Normalise(about.Get("name").AsString()));
    const std::string of = fmt::format("{}>events#{}", whom, object.Get("reason").AsString());
    identity = fmt::format("{}#{}", of, ++counters_[of]);
  } else if (known != identities_.end()) {
    identity = known->second;  // a StatefulSet's pods have a generateName, and fixed names
  } else if (!prefix.empty() || !hash.empty()) {
    std::string owner = OwnerOf(object, ns);
    if (owner.empty()) owner = Join(resource, ns, prefix.empty() ? BeforeHash(name, hash) : prefix);
    const std::string of = fmt::format("{}>{}", owner, resource);
    identity = fmt::format("{}#{}", of, ++counters_[of]);
    if (!hash.empty()) words_.try_emplace(std::string(hash), identity + ":hash");
  }
  identities_[Join(resource, ns, name)] = identity;
  if (const std::string_view key = commit.Text("key"); !key.empty())
    keys_[std::string(key)] = identity;
  LearnUid(object.Get("metadata").Get("uid").AsString(), identity);
  if (identity != Join(resource, ns, name)) {
    generated_[std::string(name)] = identity;
    words_[std::string(name)] = identity;
  }
}

// A uid that comes again keeps what it stood for first: so the second object is another than one
// that has a uid of its own.
void TraceIdentities::LearnUid(std::string_view uid, const std::string& identity) {
  const std::uint64_t n = ++creations_[identity];
  if (uid.empty()) return;
  words_.try_emplace(std::string(uid), n == 1 ? identity : fmt::format("{}~{}", identity, n));
}

void TraceIdentities::ForgetWhatLacksCreation(const std::vector<Record>& mentions,
                                              const TraceIdentities& there) {
  for (const Record& r : mentions) {
    const std::string_view name = r.Text("name");
    if (name.empty()) continue;
    const std::string plain = Join(r.Text("resource"), r.Text("namespace"), name);
    const auto known = identities_.find(plain);
    if (known == identities_.end() || there.identities_.count(plain) != 0) continue;
    const auto stands_for_it = [&identity = known->second](const auto& word) {
      return IsOneOf(word.second, identity);
    };
    std::erase_if(words_, stands_for_it);
    std::erase_if(keys_, stands_for_it);
    generated_.erase(std::string(name));
    identities_.erase(known);
  }
}

std::string TraceIdentities::Of(std::string_view resource, std::string_view ns,
                                std::string_view name) const {
  if (resource.empty()) return "";
  std::string plain = Join(resource, ns, name);
  const auto it = identities_.find(plain);
  return it == identities_.end() ? plain : it->second;
}

std::string TraceIdentities::Of(const Record& r) const {
  if (r.kind == sim::EventKind::kReconcile) return Normalise(r.Text("key"));
  if (r.kind == sim::EventKind::kRuntime || r.kind == sim::EventKind::kLog)
    return Normalise(r.Text("pod"));
  if (!r.Get("resource").is_string()) return OfKey(r.Text("key"));
  const std::string_view name = r.Text("name");
  if (name.empty()) return fmt::format("{}/{}", r.Text("resource"), r.Text("namespace"));
  return Of(r.Text("resource"), r.Text("namespace"), name);
}

std::string TraceIdentities::OfKey(std::string_view key) const {
  const auto it = keys_.find(std::string(key));
  return it == keys_.end() ? std::string(key) : it->second;
}

std::string TraceIdentities::Normalise(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::string_view word = TakeWord(&text);
    if (word.empty()) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    const auto it = words_.find(std::string(word));
    if (it != words_.end())
      out += it->second;
    else
      out += IsMeasuredDuration(word) ? "(duration)" : word;
  }
  return out;
}

}  // namespace ksim::trace
