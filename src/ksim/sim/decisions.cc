#include "ksim/sim/decisions.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/check.h"
#include "ksim/base/hash.h"
#include "ksim/sim/ask_counter.h"
#include "ksim/sim/mix.h"

namespace ksim::sim {

constexpr std::string_view kOrderSite = "order";
// Room for the sites and keys of a small cluster, so that its tables need not grow.
constexpr std::size_t kUsualSites = 512, kUsualName = 48, kUsualKeys = 512;
[[maybe_unused]] constexpr std::size_t kMostKeysChecked = std::size_t{1} << 16;

namespace {

// Whether eight letters are from '!' to '~': the high bit of a byte of `bad` is set if it is above
// '~', or below '!', or one of the bytes below it is.
bool AreEightPrintable(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u, kHigh = 0x80 * kOnes;
  std::uint64_t letters;
  std::memcpy(&letters, eight, sizeof(letters));
  const std::uint64_t bad = letters | (letters + kOnes) | (letters - '!' * kOnes);
  return (bad & kHigh) == 0;
}

bool IsPrintable(std::string_view name) {
  if (name.size() < 8)
    return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  for (std::size_t i = 0; i + 8 < name.size(); i += 8)
    if (!AreEightPrintable(name.data() + i)) return false;
  return AreEightPrintable(name.data() + name.size() - 8);
}

Duration Between(Duration min, Duration max, std::uint64_t drawn) {
  if (max <= min) return min;
  const auto span = static_cast<std::uint64_t>(max.ns()) - static_cast<std::uint64_t>(min.ns());
  const std::uint64_t ns = static_cast<std::uint64_t>(min.ns()) + Scale(drawn, span);
  return Duration(static_cast<std::int64_t>(ns));
}

}  // namespace

struct Decisions::Impl {
  struct Given {  // an override, and whether anybody asked for it
    Override override;
    bool applied = false;
  };
  struct SiteInfo {
    std::uint64_t base = 0;           // Mix(seed ^ XXH3_64(name))
    std::uint64_t next_in_order = 0;  // keys 0 .. next_in_order-1 asked in that order, once each
    std::uint64_t own = 0;            // the first key out of that order, mixed; others are counted
    std::uint32_t own_count = 0;      // how often it has asked; 0: there is none
    bool chosen = false;              // a decision was made here
    const std::vector<std::size_t>* overrides = nullptr;  // into given; null = none
    std::uint32_t name_at = 0, name_size = 0;             // in names
  };
  struct Record {
    std::uint32_t site;
    std::uint64_t key;
    std::uint32_t answer;
    std::uint32_t n;
  };

  std::vector<SiteInfo> sites;
  std::string names;  // of all sites, one after the other: they are many, and made when all begins
  // An open-addressing table by base, at most half full: the number of a site from 1; 0: free.
  std::vector<std::uint32_t> places = std::vector<std::uint32_t>(2 * kUsualSites);
  AskCounter counter{kUsualKeys};  // of Draw
  AskCounter questions;            // of Choose, where anybody may answer
  std::vector<Given> given;
  absl::flat_hash_map<std::string, std::vector<std::size_t>> given_by_site;
  std::shared_ptr<Strategy> strategy;
  std::vector<Record> records;
  SiteId order;                     // once it was asked about
  std::uint64_t last_question = 0;  // key of the last one that somebody might have answered

  std::string_view NameOf(const SiteInfo& site) const {
    return std::string_view(names).substr(site.name_at, site.name_size);
  }

  // Where the site with this base is, or a new one belongs.
  std::uint32_t& PlaceOf(std::uint64_t base) {
    const std::size_t mask = places.size() - 1;
    for (std::size_t i = base & mask;; i = (i + 1) & mask)
      if (places[i] == 0 || sites[places[i] - 1].base == base) return places[i];
  }

  void MakePlaces() {
    places.assign(2 * places.size(), 0);
    for (std::uint32_t i = 0; i < sites.size(); ++i) PlaceOf(sites[i].base) = i + 1;
  }

  // i of the formula. Most sites ask with 0, 1, 2, ... or, after that, with one key: for these a
  // number does.
  std::uint32_t AskedBefore(std::uint32_t index, std::uint64_t key, std::uint64_t mixed) {
    SiteInfo& site = sites[index];
    if (site.own_count != 0 && site.own == mixed) return site.own_count++;
    if (site.own_count == 0 && key == site.next_in_order) {
      ++site.next_in_order;
      return 0;
    }
    const std::uint32_t first = key < site.next_in_order ? 1 : 0;
    if (site.own_count != 0) return counter.CountUp(index, mixed, first);
    site.own = mixed;
    site.own_count = first + 1;
    return first;
  }

  // Each question is one of its own, also when it is about the same as one before (each time a
  // lease is read): asked again, a key counts on. So a recorded answer, given back as an override,
  // comes at the very question that it was given to, and not at earlier ones that nobody had
  // answered.
  std::uint64_t Question(std::uint32_t index, std::uint64_t key) {
    const std::uint32_t i = questions.CountUp(index, Mix(sites[index].base + key), 0);
    last_question = i == 0 ? key : KeyOf(key, i);
    return last_question;
  }

