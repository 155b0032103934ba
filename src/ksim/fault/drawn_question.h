// DrawnQuestion: one event of a fuzzed run, and the question whether one kind of fault fires there,
// and how big. The verbs ask it (DrawnRule), and so do the motifs.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "ksim/fault/drawn_faults.h"
#include "ksim/value/value.h"

namespace ksim::fault {

// How many answers a question about a length has: none, or one of kLengths.
inline constexpr std::uint32_t kSizes = kLengths.size() + 1;

inline value::Value Text(std::string_view text) { return value::Value::Of(std::string(text)); }

// The length that an answer from 1 stands for, as an argument.
inline value::Value LengthOf(std::uint32_t answer) {
  return Text(FormatDuration(kLengths[answer - 1]));
}

// A client's watches of a resource, as arguments.
inline value::Value StreamOf(std::string_view client, std::string_view resource) {
  return value::Obj({{"client", Text(client)}, {"resource", Text(resource)}});
}

class DrawnQuestion {
 public:
  using Moment = DrawnFaults::Moment;
  using Action = DrawnFaults::Action;
  DrawnQuestion(DrawnFaults& faults, int kind, const Moment& at)
      : faults_(faults), kind_(kind), at_(at) {}

  // The event and its subject; DrawnPoint says which of these fields are set.
  const sim::Event& event() const { return at_.event; }
  std::string_view client() const { return at_.client; }
  std::string_view server() const { return at_.server; }
  std::string_view resource() const { return at_.resource; }
  std::string_view verb() const { return at_.verb; }
  // The component that wrote the object of a commit last, before this one; "" = none did.
  std::string_view last_writer() const { return at_.last_writer; }
  Cluster& cluster() const { return faults_.cluster_; }

  // The answer, below `n`; 0: nothing happens. `subject` is what the site names, beside the kind.
  std::uint32_t Ask(std::string_view subject, std::uint32_t n) const {
    return faults_.Ask(kind_, faults_.About(subject, at_.object), n);
  }
  // The same about CLIENT/RESOURCE.
  std::uint32_t AskAboutStream(std::uint32_t n) const { return faults_.Ask(kind_, at_.stream, n); }
  // A fault of the verb fires when the step that emitted the event returns.
  void Fire(std::string_view verb, value::Value args) const {
    faults_.Fire(at_.event, verb, std::move(args));
  }

  // --- for motifs (drawn_motifs.cc) ---
  // Fires a fault at a later event.
  static void FireAt(DrawnFaults& faults, const sim::Event& e, std::string_view verb,
                     value::Value args) {
    faults.Fire(e, verb, std::move(args));
  }
  // Calls `act` at the client's next delivery of the resource, or when its next watch begins.
  void Await(std::string client, std::string resource, Action act) const {
    faults_.motifs_.awaited.push_back(
        {std::move(client), std::move(resource), false, std::move(act)});
  }
  // The same when a deletion is delivered.
  void AwaitDeletion(std::string client, std::string resource, Action act) const {
    faults_.motifs_.awaited.push_back(
        {std::move(client), std::move(resource), true, std::move(act)});
  }
  DrawnFaults& faults() const { return faults_; }
  DrawnFaults::MotifState& motifs() const { return faults_.motifs_; }

 private:
  DrawnFaults& faults_;
  int kind_;
  const Moment& at_;
};

}  // namespace ksim::fault
