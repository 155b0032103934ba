ksim_bench(sim_bench SRCS sim_bench.cc DEPS sim)
