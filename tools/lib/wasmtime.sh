# bring_wasmtime: the shared library that runs guests, from the Python package `wasmtime`, which
# holds it with the whole C API. Read with `.` from bash, behind build.sh.

wasmtime_version=50.0.1  # kWasmtimeVersion of ksim knows this one
# By machine: the checksum of the package's file on PyPI, and of the library in it.
wasmtime_checksums='
x86_64 package cc14c3a17654e0394e0225b11813532ef0cd7bd1e222a0c5494cdedaabeddac4
x86_64 library 3127ca42fe7cdd3f0a43a358e79177dcfedd46c1746329826403b9d854de6178
aarch64 package 675484e525c028dc02762b777f1db4477ea70caa3fec6775426daff4d64edfb1
aarch64 library 4777b787fcc6651c98130ccc7c8ce9160faba5f3b34918886785a43094026fc9'

# wasmtime_checksum OF: package or library; empty on a machine that there is none for.
wasmtime_checksum() { sed -n "s/^$(uname -m) $1 //p" <<<"$wasmtime_checksums"; }

is_wasmtime() { [ -f "$1" ] && [ "$(sha256sum <"$1")" = "$2  -" ]; }

bring_wasmtime() {
  local place=${XDG_DATA_HOME:-$HOME/.local/share}/ksim package library folder
  place=$place/libwasmtime-$wasmtime_version.so
  package=$(wasmtime_checksum package) library=$(wasmtime_checksum library)
  [ -n "$package" ] || unavailable "guests: there is no Wasmtime $wasmtime_version for $(uname -m)"
  if is_wasmtime "$place" "$library"; then
    say "guests: Wasmtime $wasmtime_version is there: $place"
    return
  fi
  say "guests: fetching Wasmtime $wasmtime_version (PyPI, 10 MB)"
  folder=$(mktemp -d "${TMPDIR:-/tmp}/ksim-wasmtime.XXXXXX") || unavailable "no temporary folder"
  printf 'wasmtime==%s --hash=sha256:%s\n' "$wasmtime_version" "$package" >"$folder/wanted"
  if ! {
    python3 -m pip download --disable-pip-version-check --no-deps --only-binary=:all: \
      --require-hashes -r "$folder/wanted" -d "$folder" &&
      python3 -c '
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(folder.glob("*.whl"))) as package:
    name = next(n for n in package.namelist() if n.endswith("/_libwasmtime.so"))
    (folder / "library").write_bytes(package.read(name))' "$folder" &&
      is_wasmtime "$folder/library" "$library" &&
      mkdir -p "${place%/*}" &&
      cp "$folder/library" "$place.$$" && mv "$place.$$" "$place"
  } >>"$log" 2>&1; then
    rm -rf "$folder"
    unavailable "guests: Wasmtime $wasmtime_version could not be brought"
  fi
  rm -rf "$folder"
  say "guests: $place"
}

# check_go: says so if there is no Go that guests can be built with.
check_go() {
  local version
  version=$(go env GOVERSION 2>/dev/null) || version=
  case $version in
    go1.2[456]*) ;;
    '') say "guests: ksim guest build wants Go 1.24 to 1.26 in PATH (https://go.dev/dl)" ;;
    *) say "guests: ksim guest build knows Go 1.24 to 1.26; here is $version" ;;
  esac
}
