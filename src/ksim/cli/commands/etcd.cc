// ksim etcd: what etcdctl would have shown at a moment of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/etcd/endpoint_status.h"
#include "ksim/cli/etcd/etcd_history.h"
#include "ksim/cli/etcd/etcdctl.h"
#include "ksim/cli/etcd/value_texts.h"
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
                             {"FIELDS", static_cast<int>(EtcdctlFormat::kFields)},
                             {"TABLE", static_cast<int>(EtcdctlFormat::kTable)},
                             {"PROTOBUF", static_cast<int>(EtcdctlFormat::kProtobuf)}};

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

struct EtcdFlags {
  std::string path, verb, at, format, order, sort_by;
  std::vector<std::string> keys;
  bool prefix = false, from_key = false, keys_only = false, count_only = false;
  bool value_only = false, prev_kv = false, hex = false, raw = false, decode = false;
  std::int64_t revision = 0, limit = 0;
  std::string consistency = "l";
  std::vector<std::string> endpoints{"127.0.0.1:2379"};
  std::string connection;  // what names a server and who asks: nothing here
  bool insecure = false;
  CommonFlags common;
  GivenFlags given;
};

constexpr std::string_view kOnlyForGet[] = {"from-key",         "limit",      "order",
                                            "sort-by",          "keys-only",  "count-only",
                                            "print-value-only", "consistency"};
constexpr std::string_view kOnlyForWatch[] = {"prev-kv"};
constexpr std::string_view kNotForEndpoint[] = {"prefix", "rev", "hex", "raw", "decode"};

// The flags by which etcdctl finds a server: people's commands and scripts have them.
void AddConnectionFlags(FlagSet& set, EtcdFlags& flags) {
  set.Add("--endpoints", &flags.endpoints,
          "Only the names in `endpoint status`: a trace has one etcd")
      .Type("LIST")
      .SplitAtCommas();
  for (const char* name :
       {"--cacert", "--cert", "--key", "--user", "--dial-timeout", "--command-timeout"})
    set.Add(name, &flags.connection, "Taken from etcdctl's command lines; means nothing here")
        .Type("TEXT");
  for (const char* name : {"--insecure-skip-tls-verify", "--insecure-transport"})
    set.Add(name, &flags.insecure, "The same");
}

void AddEtcdFlags(FlagSet& set, EtcdFlags& flags) {
  set.Add("TRACE", &flags.path, "A trace; - is standard input");
  set.Add("VERB", &flags.verb, "get, watch or endpoint");
  set.Add("KEY", &flags.keys, "A key, and the end of a range of keys; of endpoint: status");
  set.Add("--at", &flags.at, "The moment: a time such as 1.5s, seq:N, rv:N, end").Type("MOMENT");
  set.Add("--prefix", &flags.prefix, "All keys that begin with KEY");
  set.Add("--rev", &flags.revision, "get: as of this revision; watch: from it on")
      .Type("N")
      .NotEmpty("number");
  set.Add("-o,-w,--output,--write-out", &flags.format,
          "simple, json, fields, protobuf; of endpoint also table")
      .Type("FORMAT");
  set.Add("--raw", &flags.raw,
          "Values as a kube-apiserver stores them: protobuf of built-in kinds");
  set.Add("--decode", &flags.decode, "Values as etcdhelper prints them, with -o simple");
  set.Add("--hex", &flags.hex, "Keys and values in hexadecimal, with -o fields ids; as --raw");
  set.Add("--from-key", &flags.from_key, "get: all keys from KEY on");
  set.Add("--limit", &flags.limit, "get: at most so many keys").Type("N").NotEmpty("number");
  set.Add("--order", &flags.order, "get: ASCEND, DESCEND").Type("ORDER");
  set.Add("--sort-by", &flags.sort_by, "get: CREATE, KEY, MODIFY, VALUE, VERSION").Type("TARGET");
  set.Add("--keys-only", &flags.keys_only, "get: without values");
  set.Add("--count-only", &flags.count_only, "get: only how many, with -o fields or json");
  set.Add("--print-value-only", &flags.value_only, "get: only values, with -o simple");
  set.Add("--prev-kv", &flags.prev_kv, "watch: with the key as it was before");
  set.Add("--consistency", &flags.consistency, "get: l or s, which is the same of one etcd")
      .Type("LEVEL");
  AddConnectionFlags(set, flags);
  AddColorFlag(set, flags.common);
  set.NoteGiven(&flags.given);
}

