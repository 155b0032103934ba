// ksim etcd: what etcdctl would have shown at a moment of a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/etcd_history.h"
#include "ksim/cli/etcdctl.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"
#include "ksim/store/errors.h"

namespace ksim::cli {
namespace {

struct Word {
  std::string_view name;
  int value;
};
constexpr Word kOrders[] = {{"ASCEND", static_cast<int>(store::SortOrder::kAscend)},
                            {"DESCEND", static_cast<int>(store::SortOrder::kDescend)}};
constexpr Word kTargets[] = {{"CREATE", static_cast<int>(store::SortTarget::kCreate)},
                             {"KEY", static_cast<int>(store::SortTarget::kKey)},
                             {"MODIFY", static_cast<int>(store::SortTarget::kMod)},
                             {"VALUE", static_cast<int>(store::SortTarget::kValue)},
                             {"VERSION", static_cast<int>(store::SortTarget::kVersion)}};
constexpr Word kFormats[] = {{"SIMPLE", static_cast<int>(EtcdctlFormat::kSimple)},
                             {"JSON", static_cast<int>(EtcdctlFormat::kJson)},
                             {"FIELDS", static_cast<int>(EtcdctlFormat::kFields)}};

// The word's value whatever its case; `fallback` for none given, nullopt for an unknown one.
template <std::size_t N>
std::optional<int> ValueOf(const Word (&words)[N], std::string text, int fallback) {
  if (text.empty()) return fallback;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  for (const Word& w : words)
    if (w.name == text) return w.value;
  return std::nullopt;
}

class EtcdCommand : public Command {
 public:
  std::string_view name() const override { return "etcd"; }
  std::string_view summary() const override {
    return "show keys, values and revisions of a trace as etcdctl does";
  }
  std::string_view usage() const override {
    return "ksim etcd TRACE get|watch KEY [RANGE_END] [flags]";
  }
  std::string_view description() const override {
    return "get shows keys as they are at --at (default: end) or at --rev; values are the objects\n"
           "as they are stored. watch shows the events of a watch that was opened at --at "
           "(default:\n"
           "the beginning) and lasts to the end of the trace. Leases are not in traces.";
  }
  std::vector<Example> examples() const override {
    return {{"All keys",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim etcd /tmp/run.jsonl get / --prefix --keys-only"},
            {"One object in its first version, in base64",
             "ksim etcd /tmp/run.jsonl get /registry/replicasets/default/my-replicaset "
             "--at 2s -o json"},
            {"Every change of the pods, with what was before",
             "ksim etcd /tmp/run.jsonl watch /registry/pods/ --prefix --prev-kv"}};
  }

  void Define(CLI::App& app) override {
    app.add_option("TRACE", path_, "A trace; - is standard input");
    app.add_option("VERB", verb_, "get or watch");
    app.add_option("KEY", keys_, "A key, and the end of a range of keys");
    app.add_option("--at", at_, "The moment: a time such as 1.5s, seq:N, rv:N, end")
        ->type_name("MOMENT");
    app.add_flag("--prefix", prefix_, "All keys that begin with KEY");
    app.add_option("--rev", revision_, "get: as of this revision; watch: from it on")
        ->type_name("N")
        ->check(NotEmpty("number"));
    app.add_option("-o,-w,--output,--write-out", format_, "simple, json, fields")
        ->type_name("FORMAT");
    DefineGet(app);
    watch_only_ = {app.add_flag("--prev-kv", prev_kv_, "watch: with the key as it was before")};
    common_.DefineColor(app);
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (const std::string wrong = Complaint(); !wrong.empty()) {
      io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;31", "error:"), wrong));
      return kInvalid;
    }
    const std::optional<trace::Trace> trace = ReadTraceOrTell(io, path_);
    if (!trace) return kInvalid;
    cut_ = !trace->end;
    const bool watch = verb_ == "watch";
    const absl::StatusOr<trace::Moment> moment =
        trace::ParseMoment(at_.empty() ? Default(watch) : at_);
    if (!moment.ok()) {
      io.Err(fmt::format("--at: error: {}\n", Message(moment.status())));
      return kInvalid;
    }
    EtcdHistory history(*trace);
    if (const absl::Status s = history.AdvanceTo(*moment); !s.ok()) return Broken(io, s);
    const int code = watch ? Watch(io, &history) : Get(io, history.store());
    return code == kOk ? AtBest(kOk) : code;
  }

 private:
  // What of a cut trace is missing may be what was asked for.
  int AtBest(int code) const { return cut_ ? kUndecided : code; }

  void DefineGet(CLI::App& app) {
    get_only_ = {
        app.add_flag("--from-key", from_key_, "get: all keys from KEY on"),
        app.add_option("--limit", limit_, "get: at most so many keys")
            ->type_name("N")
            ->check(NotEmpty("number")),
        app.add_option("--order", order_, "get: ASCEND, DESCEND")->type_name("ORDER"),
        app.add_option("--sort-by", sort_by_, "get: CREATE, KEY, MODIFY, VALUE, VERSION")
            ->type_name("TARGET"),
        app.add_flag("--keys-only", keys_only_, "get: without values"),
        app.add_flag("--count-only", count_only_, "get: only how many, with -o fields or json"),
        app.add_flag("--print-value-only", value_only_, "get: only values, with -o simple")};
  }

  // A watch sees everything, a get what is left in the end.
  static std::string Default(bool watch) { return watch ? "seq:0" : "end"; }

  // What is wrong with the command line, after "error: ", as etcdctl puts it; "" for nothing.
  std::string Complaint() {
    const char* usage = "\nhint: ksim etcd TRACE get KEY";
    if (path_.empty()) return fmt::format("which trace?{}", usage);
    if (verb_ != "get" && verb_ != "watch")
      return verb_.empty() ? fmt::format("get or watch?{}", usage)
                           : fmt::format("unknown verb \"{}\"; want get or watch{}", verb_, usage);
    if (keys_.empty())
      return verb_ + " command needs one argument as key and an optional argument as range_end";
    if (keys_.size() > 2) return fmt::format("unexpected argument \"{}\"", keys_[2]);
    for (const CLI::Option* option : verb_ == "get" ? watch_only_ : get_only_)
      if (option->count() > 0)
        return fmt::format("--{} is not for {}", option->get_lnames().front(), verb_);
    if (prefix_ && from_key_)
      return "`--prefix` and `--from-key` cannot be set at the same time, choose one";
    if (keys_only_ && count_only_)
      return "`--keys-only` and `--count-only` cannot be set at the same time, choose one";
    if (keys_.size() == 2 && (prefix_ || from_key_))
      return "too many arguments, only accept one argument when `--prefix` or `--from-key` is set";
    return FormatComplaint();
  }

  std::string FormatComplaint() {
    const std::optional<int> format = ValueOf(kFormats, format_, 0);
    if (!format)
      return fmt::format("unknown output format \"{}\"; want one of simple, json, fields", format_);
    printer_.format = static_cast<EtcdctlFormat>(*format);
    printer_.value_only = value_only_;
    if (count_only_ && printer_.format == EtcdctlFormat::kSimple)
      return "--count-only is only for `--write-out=fields` and `--write-out=json`";
    if (value_only_ && printer_.format != EtcdctlFormat::kSimple)
      return "print-value-only is only for `--write-out=simple`";
    if (!ValueOf(kOrders, order_, 0)) return fmt::format("bad sort order {}", order_);
    if (!ValueOf(kTargets, sort_by_, 0)) return fmt::format("bad sort target {}", sort_by_);
    return "";
  }

  // clientv3's WithPrefix, WithFromKey and WithRange.
  std::pair<std::string, std::string> Range() const {
    const std::string& key = keys_.front();
    const std::string all(store::kFromKey);
    if (from_key_ || (prefix_ && key.empty())) return {key.empty() ? all : key, all};
    if (prefix_) return {key, store::PrefixEnd(key)};
    return {key, keys_.size() == 2 ? keys_[1] : std::string()};
  }

  int Get(Io& io, const store::Store& store) const {
    const auto [key, end] = Range();
    store::RangeRequest r(key, end);
    r.revision = std::max<std::int64_t>(revision_, 0);
    r.limit = limit_;
    r.sort_order = static_cast<store::SortOrder>(*ValueOf(kOrders, order_, 0));
    r.sort_target = static_cast<store::SortTarget>(*ValueOf(kTargets, sort_by_, 0));
    r.keys_only = keys_only_;
    r.count_only = count_only_;
    const absl::StatusOr<store::RangeResponse> response = store.Range(r);
    if (!response.ok()) return Refused(io, response.status());
    io.Out(printer_.Get(*response));
    return kOk;
  }

  int Watch(Io& io, EtcdHistory* history) const {
    const auto [key, end] = Range();
    store::WatchRequest request(key, end, std::max<std::int64_t>(revision_, 0));
    request.prev_kv = prev_kv_;
    const std::unique_ptr<store::WatchStream> stream = history->store().NewWatchStream();
    stream->Watch(request);
    while (history->store().SyncWatchers() > 0) {
    }
    while (!io.closed()) {
      if (!Print(io, *stream)) return kNothing;
      const absl::StatusOr<bool> more = history->AdvanceOne();
      if (!more.ok()) return Broken(io, more.status());
      if (!*more) break;
    }
    return kOk;
  }

  // What the stream holds; false if the watch is over.
  bool Print(Io& io, store::WatchStream& stream) const {
    while (const std::optional<store::WatchResponse> r = stream.Next()) {
      if (r->canceled || !r->created) io.Out(printer_.Watch(*r));
      if (r->canceled) {
        const std::string_view why = r->cancel_reason;
        io.Err(fmt::format("watch was canceled ({})\nError: watch is canceled by the server\n",
                           why.empty() ? store::kCompactedReason : why));
        return false;
      }
    }
    return true;
  }

  // The store's answer to a question it cannot answer.
  int Refused(Io& io, const absl::Status& status) const {
    io.Err(fmt::format("Error: {}\n", store::ErrorOf(status).message));
    if (store::IsCompacted(status))
      io.Err("hint: --at rv:N shows the store as it was at revision N\n");
    if (store::IsFutureRevision(status)) return AtBest(kNothing);
    return store::IsCompacted(status) ? kNothing : kInvalid;
  }

  // The trace ends too early, or is not what a run leaves behind.
  int Broken(Io& io, const absl::Status& status) const {
    const bool early = status.code() == absl::StatusCode::kOutOfRange;
    io.Err(early ? fmt::format("error: {}\n", Message(status))
                 : fmt::format("{}: error: no trace of ksim: {}\n", path_, Message(status)));
    return early ? AtBest(kNothing) : kInvalid;
  }

  std::string path_, verb_, at_, format_, order_, sort_by_;
  std::vector<std::string> keys_;
  bool prefix_ = false, from_key_ = false, keys_only_ = false, count_only_ = false;
  bool value_only_ = false, prev_kv_ = false;
  bool cut_ = false;  // the trace
  std::int64_t revision_ = 0, limit_ = 0;
  std::vector<const CLI::Option*> get_only_, watch_only_;
  EtcdctlPrinter printer_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeEtcd() { return std::make_unique<EtcdCommand>(); }

}  // namespace ksim::cli
