#include "ksim/trace/identity.h"

#include <fmt/format.h>

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

// The object that a creation made, out of its leaves.
Value CreatedObject(const Record& commit) {
  const auto changes = ChangesFromTree(commit.Get("changed"));
  return changes.ok() ? value::Apply(Value(), *changes) : Value();
}

// Whether a word stands for the identity, or for IDENTITY~n.
bool IsOneOf(std::string_view meaning, std::string_view identity) {
  if (!meaning.starts_with(identity)) return false;
  meaning.remove_prefix(identity.size());
  return meaning.empty() || (meaning.front() == '~' &&
                             meaning.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

}  // namespace

TraceIdentities::TraceIdentities(const std::vector<Record>& events) {
  for (const Record& r : events)
    if (r.kind == sim::EventKind::kCommit && r.Text("op") == "create") LearnCreation(r);
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
  std::string identity = Join(resource, ns, name);
  if (resource == "events" || resource == "events.events.k8s.io") {
    const Value& about =
        object.Has("regarding") ? object.Get("regarding") : object.Get("involvedObject");
    const std::string whom = fmt::format("{}/{}/{}", about.Get("kind").AsString(), ns,
                                         Normalise(about.Get("name").AsString()));
    const std::string of = fmt::format("{}>events#{}", whom, object.Get("reason").AsString());
    identity = fmt::format("{}#{}", of, ++counters_[of]);
  } else if (!prefix.empty()) {
    std::string owner = OwnerOf(object, ns);
    if (owner.empty()) owner = Join(resource, ns, prefix);
    const std::string of = fmt::format("{}>{}", owner, resource);
    identity = fmt::format("{}#{}", of, ++counters_[of]);
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
  if (r.kind == sim::EventKind::kRuntime) return Normalise(r.Text("pod"));
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
    std::size_t n = 0;
    while (n < text.size() && WordCharacter(text[n])) ++n;
    if (n == 0) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::string word(text.substr(0, n));
    // A full stop at the end of a sentence is no part of the word.
    std::string tail;
    while (!word.empty() && (word.back() == '.' || word.back() == '-')) {
      tail.insert(tail.begin(), word.back());
      word.pop_back();
    }
    const auto it = words_.find(word);
    out += it == words_.end() ? word : it->second;
    out += tail;
    text.remove_prefix(n);
  }
  return out;
}

}  // namespace ksim::trace
