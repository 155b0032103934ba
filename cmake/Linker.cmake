# The programs are linked by gold where it is there (binutils brings it): there are fifty of them,
# and it needs a third of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold KSIM_HAS_GOLD)
if(KSIM_HAS_GOLD)
  add_link_options(-fuse-ld=gold)
endif()
