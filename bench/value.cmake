ksim_bench(value_bench SRCS value_bench.cc DEPS api value)
target_link_libraries(value_bench PRIVATE nlohmann_json::nlohmann_json)  # what it is beside
target_compile_definitions(value_bench PRIVATE KSIM_BENCH_DATA="${CMAKE_CURRENT_LIST_DIR}/data")
