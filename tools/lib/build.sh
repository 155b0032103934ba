# Shared by the scripts in tools/: what must be installed, and how the build is done.
# Read with `.` from bash, after $root (the checkout) and $build (the build directory) are set.
#
# Everything here talks on stderr and exits 69 (EX_UNAVAILABLE) if it cannot install or build; the
# reader of stdin is the program that runs in the end, so nothing here reads it.

export CXX=${CXX:-g++}

say() { printf 'ksim: %s\n' "$*" >&2; }

# begin_build: from here to end_build this is the only build in $build, and $log is its log.
# The lock is fd 9, so it ends with this process at the latest.
begin_build() {
  log=$build/ksim-build.log
  if ! mkdir -p "$build" 2>/dev/null || ! { exec 9>"$build/ksim-build.lock"; } 2>/dev/null; then
    log=$(mktemp "${TMPDIR:-/tmp}/ksim-build.XXXXXX.log") || log=/dev/null
    printf 'cannot write to %s\n' "$build" >"$log"
    unavailable "cannot write to $build"
  fi
  build=$(CDPATH='' cd -- "$build" && pwd -P)  # as cmake will name it
  log=$build/ksim-build.log
  if ! flock -n 9; then
    say "waiting for another build in $build"
    flock 9
  fi
  : >"$log"
}

end_build() { exec 9>&-; }

# unavailable MESSAGE: says it, the last words of the log, and where the whole log is.
unavailable() {
  say "$1"
  if [ -s "$log" ]; then
    { grep -E -m 12 '(error|Error|E):|undefined reference|FAILED:' "$log" ||
      tail -n 12 "$log"; } | sed 's/^/  /' >&2
  fi
  say "ksim did not run; log: $log"
  exit 69
}

# --- What is needed: how to know that it is there, and the package that brings it. ---------------

needs_build='
command:g++           g++
command:cmake         cmake
command:ninja         ninja-build
command:pkg-config    pkg-config
header:absl/status/statusor.h   libabsl-dev
header:fmt/core.h               libfmt-dev
header:CLI/CLI.hpp              libcli11-dev
header:nlohmann/json.hpp        nlohmann-json3-dev
header:yaml.h                   libyaml-dev
header:xxhash.h                 libxxhash-dev
header:boost/beast/http/parser.hpp   libboost-dev
header:nghttp2/nghttp2.h        libnghttp2-dev
header:openssl/ssl.h            libssl-dev
header:zlib.h                   zlib1g-dev
header:re2/re2.h                libre2-dev
header:protozero/pbf_reader.hpp libprotozero-dev
header:mimalloc.h               libmimalloc-dev'
needs_test='
header:gtest/gtest.h            libgtest-dev
header:gmock/gmock.h            libgmock-dev
command:python3                 python3'
needs_bench='
header:benchmark/benchmark.h    libbenchmark-dev'
needs_guests='
command:python3                 python3
command:pip3                    python3-pip'
needs_tidy='
command:clang++-19             clang-19
command:clang-tidy-19          clang-tidy-19'
needs_check=$needs_tidy'
command:g++-12                  g++-12
command:clang++-19              clang-19
command:clang-format-19         clang-format-19
file:/usr/lib/llvm-19/lib/clang/19/lib/linux   libclang-rt-19-dev
command:localedef               libc-bin
command:curl                    curl
file:/usr/share/python-wheels   python3-venv
command:node                    nodejs
command:valgrind                valgrind
file:/usr/share/i18n/locales/de_DE             locales'

have_header() {
  local dir
  local IFS=:
  for dir in /usr/include /usr/local/include ${CPATH-} ${CPLUS_INCLUDE_PATH-}; do
    [ -e "$dir/$1" ] && return
  done
  IFS=';:'
  for dir in ${CMAKE_PREFIX_PATH-}; do
    [ -e "$dir/include/$1" ] && return
  done
  return 1
}

# have PROBE: whether `command:`, `header:` or `file:` NAME is there. $CXX stands in for g++.
have() {
  case $1 in
    command:g++) command -v "${CXX%% *}" >/dev/null ;;
    command:*) command -v "${1#command:}" >/dev/null ;;
    header:*) have_header "${1#header:}" ;;
    file:*) [ -e "${1#file:}" ] ;;
  esac
}

# missing_packages NEEDS: the packages of those that are not there, on one line.
missing_packages() {
  local probe package missing=
  while read -r probe package; do
    case "$missing " in *" $package "*) continue ;; esac
    if [ -n "$probe" ] && ! have "$probe"; then missing="$missing $package"; fi
  done <<<"$1"
  printf '%s' "${missing# }"
}

# as_root COMMAND...: runs it as root, with sudo if need be. Without a terminal sudo may not ask.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 2 ] && { : </dev/tty; } 2>/dev/null; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 \
    apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null >>"$log" 2>&1
}