// The first flag of those that the command line gives; "" for none.
template <std::size_t N>
std::string_view FirstGiven(const std::string_view (&names)[N], const GivenFlags& given) {
  for (const std::string_view name : names)
    if (given.contains(name)) return name;
  return "";
}

EtcdctlPrinter PrinterOf(const EtcdFlags& flags) {
  EtcdctlPrinter printer;
  printer.format = static_cast<EtcdctlFormat>(ValueOf(kFormats, flags.format, 0).value_or(0));
  printer.value_only = flags.value_only;
  printer.hex = flags.hex;
  return printer;
}

// The same with the trace's values in the form asked for. `kinds` outlives it.
EtcdctlPrinter PrinterOf(const EtcdFlags& flags, const trace::Trace& trace,
                         const api::Kinds& kinds) {
  EtcdctlPrinter printer = PrinterOf(flags);
  const api::Compat compat = api::ParseCompat(trace.header.compat).value_or(api::kDefaultCompat);
  const bool raw = flags.raw || flags.hex || printer.format == EtcdctlFormat::kProtobuf;
  if (raw) printer.value = StoredText(kinds, compat);
  if (flags.decode) printer.value = DecodedText(kinds, compat);
  return printer;
}

std::string FormatProblem(const EtcdFlags& flags) {
  if (!ValueOf(kFormats, flags.format, 0))
    return fmt::format("unknown output format \"{}\"; want one of simple, json, fields, protobuf",
                       flags.format);
  const EtcdctlFormat format = PrinterOf(flags).format;
  const bool simple = format == EtcdctlFormat::kSimple, endpoint = flags.verb == "endpoint";
  if (format == EtcdctlFormat::kTable && !endpoint) return "table not supported as output format";
  if (format == EtcdctlFormat::kProtobuf && endpoint)
    return "protobuf not supported as output format";
  if (flags.decode && !simple) return "--decode is only for `--write-out=simple`";
  if (flags.decode && (flags.raw || flags.hex))
    return "--decode shows no bytes, --raw and --hex do";
  if (flags.consistency != "l" && flags.consistency != "s")
    return fmt::format("unknown consistency flag \"{}\"", flags.consistency);
  if (flags.count_only && simple)
    return "--count-only is only for `--write-out=fields` and `--write-out=json`";
  if (flags.value_only && !simple) return "print-value-only is only for `--write-out=simple`";
  if (!ValueOf(kOrders, flags.order, 0)) return fmt::format("bad sort order {}", flags.order);
  if (!ValueOf(kTargets, flags.sort_by, 0)) return fmt::format("bad sort target {}", flags.sort_by);
  return "";
}

// The same of `endpoint`, which has one verb here.
std::string EndpointProblem(const EtcdFlags& flags) {
  const char* usage = "\nhint: ksim etcd TRACE endpoint status";
  if (flags.keys.size() != 1 || flags.keys.front() != "status") {
    if (flags.keys.empty()) return fmt::format("endpoint what?{}", usage);
    const std::string& word = flags.keys.front() == "status" ? flags.keys[1] : flags.keys.front();
    return fmt::format("unknown endpoint command \"{}\": a trace tells only the status{}", word,
                       usage);
  }
  for (const auto misplaced :
       {FirstGiven(kOnlyForGet, flags.given), FirstGiven(kOnlyForWatch, flags.given),
        FirstGiven(kNotForEndpoint, flags.given)})
    if (!misplaced.empty()) return fmt::format("--{} is not for endpoint", misplaced);
  return FormatProblem(flags);
}

