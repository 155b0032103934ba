ksim_bench(run_bench SRCS run_bench.cc DEPS fuzz)
ksim_fast_allocator(run_bench)
target_compile_definitions(run_bench PRIVATE
  KSIM_SCENARIOS="${PROJECT_SOURCE_DIR}/scenarios")