  // In builds without NDEBUG, and until so many keys are remembered that a long run would grow.
  void CheckNew([[maybe_unused]] AskCounter* asked, [[maybe_unused]] std::uint32_t index,
                [[maybe_unused]] std::uint64_t mixed) {
#ifndef NDEBUG
    if (asked->size() >= kMostKeysChecked) return;
    KSIM_CHECK(asked->CountUp(index, mixed, 0) == 0) << NameOf(sites[index]) << " asked twice";
#endif
  }

  // Whether a decision at this site can be anything but 0. Where not, what is counted of questions
  // is of no use either.
  bool MayBeAnswered(const SiteInfo& site) const {
    return site.overrides != nullptr || (strategy != nullptr && !strategy->silent());
  }

  // nullptr: no override answers it.
  const std::uint32_t* Overridden(const SiteInfo& site, std::uint64_t key, std::uint32_t n) {
    if (site.overrides == nullptr) return nullptr;
    for (const std::size_t i : *site.overrides) {
      Given& g = given[i];
      if (g.override.key != key || g.override.answer >= n) continue;
      g.applied = true;
      return &g.override.answer;
    }
    return nullptr;
  }

  std::uint32_t Checked(const SiteInfo& site, std::uint32_t answer, std::uint32_t n) const {
    KSIM_CHECK(answer < n) << NameOf(site) << ": strategy " << strategy->name() << " answered "
                           << answer << " of " << n;
    return answer;
  }

  std::uint32_t Answer(const SiteInfo& site, std::uint64_t key, std::uint32_t n) {
    if (const std::uint32_t* given = Overridden(site, key, n)) return *given;
    if (strategy == nullptr || strategy->silent()) return 0;
    return Checked(site, strategy->Answer(NameOf(site), key, n), n);
  }

