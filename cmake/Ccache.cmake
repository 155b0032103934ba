# -DKSIM_CCACHE=ON: compile through ccache where there is one that works; a launcher chosen by the
# caller wins.
if(KSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KSIM_CCACHE_PROGRAM ccache)
  if(KSIM_CCACHE_PROGRAM)
    # A ccache that cannot write to its cache fails where the compiler would not.
    execute_process(COMMAND ${KSIM_CCACHE_PROGRAM} ${CMAKE_CXX_COMPILER} -x c++ -c /dev/null
      -o ${PROJECT_BINARY_DIR}/ccache-works.o RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(CMAKE_CXX_COMPILER_LAUNCHER ${KSIM_CCACHE_PROGRAM})
      if(KSIM_PRECOMPILE)  # else a file that uses a precompiled header is never found again
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
          CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
          ${KSIM_CCACHE_PROGRAM})
      endif()
    endif()
  endif()
endif()