// The problem of the command line, after "error: ", as etcdctl puts it; "" for none.
std::string UsageProblem(const EtcdFlags& flags) {
  const char* usage = "\nhint: ksim etcd TRACE get KEY";
  const std::string& verb = flags.verb;
  if (flags.path.empty()) return fmt::format("which trace?{}", usage);
  if (verb == "endpoint") return EndpointProblem(flags);
  if (verb != "get" && verb != "watch")
    return verb.empty()
               ? fmt::format("get or watch?{}", usage)
               : fmt::format("unknown verb \"{}\"; want get, watch or endpoint{}", verb, usage);
  if (flags.keys.empty())
    return verb + " command needs one argument as key and an optional argument as range_end";
  if (flags.keys.size() > 2) return fmt::format("unexpected argument \"{}\"", flags.keys[2]);
  const std::string_view misplaced =
      verb == "get" ? FirstGiven(kOnlyForWatch, flags.given) : FirstGiven(kOnlyForGet, flags.given);
  if (!misplaced.empty()) return fmt::format("--{} is not for {}", misplaced, verb);
  if (flags.prefix && flags.from_key)
    return "`--prefix` and `--from-key` cannot be set at the same time, choose one";
  if (flags.keys_only && flags.count_only)
    return "`--keys-only` and `--count-only` cannot be set at the same time, choose one";
  if (flags.keys.size() == 2 && (flags.prefix || flags.from_key))
    return "too many arguments, only accept one argument when `--prefix` or `--from-key` is set";
  return FormatProblem(flags);
}

// The keys asked for: clientv3's WithPrefix, WithFromKey and WithRange.
std::pair<std::string, std::string> KeyRange(const EtcdFlags& flags) {
  const std::string& key = flags.keys.front();
  const std::string all(store::kFromKey);
  if (flags.from_key || (flags.prefix && key.empty())) return {key.empty() ? all : key, all};
  if (flags.prefix) return {key, store::PrefixEnd(key)};
  return {key, flags.keys.size() == 2 ? flags.keys[1] : std::string()};
}

// A key that a cut trace does not show may stand in what it lacks.
int NotFoundCode(const trace::Trace& trace) { return trace.end ? kNothing : kUndecided; }

// Prints the store's answer to a request that it refuses.
int PrintRefusal(Io& io, const absl::Status& status, const trace::Trace& trace) {
  io.Err(fmt::format("Error: {}\n", store::ErrorOf(status).message));
  if (store::IsCompacted(status))
    io.Err("hint: --at rv:N shows the store as it was at revision N\n");
  if (store::IsFutureRevision(status)) return NotFoundCode(trace);
  return store::IsCompacted(status) ? kNothing : kInvalid;
}

// Prints why the history cannot go on: the trace ends too early, or no run has written it.
int PrintBrokenHistory(Io& io, const absl::Status& status, const EtcdFlags& flags,
                       const trace::Trace& trace) {
  const bool early = status.code() == absl::StatusCode::kOutOfRange;
  io.Err(early ? fmt::format("error: {}\n", Message(status))
               : fmt::format("{}: error: no trace of ksim: {}\n", flags.path, Message(status)));
  return early ? NotFoundCode(trace) : kInvalid;
}

int EtcdGet(Io& io, const EtcdFlags& flags, const EtcdctlPrinter& printer,
            const trace::Trace& trace, const store::Store& store) {
  const auto [key, end] = KeyRange(flags);
  store::RangeRequest r(key, end);
  r.revision = std::max<std::int64_t>(flags.revision, 0);
  r.limit = flags.limit;
  r.sort_order = static_cast<store::SortOrder>(*ValueOf(kOrders, flags.order, 0));
  r.sort_target = static_cast<store::SortTarget>(*ValueOf(kTargets, flags.sort_by, 0));
  r.keys_only = flags.keys_only;
  r.count_only = flags.count_only;
  const absl::StatusOr<store::RangeResponse> response = store.Range(r);
  if (!response.ok()) return PrintRefusal(io, response.status(), trace);
  io.Out(printer.Get(*response));
  return kOk;
}

// Prints the responses that the stream holds; false if the watch is over.
bool PrintWatchResponses(Io& io, const EtcdctlPrinter& printer, store::WatchStream& stream) {
  while (const std::optional<store::WatchResponse> r = stream.Next()) {
    if (r->canceled || !r->created) io.Out(printer.Watch(*r));
    if (r->canceled) {
      const std::string_view why = r->cancel_reason;
      io.Err(fmt::format("watch was canceled ({})\nError: watch is canceled by the server\n",
                         why.empty() ? store::kCompactedReason : why));
      return false;
    }
  }
  return true;
}