# A machine that has just booted may be updating its lists itself: wait for it a little.
apt_update() {
  local try
  for try in 1 2 3 4 5 6; do
    apt_get update && return
    tail -n 5 "$log" | grep -q 'Could not get lock' || return
    sleep 5
  done
}

# install_missing NEEDS: installs what is not there, or exits 69 naming it.
install_missing() {
  local packages
  packages=$(missing_packages "$1")
  [ -z "$packages" ] && return
  if [ -n "${KSIM_NO_INSTALL-}" ] && [ "$KSIM_NO_INSTALL" != 0 ]; then
    unavailable "KSIM_NO_INSTALL is set, and these packages are missing: $packages"
  fi
  if ! command -v apt-get >/dev/null; then
    unavailable "no apt-get here; install by hand what these packages bring: $packages"
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    unavailable "not root and no sudo; as root: apt-get install $packages"
  fi
  say "installing $packages"
  # A failed update is no failure yet: the lists that are there may do.
  apt_update || say "apt-get update failed; trying with the package lists that are there"
  # shellcheck disable=SC2086  # a list of packages
  if ! apt_get install -y --no-install-recommends $packages; then
    unavailable "apt-get could not install: $packages"
  fi
}

# --- Configure and build. -------------------------------------------------------------------------

# One job a core, but none without 700 MB for its compiler.
jobs() {
  local cores available
  cores=$(nproc 2>/dev/null || echo 2)
  available=$(awk '/^MemAvailable:/ {print int($2 / 700000)}' /proc/meminfo 2>/dev/null)
  if [ -n "$available" ] && [ "$available" -lt "$cores" ]; then cores=$available; fi
  [ "$cores" -ge 1 ] || cores=1
  printf '%s' "${KSIM_JOBS:-$cores}"
}

# A build directory is bound to its checkout: one that moved, or serves another, is begun anew.
discard_foreign_cache() {
  local home
  [ -e "$build/CMakeCache.txt" ] || return 0
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  if [ "$home" != "$root" ] ||
      ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt"; then
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  fi
}

# is_configured [-D...]: whether the build directory is set up, with these options.
is_configured() {
  local option
  [ -e "$build/build.ninja" ] && [ -e "$build/CMakeCache.txt" ] || return
  for option in "$@"; do
    option=${option#-D}
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$build/CMakeCache.txt" || return
  done
}

# configure [-D...]: only where the directory is new or an option changes; else ninja sees to it.
# A directory that an earlier failure or an upgrade left unusable is begun anew once.
configure() {
  discard_foreign_cache
  is_configured "$@" && return
  say "configuring $build"
  cmake -S "$root" -B "$build" -G Ninja "$@" </dev/null >>"$log" 2>&1 && return
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  if ! cmake -S "$root" -B "$build" -G Ninja "$@" </dev/null >>"$log" 2>&1; then
    unavailable "cmake failed"
  fi
}

# Copies ninja's output to the log and tells how far it is: in place on a terminal, else in steps.
# Says nothing if ninja has nothing to do.
show_progress() {
  local line done total step=0 begun=
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] || continue  # not "[0/2] Re-checking"
    done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ -z "$begun" ]; then begun=1; say "building $total steps (log: $log)"; fi
    if [ -t 2 ]; then
      printf '\rksim: [%s/%s] ' "$done" "$total" >&2
    elif [ $((done * 4 / total)) -gt $step ]; then
      step=$((done * 4 / total))
      say "[$done/$total]"
    fi
  done
  if [ -n "$begun" ] && [ -t 2 ]; then printf '\r\033[K' >&2; fi
  return 0
}

# build TARGET...
build() {
  if ! ninja -C "$build" -j "$(jobs)" "$@" </dev/null 2>&1 | show_progress; then
    unavailable "the build failed"
  fi
}

# build_release TARGET [-D...]: the build of tools/ksim and tools/test. A directory that is there
# keeps its options, so that the two do not undo each other's work. The stamp, by which tools/ksim
# knows that all is built, has the time of the start: what changes meanwhile is newer.
build_release() {
  local target=$1
  shift
  printf '%s\n' "$root" >"$build/ksim.stamp.new"
  discard_foreign_cache
  if ! is_configured; then set -- -DKSIM_BUILD_TESTS=OFF "$@"; fi
  configure -DCMAKE_BUILD_TYPE=Release -DKSIM_BUILD_BENCHMARKS=OFF -DKSIM_CCACHE=ON \
    -DKSIM_PRECOMPILE=ON -DKSIM_UNITY=ON "$@"
  build "$target"
  mv -f "$build/ksim.stamp.new" "$build/ksim.stamp"
}
