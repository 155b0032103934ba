#include "ksim/fuzz/wrong_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "ksim/api/core/verbs.h"
#include "ksim/base/time.h"
#include "ksim/check/knowledge.h"
#include "ksim/fuzz/deeds.h"
#include "ksim/fuzz/failure_place.h"
#include "ksim/fuzz/lost_write.h"
#include "ksim/fuzz/syncs.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/identity.h"

namespace ksim::fuzz {
namespace {

using sim::EventKind;
using trace::Record;
using trace::Trace;

constexpr std::size_t kMostLines = 5;

std::string At(const Record& r) { return FormatTime(VirtualTime(r.t)); }

class Search {
 public:
  Search(const Trace& failing, const Trace& passing, const CampaignFinding& finding)
      : failing_(failing),
        passing_(passing),
        finding_(finding),
        syncs_(failing),
        passing_syncs_(passing),
        diff_(trace::Compare(failing, passing, trace::DiffOptions())),
        identities_(failing.events) {
    for (const std::string& o : finding.objects) subjects_.push_back(IdentityOf(o));
    // The message of an informer or a watch says who reads what: "kube-scheduler pods is refused".
    reads_ = finding.oracle.starts_with("informer.") || finding.oracle.starts_with("watch.");
  }

  std::optional<WrongStep> Find() {
    const std::optional<Blamed> blamed = WhatBrokeIt();
    if (blamed && blamed->step != nullptr) return Tell(*blamed->step);
    if (blamed && blamed->write != nullptr) return TellWritten(*blamed);
    const trace::Difference* first = nullptr;
    for (const bool about_it : {true, false}) {
      if (!about_it && !blamed)
        if (const std::optional<std::size_t> lost = FindLostWrite(failing_, passing_))
          return TellLost(*lost);
      for (const trace::Difference& d : diff_.differences) {
        if (d.start_up || (d.told && !reads_) || !IsDeedOf(d)) continue;
        if ((about_it && !IsAbout(d)) || IsElsewhere(d)) continue;
        if (first == nullptr || TimeOf(d) < TimeOf(*first)) first = &d;
      }
      if (first != nullptr) return Tell(*first);
    }
    if (blamed) return TellAtAnotherTime(blamed->deed);
    return std::nullopt;
  }

 private:
  // The deed that the oracle blames, and where the run that passes differs: in the deed, or in what
  // was written by it.
  struct Blamed {
    std::size_t deed = 0;
    const trace::Difference* step = nullptr;
    const trace::Difference* write = nullptr;
  };

  const Record& Left(const trace::Difference& d) const { return failing_.events[*d.left]; }
  const Record& Right(const trace::Difference& d) const { return passing_.events[*d.right]; }
  std::int64_t TimeOf(const trace::Difference& d) const { return d.left ? Left(d).t : Right(d).t; }
  bool IsDeedOf(const trace::Difference& d) const {
    const Record& r = d.left ? Left(d) : Right(d);
    if (!reads_) return IsDeed(r);
    return r.kind == EventKind::kRequest && api::IsRead(r.Text("verb")) &&
           finding_.message.starts_with(
               fmt::format("{} {}", trace::ProcessOf(r.actor), r.Text("resource")));
  }
  // The same request, to another server.
  static bool IsElsewhere(const trace::Difference& d) {
    return d.left && d.right && d.fields == std::vector<std::string>{"server"};
  }

  std::string IdentityOf(const std::string& object) const {
    const std::size_t first = object.find('/'), last = object.rfind('/');
    if (first == std::string::npos) return object;
    const std::string ns = first == last ? "" : object.substr(first + 1, last - first - 1);
    return identities_.Of(object.substr(0, first), ns, object.substr(last + 1));
  }

  // Whether it is about an object of the finding, its owner, or what it owns.
  bool IsAbout(const trace::Difference& d) const {
    if (reads_) return true;
    const auto within = [](std::string_view child, std::string_view owner) {
      return child.size() > owner.size() && child.starts_with(owner) && child[owner.size()] == '>';
    };
    return std::any_of(subjects_.begin(), subjects_.end(), [&](const std::string& subject) {
      return d.object == subject || within(d.object, subject) || within(subject, d.object);
    });
  }

  // A liveness oracle blames a write alone, from which on something did not hold any more, and only
  // if the run that passes writes something else there.
  std::optional<Blamed> WhatBrokeIt() const {
    if (!failing_.end) return std::nullopt;
    for (const trace::Violation& v : failing_.end->violations) {
      if (v.oracle != finding_.oracle || PlaceOf(v) != finding_.place) continue;
      if (v.first == 0 || v.first > failing_.events.size()) continue;
      const std::size_t at = v.first - 1;
      if (!finding_.safety && failing_.events[at].kind != EventKind::kCommit) continue;
      for (const std::size_t i : trace::CauseChain(failing_, at)) {
        if (!IsDeed(failing_.events[i])) continue;
        Blamed out;
        out.deed = i;
        for (const trace::Difference& d : diff_.differences) {
          if (d.left == i && !d.told) out.step = &d;
          if (d.left == at && failing_.events[at].kind == EventKind::kCommit &&
              (!d.right || !Written(d).empty()))
            out.write = &d;
        }
        if (finding_.safety || out.write != nullptr) return out;
        break;
      }
    }
    return std::nullopt;
  }

