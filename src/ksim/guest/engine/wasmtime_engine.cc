#include "ksim/guest/engine/wasmtime_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ksim/base/hash.h"
#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/guest/engine/wasmtime_library.h"

namespace ksim::guest {
namespace {

using wasmtime::Api;

// The stack of nested calls; Go's goroutines have their stacks in linear memory.
constexpr std::size_t kStack = std::size_t{1} << 20;
constexpr std::size_t kMostArguments = 16;

// Engines with another configuration cannot load each other's code.
constexpr int kCacheGeneration = 1;

// The reason stands in the last line, after the stack.
std::string TakeText(const Api& api, wasmtime::Bytes* bytes) {
  std::string text(bytes->data, bytes->size);
  api.wasm_byte_vec_delete(bytes);
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  std::string out;
  for (const std::string_view mark : {"Caused by:"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    for (const char c : text.substr(at + mark.size())) {
      if (c == '\n') {
        if (!out.empty() && out.back() != ' ') out += ' ';
      } else if (c != ' ' || (!out.empty() && out.back() != ' ')) {
        out += c;
      }
    }
    return out;
  }
  return text.substr(0, text.find('\n'));
}

// Takes the error.
std::string TextOf(const Api& api, wasmtime::Error* error) {
  wasmtime::Bytes bytes{};
  api.wasmtime_error_message(error, &bytes);
  api.wasmtime_error_delete(error);
  return TakeText(api, &bytes);
}

std::string TextOf(const Api& api, const wasmtime::Trap* trap) {
  wasmtime::Bytes bytes{};
  api.wasm_trap_message(trap, &bytes);
  return TakeText(api, &bytes);
}

// The memory that Wasmtime asked for last, on its way to who instantiates.
// NOLINT(ksim-static): within one call of wasmtime_instance_new
thread_local Memory* made_last = nullptr;

wasmtime::Error* CreateMemory(void* env, const wasmtime::MemoryType*, std::size_t minimum,
                              std::size_t, std::size_t, std::size_t, wasmtime::LinearMemory* out) {
  const Api& api = *static_cast<const Api*>(env);
  std::unique_ptr<Memory> memory = Memory::Reserve(minimum);
  if (memory == nullptr) return api.wasmtime_error_new("no address space for a guest's memory");
  made_last = memory.release();
  out->env = made_last;
  out->get = [](void* m, std::size_t* size, std::size_t* capacity) {
    Memory& self = *static_cast<Memory*>(m);
    *size = self.size();
    *capacity = Memory::kReserved;
    return self.base();
  };
  out->grow = [](void* m, std::size_t size) -> wasmtime::Error* {
    if (static_cast<Memory*>(m)->GrowTo(size)) return nullptr;
    const absl::StatusOr<const Api*> loaded = LoadWasmtime();
    return (*loaded)->wasmtime_error_new("no room");
  };
  out->finalizer = [](void* m) { delete static_cast<Memory*>(m); };
  return nullptr;
}

class WasmtimeProgram;

class WasmtimeInstance final : public Instance {
 public:
  WasmtimeInstance(const Api& api, wasmtime::StoreHandle* store)
      : api_(api), store_(store), context_(api.wasmtime_store_context(store)) {}
  ~WasmtimeInstance() override { api_.wasmtime_store_delete(store_); }

  Memory& memory() override { return *memory_; }
  const std::string& trap() const override { return trap_; }

  absl::Status PutBack(const std::shared_ptr<const Image>& image) override {
    if (image->size() > memory_->size()) {
      const std::size_t more = image->size() - memory_->size();
      if (const absl::Status s = Grow((more + Memory::kPage - 1) / Memory::kPage); !s.ok())
        return s;
    }
    return memory_->PutBack(image);
  }

  RunEnd Run(Host& host, std::uint64_t steps) override {
    host_ = &host;
    stopped_ = false;
    trap_.clear();
    wasmtime::Trap* trap = nullptr;
    wasmtime::Error* error = api_.wasmtime_context_set_fuel(context_, steps);
    if (error == nullptr)
      error = api_.wasmtime_func_call_unchecked(context_, &start_, &nothing_, 0, &trap);
    host_ = nullptr;
    if (error != nullptr) {
      trap_ = TextOf(api_, error);
      return stopped_ ? RunEnd::kStopped : RunEnd::kTrapped;
    }
    if (trap == nullptr) return RunEnd::kReturned;
    std::uint8_t code = 0;
    const bool out_of_fuel =
        api_.wasmtime_trap_code(trap, &code) && code == wasmtime::kTrapOutOfFuel;
    trap_ = TextOf(api_, trap);
    api_.wasm_trap_delete(trap);
    if (stopped_) return RunEnd::kStopped;
    return out_of_fuel ? RunEnd::kTooManySteps : RunEnd::kTrapped;
  }

 private:
  friend class WasmtimeProgram;
  absl::Status Grow(std::uint64_t pages) {
    std::uint64_t before = 0;
    wasmtime::Error* error = api_.wasmtime_memory_grow(context_, &exported_, pages, &before);
    if (error != nullptr) return absl::ResourceExhaustedError(TextOf(api_, error));
    return absl::OkStatus();
  }

  struct Function {  // an import, as the library calls it
    WasmtimeInstance* self;
    std::size_t index;
    std::size_t parameters;
    bool narrow_result;  // an i32
    bool has_result;
    std::array<bool, kMostArguments> narrow;  // which parameters are i32
  };

  static wasmtime::Trap* Called(void* env, wasmtime::Caller*, wasmtime::Raw* raw, std::size_t) {
    const Function& f = *static_cast<const Function*>(env);
    std::array<std::uint64_t, kMostArguments> words{};
    for (std::size_t i = 0; i < f.parameters; ++i) {
      if (f.narrow[i]) {
        std::uint32_t word = 0;
        std::memcpy(&word, raw[i].bytes, sizeof word);
        words[i] = word;
      } else {
        std::memcpy(&words[i], raw[i].bytes, sizeof words[i]);
      }
    }
    if (!f.self->host_->Call(f.index, words.data())) {
      f.self->stopped_ = true;
      return f.self->api_.wasmtime_trap_new("stopped", 7);
    }
    if (f.has_result) std::memcpy(raw[0].bytes, words.data(), f.narrow_result ? 4 : 8);
    return nullptr;
  }

  const Api& api_;
  wasmtime::StoreHandle* store_;
  wasmtime::Context* context_;
  std::vector<std::unique_ptr<Function>> functions_;
  wasmtime::Func start_{};
  wasmtime::MemoryRef exported_{};
  Memory* memory_ = nullptr;  // the store's
  Host* host_ = nullptr;      // of the run
  wasmtime::Raw nothing_{};
  bool stopped_ = false;
  std::string trap_;
};

class WasmtimeProgram final : public Program {
 public:
  // Takes the module.
  WasmtimeProgram(const Api& api, wasmtime::EngineHandle* engine, wasmtime::ModuleHandle* module)
      : api_(api), engine_(engine), module_(module) {
    wasmtime::ImportTypes types{};
    api_.wasmtime_module_imports(module_, &types);
    for (std::size_t i = 0; i < types.size; ++i) {
      const wasmtime::Bytes& from = *api_.wasm_importtype_module(types.data[i]);
      const wasmtime::Bytes& name = *api_.wasm_importtype_name(types.data[i]);
      Import import;
      import.module.assign(from.data, from.size);
      import.name.assign(name.data, name.size);
      imports_.push_back(std::move(import));
    }
    types_ = types;
  }
  ~WasmtimeProgram() override {
    api_.wasm_importtype_vec_delete(&types_);
    api_.wasmtime_module_delete(module_);
  }

  const std::vector<Import>& imports() const override { return imports_; }

  absl::StatusOr<std::unique_ptr<Instance>> Instantiate() override {
    auto instance = std::make_unique<WasmtimeInstance>(
        api_, api_.wasmtime_store_new(engine_, nullptr, nullptr));
    std::vector<wasmtime::Extern> externs(types_.size);
    for (std::size_t i = 0; i < types_.size; ++i) {
      const wasmtime::FuncType* type =
          api_.wasm_externtype_as_functype_const(api_.wasm_importtype_type(types_.data[i]));
      if (type == nullptr)
        return absl::InvalidArgumentError(fmt::format("it imports {}.{}, which is no function",
                                                      imports_[i].module, imports_[i].name));
      auto function = std::make_unique<WasmtimeInstance::Function>();
      function->self = instance.get();
      function->index = i;
      const wasmtime::ValTypes& parameters = *api_.wasm_functype_params(type);
      if (parameters.size > kMostArguments)
        return absl::InvalidArgumentError(
            fmt::format("{}.{} has too many parameters", imports_[i].module, imports_[i].name));
      function->parameters = parameters.size;
      for (std::size_t k = 0; k < parameters.size; ++k)
        function->narrow[k] = api_.wasm_valtype_kind(parameters.data[k]) == 0;
      const wasmtime::ValTypes& results = *api_.wasm_functype_results(type);
      function->has_result = results.size > 0;
      function->narrow_result = results.size > 0 && api_.wasm_valtype_kind(results.data[0]) == 0;
      externs[i].kind = wasmtime::kExternFunc;
      api_.wasmtime_func_new_unchecked(instance->context_, type, WasmtimeInstance::Called,
                                       function.get(), nullptr, &externs[i].of.func);
      instance->functions_.push_back(std::move(function));
    }
    // A module without a start function calls nobody here, but its stores are counted.
    wasmtime::Error* error = api_.wasmtime_context_set_fuel(instance->context_, ~0ull >> 1);
    wasmtime::InstanceRef made{};
    wasmtime::Trap* trap = nullptr;
    made_last = nullptr;
    if (error == nullptr)
      error = api_.wasmtime_instance_new(instance->context_, module_, externs.data(),
                                         externs.size(), &made, &trap);
    if (error != nullptr) return absl::InvalidArgumentError(TextOf(api_, error));
    if (trap != nullptr) {
      const std::string text = TextOf(api_, trap);
      api_.wasm_trap_delete(trap);
      return absl::InvalidArgumentError(text);
    }
    instance->memory_ = made_last;
    wasmtime::Extern start{}, memory{};
    if (!api_.wasmtime_instance_export_get(instance->context_, &made, "_start", 6, &start) ||
        start.kind != wasmtime::kExternFunc)
      return absl::InvalidArgumentError("it has no function _start");
    if (!api_.wasmtime_instance_export_get(instance->context_, &made, "memory", 6, &memory) ||
        memory.kind != wasmtime::kExternMemory || instance->memory_ == nullptr)
      return absl::InvalidArgumentError("it has no memory of its own");
    instance->start_ = start.of.func;
    instance->exported_ = memory.of.memory;
    return std::unique_ptr<Instance>(std::move(instance));
  }

 private:
  const Api& api_;
  wasmtime::EngineHandle* engine_;
  wasmtime::ModuleHandle* module_;
  wasmtime::ImportTypes types_{};
  std::vector<Import> imports_;
};

class WasmtimeEngine final : public Engine {
 public:
  WasmtimeEngine(const Api& api, Tier tier, std::string cache)
      : api_(api), tier_(tier), cache_(std::move(cache)) {}
  ~WasmtimeEngine() override {
    for (wasmtime::EngineHandle* engine : engines_)
      if (engine != nullptr) api_.wasm_engine_delete(engine);
  }

  absl::StatusOr<std::unique_ptr<Program>> Load(
      std::string_view wasm, const std::function<void(const std::string&)>& progress) override {
    const std::uint64_t content = Hash64(wasm);
    for (const Tier tier : {Tier::kOptimized, tier_}) {
      const std::string path = PathOf(content, wasm.size(), tier);
      if (cache_.empty() || !os::Exists(path)) continue;
      wasmtime::ModuleHandle* module = nullptr;
      wasmtime::Error* error =
          api_.wasmtime_module_deserialize_file(EngineOf(tier), path.c_str(), &module);
      if (error == nullptr) return Made(tier, module);
      // A file of another machine or library: it is made anew.
      progress(fmt::format("{} does not fit here: {}", path, TextOf(api_, error)));
    }
    progress(fmt::format("compiling {} MB of WebAssembly, once{}", wasm.size() >> 20,
                         tier_ == Tier::kBaseline ? "" : ", optimized"));
    wasmtime::ModuleHandle* module = nullptr;
    wasmtime::Error* error = api_.wasmtime_module_new(
        EngineOf(tier_), reinterpret_cast<const std::uint8_t*>(wasm.data()), wasm.size(), &module);
    if (error != nullptr) return absl::InvalidArgumentError(TextOf(api_, error));
    absl::StatusOr<std::unique_ptr<Program>> program = Made(tier_, module);
    if (const absl::Status kept = Keep(module, PathOf(content, wasm.size(), tier_)); !kept.ok())
      progress(fmt::format("the compiled code is not kept: {}", Message(kept)));
    return program;
  }

 private:
  wasmtime::EngineHandle* EngineOf(Tier tier) {
    wasmtime::EngineHandle*& engine = engines_[static_cast<std::size_t>(tier)];
    if (engine != nullptr) return engine;
    wasmtime::Config* config = api_.wasm_config_new();
    wasmtime::MemoryCreator creator{const_cast<Api*>(&api_), CreateMemory, nullptr};
    api_.wasmtime_config_host_memory_creator_set(config, &creator);
    api_.wasmtime_config_memory_init_cow_set(config, false);
    api_.wasmtime_config_consume_fuel_set(config, true);
    api_.wasmtime_config_max_wasm_stack_set(config, kStack);
    api_.wasmtime_config_wasm_threads_set(config, false);
    if (tier == Tier::kBaseline) {
      api_.wasmtime_config_strategy_set(config, wasmtime::kWinch);
    } else {
      api_.wasmtime_config_strategy_set(config, wasmtime::kCranelift);
      api_.wasmtime_config_cranelift_nan_canonicalization_set(config, true);
      api_.wasmtime_config_cranelift_opt_level_set(config, wasmtime::kSpeed);
    }
    engine = api_.wasm_engine_new_with_config(config);
    return engine;
  }

  std::string PathOf(std::uint64_t content, std::size_t size, Tier tier) const {
    return fmt::format("{}/{:016x}-{}.{}-{}-{}", cache_, content, size, kWasmtimeVersion,
                       tier == Tier::kBaseline ? "baseline" : "optimized", kCacheGeneration);
  }

  absl::StatusOr<std::unique_ptr<Program>> Made(Tier tier, wasmtime::ModuleHandle* module) {
    return std::unique_ptr<Program>(
        std::make_unique<WasmtimeProgram>(api_, EngineOf(tier), module));
  }

  absl::Status Keep(const wasmtime::ModuleHandle* module, const std::string& path) const {
    if (cache_.empty()) return absl::OkStatus();
    if (const absl::Status made = os::MakeDirectories(cache_); !made.ok()) return made;
    wasmtime::Bytes code{};
    if (wasmtime::Error* error = api_.wasmtime_module_serialize(module, &code); error != nullptr)
      return absl::InternalError(TextOf(api_, error));
    absl::StatusOr<os::OutputFile> file = os::OutputFile::Create(path);
    absl::Status status = file.status();
    if (status.ok()) status = file->Write(std::string_view(code.data, code.size));
    if (status.ok()) status = file->Commit();
    api_.wasm_byte_vec_delete(&code);
    return status;
  }

  const Api& api_;
  const Tier tier_;
  const std::string cache_;
  std::array<wasmtime::EngineHandle*, 2> engines_{};
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeWasmtimeEngine(Tier tier, std::string cache) {
  const absl::StatusOr<const Api*> api = LoadWasmtime();
  if (!api.ok()) return api.status();
  return std::unique_ptr<Engine>(std::make_unique<WasmtimeEngine>(**api, tier, std::move(cache)));
}

}  // namespace ksim::guest