int EtcdWatch(Io& io, const EtcdFlags& flags, const EtcdctlPrinter& printer,
              const trace::Trace& trace, EtcdHistory* history) {
  const auto [key, end] = KeyRange(flags);
  store::WatchRequest request(key, end, std::max<std::int64_t>(flags.revision, 0));
  request.prev_kv = flags.prev_kv;
  const std::unique_ptr<store::WatchStream> stream = history->store().NewWatchStream();
  stream->Watch(request);
  while (history->store().SyncWatchers() > 0) {
  }
  while (!io.closed()) {
    if (!PrintWatchResponses(io, printer, *stream)) return kNothing;
    const absl::StatusOr<bool> more = history->AdvanceOne();
    if (!more.ok()) return PrintBrokenHistory(io, more.status(), flags, trace);
    if (!*more) break;
  }
  return kOk;
}

int RunEtcd(Io& io, const EtcdFlags& flags) {
  io.SetColor(flags.common.color);
  if (const std::string problem = UsageProblem(flags); !problem.empty()) {
    io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;31", "error:"), problem));
    return kInvalid;
  }
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.path);
  if (!trace) return kInvalid;
  const bool watch = flags.verb == "watch";
  // A watch shows everything from the beginning, a get what is left in the end.
  const std::string at = !flags.at.empty() ? flags.at : watch ? "seq:0" : "end";
  const absl::StatusOr<trace::Moment> moment = trace::ParseMoment(at);
  if (!moment.ok()) {
    io.Err(fmt::format("--at: error: {}\n", Message(moment.status())));
    return kInvalid;
  }
  EtcdHistory history(*trace);
  if (const absl::Status s = history.AdvanceTo(*moment); !s.ok())
    return PrintBrokenHistory(io, s, flags, *trace);
  int code = kOk;
  const api::Kinds kinds;
  const EtcdctlPrinter printer = PrinterOf(flags, *trace, kinds);
  if (flags.verb == "endpoint")
    io.Out(EndpointStatus(printer.format, flags.endpoints, history.store().revision()));
  else
    code = watch ? EtcdWatch(io, flags, printer, *trace, &history)
                 : EtcdGet(io, flags, printer, *trace, history.store());
  return code == kOk && !trace->end ? kUndecided : code;
}

}  // namespace

Command EtcdCommand() {
  return {
      .name = "etcd",
      .summary = "show keys, values and revisions of a trace as etcdctl does",
      .usage = "ksim etcd TRACE get|watch KEY [RANGE_END] | endpoint status [flags]",
      .description =
          "get shows keys as they are at --at (default: end) or at --rev. watch shows the events\n"
          "of a watch that was opened at --at (default: the beginning) and lasts to the end of\n"
          "the trace. Leases are not in traces. endpoint status says the revision then; ksim's\n"
          "etcd has neither a database file nor a raft log, so their sizes are 0.\n"
          "\n"
          "Values are the stored objects, as JSON on one line. --raw, --hex and -w protobuf show\n"
          "the bytes that a kube-apiserver writes instead: `k8s\\0` and protobuf for built-in\n"
          "kinds, JSON for CustomResourceDefinitions, APIServices and custom resources.\n"
          "\n"
          "etcdctl's flags for a connection are taken and mean nothing: the trace is the server.",
      .examples = {{"All keys",
                    "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
                    "ksim etcd /tmp/run.jsonl get / --prefix --keys-only"},
                   {"One object in its first version, in base64",
                    "ksim etcd /tmp/run.jsonl get /registry/replicasets/default/my-replicaset "
                    "--at 2s -o json"},
                   {"The bytes of an object, as a kube-apiserver stores it",
                    "ksim etcd /tmp/run.jsonl get /registry/replicasets/default/my-replicaset "
                    "--raw --print-value-only | head -c 4"},
                   {"What they mean, as etcdhelper decodes them",
                    "ksim etcd /tmp/run.jsonl get /registry/pods/ --prefix --limit 1 --decode"},
                   {"Every change of the pods, with what was before",
                    "ksim etcd /tmp/run.jsonl watch /registry/pods/ --prefix --prev-kv"}},
      .invoke = &Invoke<EtcdFlags, AddEtcdFlags, RunEtcd>};
}

}  // namespace ksim::cli