  // The places that two commits differ in, without those that a server fills in.
  static std::vector<std::string> Written(const trace::Difference& commits) {
    std::vector<std::string> out;
    for (const std::string& change : commits.changes)
      if (!change.starts_with("metadata.resourceVersion") &&
          !change.starts_with("metadata.managedFields") && !change.starts_with("metadata.uid") &&
          !change.starts_with("metadata.creationTimestamp"))
        out.push_back(change);
    return out;
  }

  WrongStep Tell(const trace::Difference& d) const { return d.left ? TellDone(d) : TellMissing(d); }

  WrongStep TellDone(const trace::Difference& d) const {
    if (!d.right) return TellDeed(*d.left, "In the run that passes it does not.");
    return TellDeed(*d.left,
                    fmt::format("In the run that passes it does so at {}, with another {}.",
                                At(Right(d)), fmt::join(d.fields, ", ")));
  }

  WrongStep TellWritten(const Blamed& blamed) const {
    if (!blamed.write->right)
      return TellDeed(blamed.deed, "In the run that passes nothing is written by that.");
    std::vector<std::string> written = Written(*blamed.write);
    if (written.size() > kMostLines) written.resize(kMostLines);
    return TellDeed(blamed.deed,
                    fmt::format("In the run that passes something else is written (here -> there): "
                                "{}.",
                                fmt::join(written, ", ")));
  }

  // The same step, which was right at the time at which the run that passes has it.
  WrongStep TellAtAnotherTime(std::size_t i) const {
    for (const Record& r : passing_.events)
      if (IsLike(r, failing_.events[i]))
        return TellDeed(i, r.t == failing_.events[i].t
                               ? "In the run that passes it does so, too: what was there differs."
                               : fmt::format("In the run that passes it does so at {}.", At(r)));
    return TellDeed(i, "In the run that passes it does not.");
  }

  WrongStep TellLost(std::size_t i) const {
    const Record& write = failing_.events[i];
    std::string answer = "is not answered";
    for (std::size_t j = i; j < failing_.events.size(); ++j) {
      const Record& r = failing_.events[j];
      if (r.kind != EventKind::kResponse || r.Int("id") != write.Int("id")) continue;
      if (r.Int("code") != 0) answer = fmt::format("is answered {}", r.Int("code"));
      break;
    }
    return TellDeed(i,
                    fmt::format("That {}, and it never does so again with success. In the run "
                                "that passes it is stored.",
                                answer),
                    failing_.events.size());
  }

  // With what it logged until `end`; 0: until it did it.
  WrongStep TellDeed(std::size_t i, const std::string& there, std::size_t end = 0) const {
    const Record& deed = failing_.events[i];
    WrongStep out;
    out.what = Short(deed, Does(VerbOf(deed)));
    const Sync sync = syncs_.Of(i);
    out.text = fmt::format("The step that went wrong: at {} {} {} (event {}). {}\n", At(deed),
                           Doer(deed.actor, syncs_.KeyOf(sync)), DeedText(failing_, deed), deed.seq,
                           there);
    return With(std::move(out), deed.actor, sync.begin == Sync::kNone ? i : sync.begin,
                end == 0 ? i : end);
  }

  WrongStep TellMissing(const trace::Difference& d) const {
    const Record& deed = Right(d);
    WrongStep out;
    out.what = Short(deed, fmt::format("does not {}", VerbOf(deed)));
    const std::string key = passing_syncs_.KeyOf(passing_syncs_.Of(*d.right));
    out.text = fmt::format("The step that is missing: in the run that passes, at {}, {} {}. ",
                           At(deed), Doer(deed.actor, key), DeedText(passing_, deed));
    const std::size_t end = failing_.events.size();
    const Sync sync = key.empty() ? Sync() : syncs_.Last(deed.actor, key, end);
    if (sync.begin == Sync::kNone) {
      out.text +=
          key.empty() ? "Here it does not.\n" : fmt::format("Here it never works on {}.\n", key);
      return With(std::move(out), deed.actor, end, end);
    }
    const Record& begin = syncs_.at(sync.begin);
    out.text += fmt::format("Here it works on {} for the last time at {} (event {}), and {}.\n",
                            key, At(begin), begin.seq, Outcome(sync));
    // Nothing that it was told after that brought it to look again.
    const std::size_t moment = begin.t < deed.t ? end : sync.begin;
    return With(std::move(out), deed.actor, moment, end);
  }

