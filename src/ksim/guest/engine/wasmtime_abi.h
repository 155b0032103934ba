// The part of Wasmtime's C API that ksim uses, as it is in version 50 (crates/c-api/include/wasm.h,
// wasmtime/*.h): shapes and names, for a library that is loaded at run time and whose headers no
// distribution brings.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ksim::guest::wasmtime {

struct Config;
struct EngineHandle;
struct ModuleHandle;
struct StoreHandle;
struct Context;
struct Caller;
struct Error;
struct Trap;
struct ImportType;
struct ExternType;
struct FuncType;
struct ValType;
struct MemoryType;

struct Bytes {  // wasm_byte_vec_t, wasm_name_t
  std::size_t size;
  char* data;
};
struct ImportTypes {  // wasm_importtype_vec_t
  std::size_t size;
  ImportType** data;
};
struct ValTypes {  // wasm_valtype_vec_t
  std::size_t size;
  ValType** data;
};

struct Func {
  std::uint64_t store_id;
  void* internal;
};
struct MemoryRef {
  struct {
    std::uint64_t store_id;
    std::uint32_t internal1;
  } outer;
  std::uint32_t internal2;
};
struct Global {
  std::uint64_t store_id;
  std::uint32_t internal[3];
};
struct Extern {
  std::uint8_t kind;
  union {
    Func func;
    Global global;
    MemoryRef memory;
    void* other;
  } of;
};
inline constexpr std::uint8_t kExternFunc = 0, kExternMemory = 3;
struct InstanceRef {
  std::uint64_t store_id;
  std::size_t internal;
};
struct Raw {  // wasmtime_val_raw_t
  alignas(8) std::uint8_t bytes[16];
};
static_assert(sizeof(Func) == 16 && sizeof(MemoryRef) == 24 && sizeof(Global) == 24 &&
              sizeof(Extern) == 32 && sizeof(InstanceRef) == 16 && sizeof(Raw) == 16);

using Callback = Trap* (*)(void* env, Caller*, Raw* args_and_results, std::size_t count);

struct LinearMemory {
  void* env;
  std::uint8_t* (*get)(void* env, std::size_t* size, std::size_t* capacity);
  Error* (*grow)(void* env, std::size_t size);
  void (*finalizer)(void*);
};
struct MemoryCreator {
  void* env;
  Error* (*create)(void* env, const MemoryType*, std::size_t minimum, std::size_t maximum,
                   std::size_t reserved, std::size_t guard, LinearMemory* out);
  void (*finalizer)(void*);
};

enum Strategy : std::uint8_t { kAuto = 0, kCranelift = 1, kWinch = 2 };
enum OptLevel : std::uint8_t { kNone = 0, kSpeed = 1 };
inline constexpr std::uint8_t kTrapOutOfFuel = 11;

// NAME(result, arguments...): each is a function of the library, and a pointer to it in Api.
#define KSIM_WASMTIME_FUNCTIONS(F)                                                             \
  F(wasm_config_new, Config*, ())                                                              \
  F(wasmtime_config_consume_fuel_set, void, (Config*, bool))                                   \
  F(wasmtime_config_max_wasm_stack_set, void, (Config*, std::size_t))                          \
  F(wasmtime_config_wasm_threads_set, void, (Config*, bool))                                   \
  F(wasmtime_config_strategy_set, void, (Config*, Strategy))                                   \
  F(wasmtime_config_cranelift_nan_canonicalization_set, void, (Config*, bool))                 \
  F(wasmtime_config_cranelift_opt_level_set, void, (Config*, OptLevel))                        \
  F(wasmtime_config_memory_init_cow_set, void, (Config*, bool))                                \
  F(wasmtime_config_host_memory_creator_set, void, (Config*, MemoryCreator*))                  \
  F(wasm_engine_new_with_config, EngineHandle*, (Config*))                                     \
  F(wasm_engine_delete, void, (EngineHandle*))                                                 \
  F(wasmtime_module_new, Error*,                                                               \
    (EngineHandle*, const std::uint8_t*, std::size_t, ModuleHandle**))                         \
  F(wasmtime_module_deserialize_file, Error*, (EngineHandle*, const char*, ModuleHandle**))    \
  F(wasmtime_module_serialize, Error*, (const ModuleHandle*, Bytes*))                          \
  F(wasmtime_module_delete, void, (ModuleHandle*))                                             \
  F(wasmtime_module_imports, void, (const ModuleHandle*, ImportTypes*))                        \
  F(wasm_importtype_vec_delete, void, (ImportTypes*))                                          \
  F(wasm_importtype_module, const Bytes*, (const ImportType*))                                 \
  F(wasm_importtype_name, const Bytes*, (const ImportType*))                                   \
  F(wasm_importtype_type, const ExternType*, (const ImportType*))                              \
  F(wasm_externtype_as_functype_const, const FuncType*, (const ExternType*))                   \
  F(wasm_functype_params, const ValTypes*, (const FuncType*))                                  \
  F(wasm_functype_results, const ValTypes*, (const FuncType*))                                 \
  F(wasm_valtype_kind, std::uint8_t, (const ValType*))                                         \
  F(wasm_byte_vec_delete, void, (Bytes*))                                                      \
  F(wasmtime_store_new, StoreHandle*, (EngineHandle*, void*, void (*)(void*)))                 \
  F(wasmtime_store_context, Context*, (StoreHandle*))                                          \
  F(wasmtime_store_delete, void, (StoreHandle*))                                               \
  F(wasmtime_context_set_fuel, Error*, (Context*, std::uint64_t))                              \
  F(wasmtime_context_get_fuel, Error*, (const Context*, std::uint64_t*))                       \
  F(wasmtime_func_new_unchecked, void,                                                         \
    (Context*, const FuncType*, Callback, void*, void (*)(void*), Func*))                      \
  F(wasmtime_func_call_unchecked, Error*, (Context*, const Func*, Raw*, std::size_t, Trap**))  \
  F(wasmtime_instance_new, Error*,                                                             \
    (Context*, const ModuleHandle*, const Extern*, std::size_t, InstanceRef*, Trap**))         \
  F(wasmtime_instance_export_get, bool,                                                        \
    (Context*, const InstanceRef*, const char*, std::size_t, Extern*))                         \
  F(wasmtime_memory_grow, Error*, (Context*, const MemoryRef*, std::uint64_t, std::uint64_t*)) \
  F(wasmtime_error_new, Error*, (const char*))                                                 \
  F(wasmtime_error_message, void, (const Error*, Bytes*))                                      \
  F(wasmtime_error_delete, void, (Error*))                                                     \
  F(wasmtime_trap_new, Trap*, (const char*, std::size_t))                                      \
  F(wasmtime_trap_code, bool, (const Trap*, std::uint8_t*))                                    \
  F(wasm_trap_message, void, (const Trap*, Bytes*))                                            \
  F(wasm_trap_delete, void, (Trap*))

struct Api {
#define KSIM_WASMTIME_POINTER(name, result, arguments) result(*name) arguments = nullptr;
  KSIM_WASMTIME_FUNCTIONS(KSIM_WASMTIME_POINTER)
#undef KSIM_WASMTIME_POINTER
};

}  // namespace ksim::guest::wasmtime
