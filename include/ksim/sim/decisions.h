// Draw and Choose: the only sources of what could go one way or another.
//
// Draw(site, key) gives a value: a latency, a jitter, a name suffix, a uid. A pure function of
// (seed, site, key, i), i = how often this (site, key) asked before. Not recorded.
// Choose(site, key, n) gives a decision in [0, n): does this fault fire, how big is it. 0 is the
// nominal answer; without overrides and strategy every answer is 0. Non-zero answers are recorded.
// A (site, key) asked again is another question: its i-th repetition is known as KeyOf(key, i).
//
//   f = SplitMix64 finaliser;  r = f(f(f(seed ^ XXH3_64(site)) + key) + i)
//   answer = high half of the 128-bit product r * n
//
// Sites are `kind/subject[/subject]`, ASCII (`latency/kube-apiserver-0/kube-scheduler/pods`), made
// once, when the actor or stream is made. Keys say what the question is about, so that an answer
// stays with its subject when others come or go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"

namespace ksim::sim {

class SiteId {
 public:
  constexpr SiteId() = default;
  friend constexpr bool operator==(SiteId, SiteId) = default;

 private:
  friend class Decisions;
  constexpr explicit SiteId(std::uint32_t i) : index_(i) {}
  std::uint32_t index_ = 0xffffffffu;
};

struct Override {  // an answer given from outside, as a trace's header lists it
  std::string site;
  std::uint64_t key = 0;
  std::uint32_t answer = 0;
};

struct Decision {  // a non-zero answer really given
  std::string site;
  std::uint64_t key = 0;
  std::uint32_t answer = 0;
  std::uint32_t n = 0;  // how many answers there were; 0 = not known, as of one that was read
};

// Several chains of events have one that is due within the window: which goes first?
struct OrderQuestion {
  std::uint64_t step = 0;                 // how many kernel steps ran before
  std::uint64_t key = 0;                  // about the head that is due first
  const std::uint64_t* chains = nullptr;  // hash of each head's chain, the nominal order
  std::uint32_t n = 0;                    // how many, at least 2
};

// Answers Choose where no override does. A pure function of its name, parameters and seed.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) = 0;
  // From now on Answer says 0 to everything: it need not be asked again.
  bool silent() const { return silent_; }
  // Whether it wants to be asked for the order of events; constant.
  virtual bool orders() const { return false; }
  virtual std::uint32_t First(const OrderQuestion&) { return 0; }

 protected:
  void FallSilent() { silent_ = true; }  // for good

 private:
  bool silent_ = false;
};

class Decisions {
 public:
  Decisions(std::uint64_t seed, std::vector<Override> overrides,
            std::shared_ptr<Strategy> strategy);
  ~Decisions();

  std::uint64_t seed() const { return seed_; }
  // From here on these answer, as if nothing had been asked before: sites stay, and what was
  // answered is kept. A run whose start is shared with others begins its own part so.
  void BeginAnew(std::uint64_t seed, std::vector<Override> overrides,
                 std::shared_ptr<Strategy> strategy);

  // Interns a site. The same name twice gives the same id; two names with one hash is a KSIM_CHECK.
  SiteId Site(std::string_view name);
  std::string_view name(SiteId site) const;  // good until the next site is made

  std::uint64_t Draw(SiteId site, std::uint64_t key);                   // all 64 bits
  std::uint32_t Draw(SiteId site, std::uint64_t key, std::uint32_t n);  // [0, n), n >= 1
  Duration DrawDuration(SiteId site, std::uint64_t key, Duration min, Duration max);  // [min, max)
  std::uint32_t Choose(SiteId site, std::uint64_t key, std::uint32_t n);  // [0, n), 0 nominal
  // The same of a key that the site is never asked with again: nothing is remembered of it.
  Duration DrawDurationOnce(SiteId site, std::uint64_t key, Duration min, Duration max);
  std::uint32_t ChooseOnce(SiteId site, std::uint64_t key, std::uint32_t n);
  // The decision at site `order`: index of the head that goes first. For the kernel.
  std::uint32_t ChooseFirst(const OrderQuestion& question);
  // Whether a strategy or an override has something to say about the order of events.
  bool orders() const;

  std::vector<Decision> decisions() const;       // non-zero answers, in the order given
  std::vector<Override> unapplied() const;       // overrides never asked for
  std::vector<std::string> asked_sites() const;  // that anything was asked at, sorted
  std::uint64_t asked() const { return asked_; }
  std::uint64_t answer_sum() const { return answer_sum_; }  // of (site, key, answer) hashes

 private:
  struct Impl;
  void TakeAnswers(std::vector<Override> overrides, std::shared_ptr<Strategy> strategy);
  std::uint64_t Drawn(std::uint64_t mixed, std::uint32_t asked_before);
  void Record(SiteId site, std::uint64_t key, std::uint32_t answer, std::uint32_t n);
  std::unique_ptr<Impl> impl_;
  std::uint64_t seed_;
  std::uint64_t asked_ = 0;
  std::uint64_t answer_sum_ = 0;
};

// Keys. KeyOf mixes parts into one key: an identity's hash and an ordinal, for instance.
std::uint64_t KeyOf(std::string_view subject);
std::uint64_t KeyOf(std::string_view subject, std::uint64_t ordinal);
std::uint64_t KeyOf(std::uint64_t a, std::uint64_t b);

}  // namespace ksim::sim