  std::string Outcome(const Sync& sync) const {
    const std::vector<std::size_t> deeds = syncs_.DeedsOf(sync);
    std::string out;
    for (const std::size_t i : deeds)
      out += fmt::format("{}{}", out.empty() ? "" : ", ", DeedText(failing_, syncs_.at(i)));
    if (out.empty()) out = "writes nothing";
    if (sync.end == Sync::kNone) return out + ", and does not come to an end";
    const std::string_view result = syncs_.at(sync.end).Text("result");
    return result.empty() || result == "ok" ? out : fmt::format("{} ({})", out, result);
  }

  // "`kube-controller-manager/replicaset` works on default/web and".
  static std::string Doer(const std::string& actor, const std::string& key) {
    return key.empty() ? fmt::format("`{}`", actor)
                       : fmt::format("`{}` works on {} and", actor, key);
  }

  static std::string Short(const Record& deed, const std::string& does) {
    const std::string_view part = trace::PartOf(deed.actor);
    return Generalised(fmt::format("{} {} {}", part.empty() ? std::string_view(deed.actor) : part,
                                   does, ResourceOf(deed)));
  }

  // With what the actor knew at `begin`, and the lines that it had logged by `end`.
  WrongStep With(WrongStep out, const std::string& actor, std::size_t begin,
                 std::size_t end) const {
    out.text += Known(trace::ProcessOf(actor), begin);
    out.text += Logged(trace::ProcessOf(actor), begin, end);
    return out;
  }

  std::string Known(std::string_view process, std::size_t at) const {
    const absl::StatusOr<check::Knowledge> known = check::KnowledgeOf(failing_, process, at);
    if (!known.ok() || !known->reads) return "";
    const std::string when = at < failing_.events.size() ? At(failing_.events[at]) : "the end";
    std::vector<const check::Unknown*> lines;
    for (const bool about_it : {true, false})
      for (const check::Unknown& u : known->unknown) {
        if (u.resource == "leases" || u.resource.starts_with("events")) continue;
        if (IsSubject(u) == about_it) lines.push_back(&u);
      }
    if (lines.empty())
      return fmt::format("By {} `{}` had been told all that was true.\n", when, process);
    std::string out = fmt::format("By {} `{}` had not been told of:\n\n", when, process);
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
      out += fmt::format("- {}\n", UnknownText(*lines[i], at));
    if (lines.size() > kMostLines) out += fmt::format("- and {} more\n", lines.size() - kMostLines);
    return out;
  }

  bool IsSubject(const check::Unknown& u) const {
    trace::Difference d;
    d.object = IdentityOf(u.object);
    return IsAbout(d);
  }

  std::string UnknownText(const check::Unknown& u, std::size_t at) const {
    const std::int64_t now = at < failing_.events.size() ? failing_.events[at].t
                             : failing_.events.empty()   ? 0
                                                         : failing_.events.back().t;
    const std::string ago = FormatDuration(Milliseconds((now - u.t) / 1'000'000));
    if (u.gone)
      return fmt::format("{} was deleted {} before, at revision {}, by {}; it was told of {}",
                         u.object, ago, u.revision, u.by, u.known);
    if (u.known == 0)
      return fmt::format("{} was there, last written {} before, at revision {}, by {}", u.object,
                         ago, u.revision, u.by);
    std::string places;
    for (std::size_t i = 0; i < std::min(u.since.size(), kMostLines - 2); ++i)
      places += fmt::format("{}{}", i == 0 ? "" : ", ", u.since[i]);
    return fmt::format("{} had changed since revision {}, last {} before, at revision {}, by {}{}",
                       u.object, u.known, ago, u.revision, u.by,
                       places.empty() ? "" : fmt::format(" ({})", places));
  }

  std::string Logged(std::string_view process, std::size_t begin, std::size_t end) const {
    std::vector<std::string> lines;
    for (std::size_t i = begin; i < std::min(end, failing_.events.size()); ++i) {
      const Record& r = failing_.events[i];
      if (r.kind != EventKind::kLog || trace::ProcessOf(r.actor) != process) continue;
      if (!r.Text("container").empty()) continue;
      lines.push_back(fmt::format("- {} {} {}", At(r), r.Text("level"), r.Text("text")));
    }
    if (lines.empty()) return "";
    std::string out = "\nIt logged:\n\n";
    const std::size_t from = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
    for (std::size_t i = from; i < lines.size(); ++i) out += lines[i] + "\n";
    return out;
  }

  const Trace& failing_;
  const Trace& passing_;
  const CampaignFinding& finding_;
  Syncs syncs_, passing_syncs_;
  trace::Diff diff_;
  trace::TraceIdentities identities_;
  std::vector<std::string> subjects_;  // identities of the finding's objects
  bool reads_ = false;                 // the steps are lists and watches
};

}  // namespace

std::optional<WrongStep> FindWrongStep(const Trace& failing, const Trace& passing,
                                       const CampaignFinding& finding) {
  return Search(failing, passing, finding).Find();
}

}  // namespace ksim::fuzz
