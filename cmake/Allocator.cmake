# ksim_fast_allocator(<executable>): mimalloc in place of the C library's malloc, where it is
# installed. A run makes and drops thousands of small objects; nothing depends on where they lie.
# Sanitizers bring an allocator of their own.
option(KSIM_MIMALLOC "Link the executables with mimalloc if it is there" ON)
if(KSIM_MIMALLOC AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  find_package(mimalloc QUIET CONFIG)
endif()

function(ksim_fast_allocator target)
  if(TARGET mimalloc)
    target_link_libraries(${target} PRIVATE mimalloc)
  endif()
endfunction()
