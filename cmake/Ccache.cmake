# -DKSIM_CCACHE=ON: compile through ccache where there is one that works; a launcher chosen by the
# caller wins. Not with a profile, of which an object is no function of its sources.
if(KSIM_CCACHE AND NOT KSIM_PROFILE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KSIM_CCACHE_PROGRAM ccache)
  if(KSIM_CCACHE_PROGRAM)
    # A ccache that cannot write to its cache fails where the compiler would not.
    execute_process(COMMAND ${KSIM_CCACHE_PROGRAM} ${CMAKE_CXX_COMPILER} -x c++ -c /dev/null
      -o ${PROJECT_BINARY_DIR}/ccache-works.o RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      # Objects that another clone has compiled serve this one: paths below the checkout count not.
      set(KSIM_CCACHE_SETTINGS CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
      if(KSIM_PRECOMPILE)  # else a file that uses a precompiled header is never found again
        # Times do count: what was compiled while somebody edited a header must not be kept.
        list(APPEND KSIM_CCACHE_SETTINGS CCACHE_SLOPPINESS=pch_defines,time_macros)
      endif()
      set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env ${KSIM_CCACHE_SETTINGS} ${KSIM_CCACHE_PROGRAM})
    endif()
  endif()
endif()