  std::uint32_t First(const SiteInfo& site, const OrderQuestion& q) {
    if (const std::uint32_t* given = Overridden(site, q.key, q.n)) return *given;
    return strategy == nullptr || !strategy->orders() ? 0 : Checked(site, strategy->First(q), q.n);
  }
};

Decisions::Decisions(std::uint64_t seed, std::vector<Override> overrides,
                     std::shared_ptr<Strategy> strategy)
    : impl_(std::make_unique<Impl>()), seed_(seed) {
  impl_->sites.reserve(kUsualSites);
  impl_->names.reserve(kUsualSites * kUsualName);
  TakeAnswers(std::move(overrides), std::move(strategy));
}

void Decisions::TakeAnswers(std::vector<Override> overrides, std::shared_ptr<Strategy> strategy) {
  impl_->questions = strategy != nullptr ? AskCounter(kUsualKeys) : AskCounter();
  impl_->strategy = std::move(strategy);
  impl_->given.clear();
  impl_->given_by_site.clear();
  for (Override& o : overrides) {
    impl_->given_by_site[o.site].push_back(impl_->given.size());
    impl_->given.push_back({std::move(o)});
  }
}

void Decisions::BeginAnew(std::uint64_t seed, std::vector<Override> overrides,
                          std::shared_ptr<Strategy> strategy) {
  seed_ = seed;
  TakeAnswers(std::move(overrides), std::move(strategy));
  impl_->counter = AskCounter(kUsualKeys);
  std::fill(impl_->places.begin(), impl_->places.end(), 0);
  for (std::uint32_t i = 0; i < impl_->sites.size(); ++i) {
    Impl::SiteInfo& site = impl_->sites[i];
    const std::string_view name = impl_->NameOf(site);
    site.base = Mix(seed_ ^ Hash64(name));
    site.next_in_order = site.own = 0;
    site.own_count = 0;
    const auto given = impl_->given_by_site.find(std::string(name));
    site.overrides = given == impl_->given_by_site.end() ? nullptr : &given->second;
    impl_->PlaceOf(site.base) = i + 1;
  }
}

Decisions::~Decisions() = default;

SiteId Decisions::Site(std::string_view name) {
  const std::uint64_t base = Mix(seed_ ^ Hash64(name));
  std::uint32_t& place = impl_->PlaceOf(base);
  if (place != 0) {
    const std::string_view known = impl_->NameOf(impl_->sites[place - 1]);
    KSIM_CHECK(known == name) << "sites " << known << " and " << name << " have one hash";
    return SiteId(place - 1);
  }
  KSIM_CHECK(!name.empty() && IsPrintable(name)) << "a site's name is printable ASCII: " << name;
  Impl::SiteInfo& site = impl_->sites.emplace_back();
  site.base = base;
  site.name_at = static_cast<std::uint32_t>(impl_->names.size());
  site.name_size = static_cast<std::uint32_t>(name.size());
  impl_->names += name;
  if (!impl_->given.empty()) {
    const auto overrides = impl_->given_by_site.find(std::string(name));
    if (overrides != impl_->given_by_site.end()) site.overrides = &overrides->second;
  }
  const auto number = static_cast<std::uint32_t>(impl_->sites.size());
  place = number;
  if (2 * impl_->sites.size() > impl_->places.size()) impl_->MakePlaces();
  return SiteId(number - 1);
}

std::string_view Decisions::name(SiteId site) const {
  KSIM_CHECK(site.index_ < impl_->sites.size());
  return impl_->NameOf(impl_->sites[site.index_]);
}

std::uint64_t Decisions::Draw(SiteId site, std::uint64_t key) {
  KSIM_CHECK(site.index_ < impl_->sites.size());
  const std::uint64_t mixed = Mix(impl_->sites[site.index_].base + key);
  return Drawn(mixed, impl_->AskedBefore(site.index_, key, mixed));
}

std::uint64_t Decisions::Drawn(std::uint64_t mixed, std::uint32_t asked_before) {
  const std::uint64_t r = Mix(mixed + asked_before);
  ++asked_;
  answer_sum_ += Mix(mixed ^ r);
  return r;
}

std::uint32_t Decisions::Draw(SiteId site, std::uint64_t key, std::uint32_t n) {
  KSIM_CHECK(n >= 1);
  return static_cast<std::uint32_t>(Scale(Draw(site, key), n));
}

Duration Decisions::DrawDuration(SiteId site, std::uint64_t key, Duration min, Duration max) {
  return Between(min, max, Draw(site, key));
}

Duration Decisions::DrawDurationOnce(SiteId site, std::uint64_t key, Duration min, Duration max) {
  KSIM_CHECK(site.index_ < impl_->sites.size());
  const std::uint64_t mixed = Mix(impl_->sites[site.index_].base + key);
  impl_->CheckNew(&impl_->counter, site.index_, mixed);
  return Between(min, max, Drawn(mixed, 0));
}

std::uint32_t Decisions::Choose(SiteId site, std::uint64_t key, std::uint32_t n) {
  KSIM_CHECK(site.index_ < impl_->sites.size() && n >= 1);
  Impl::SiteInfo& info = impl_->sites[site.index_];
  std::uint32_t answer = 0;
  if (impl_->MayBeAnswered(info))
    answer = impl_->Answer(info, impl_->Question(site.index_, key), n);
  Record(site, key, answer, n);
  return answer;
}

std::uint32_t Decisions::ChooseOnce(SiteId site, std::uint64_t key, std::uint32_t n) {
  KSIM_CHECK(site.index_ < impl_->sites.size() && n >= 1);
  Impl::SiteInfo& info = impl_->sites[site.index_];
  std::uint32_t answer = 0;
  if (impl_->MayBeAnswered(info)) {
    impl_->CheckNew(&impl_->questions, site.index_, Mix(info.base + key));
    impl_->last_question = key;
    answer = impl_->Answer(info, key, n);
  }
  Record(site, key, answer, n);
  return answer;
}

std::uint32_t Decisions::ChooseFirst(const OrderQuestion& question) {
  if (impl_->order == SiteId()) impl_->order = Site(kOrderSite);
  const SiteId site = impl_->order;
  OrderQuestion counted = question;
  counted.key = impl_->Question(site.index_, question.key);
  const std::uint32_t answer = impl_->First(impl_->sites[site.index_], counted);
  Record(site, question.key, answer, question.n);
  return answer;
}

// The sum is of the key as it was asked: it is the same whether anybody might have answered or not.
void Decisions::Record(SiteId site, std::uint64_t key, std::uint32_t answer, std::uint32_t n) {
  ++asked_;
  impl_->sites[site.index_].chosen = true;
  answer_sum_ += Mix(Mix(impl_->sites[site.index_].base + key) ^ answer);
  if (answer != 0) impl_->records.push_back({site.index_, impl_->last_question, answer, n});
}

bool Decisions::orders() const {
  return (impl_->strategy != nullptr && impl_->strategy->orders()) ||
         impl_->given_by_site.contains(std::string(kOrderSite));
}

std::vector<Decision> Decisions::decisions() const {
  std::vector<Decision> list;
  list.reserve(impl_->records.size());
  for (const Impl::Record& r : impl_->records)
    list.push_back({std::string(impl_->NameOf(impl_->sites[r.site])), r.key, r.answer, r.n});
  return list;
}

std::vector<Override> Decisions::unapplied() const {
  std::vector<Override> list;
  for (const Impl::Given& g : impl_->given) {
    if (!g.applied) list.push_back(g.override);
  }
  return list;
}

std::vector<std::string> Decisions::asked_sites() const {
  std::vector<std::string> names;
  for (const Impl::SiteInfo& site : impl_->sites) {
    if (site.chosen || site.next_in_order > 0 || site.own_count > 0)
      names.emplace_back(impl_->NameOf(site));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t KeyOf(std::string_view subject) { return Hash64(subject); }
std::uint64_t KeyOf(std::string_view subject, std::uint64_t ordinal) {
  return KeyOf(Hash64(subject), ordinal);
}
std::uint64_t KeyOf(std::uint64_t a, std::uint64_t b) { return Mix(Mix(a) + b); }

}  // namespace ksim::sim
