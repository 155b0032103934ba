# run_upstream_tool FILE.py ARGUMENT...: runs a tool that compares ksim with upstream's controllers;
# builds ksim first unless --ksim names one. Read with `.` from bash; $root is the checkout.

build=${KSIM_BUILD_DIR:-$root/build/release}
case $build in /*) ;; *) build=$PWD/$build ;; esac
. "$root/tools/lib/build.sh"

needs_upstream='
command:python3                             python3
file:/usr/lib/python3/dist-packages/yaml    python3-yaml'

run_upstream_tool() {
  local program=$root/tools/lib/$1 needs=$needs_upstream ksim='' argument
  shift
  for argument in "$@"; do
    case $argument in
      -h | --help) sed -n '1,/^"""$/{s/^"""//;p}' "$program"; exit 0 ;;
      --ksim | --ksim=*) ksim=given ;;
    esac
  done
  if [ -z "$ksim" ]; then needs=$needs$needs_build; fi
  if python3 -c 'import yaml' 2>/dev/null; then needs=${needs/file:*python3-yaml/}; fi
  begin_build
  install_missing "$needs"
  if [ -z "$ksim" ]; then
    build_release ksim
    set -- --ksim "$build/bin/ksim" "$@"
  fi
  end_build
  PYTHONDONTWRITEBYTECODE=1 exec python3 "$program" "$@"
}
