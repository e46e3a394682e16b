#!/usr/bin/env bash
# setup.sh tool|tests: installs what building midend's tool, or running all its tests, needs on Debian 12.
#
# It looks for each thing first (a program or a header), so that versions of your own are taken as they are, and calls
# apt-get only if something is missing. It never asks a question. With MIDEND_SETUP=0 it only says what is missing.
set -u

case ${1-} in
  tool | tests) group=$1 ;;
  *)
    echo "usage: $0 tool|tests" >&2
    exit 2
    ;;
esac

missing=() missing_optional=()

program() { command -v "$1" >/dev/null 2>&1; }

header() {
  local directory
  for directory in /usr/include /usr/local/include /usr/include/*-linux-gnu; do
    [ -e "$directory/$1" ] && return
  done
  return 1
}

any_file() { [ -n "$(compgen -G "$1" | head -n 1)" ]; }

need() { # PACKAGE PROBE ARGUMENT
  "$2" "$3" || missing+=("$1")
}

want() { # the same of something that can be done without
  "$2" "$3" || missing_optional+=("$1")
}

need g++ program g++
need cmake program cmake
need ninja-build program ninja
need libboost-dev header boost/version.hpp
need zlib1g-dev header zlib.h
need libcli11-dev header CLI/CLI.hpp
need nlohmann-json3-dev header nlohmann/json.hpp
want graphviz program dot
want ccache program ccache
if [ "$group" = tests ]; then
  need doctest-dev header doctest/doctest.h
  need libbenchmark-dev header benchmark/benchmark.h
  need clang-19 program clang++-19
  need libclang-rt-19-dev any_file '/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-*.a'
  need clang-16 program clang++-16
  need clang-format-19 program clang-format-19
  need make program make
  need pkg-config program pkg-config
  need python3 program python3
  want gcc-12-plugin-dev any_file '/usr/lib/gcc/*/12/plugin/include/gcc-plugin.h'
  want llvm-19-dev program llvm-config-19
  want llvm-19 program opt-19
  want llvm-19-runtime program lli-19
  # A second oracle of dependences.
  want libisl-dev header isl/set.h
  want libz3-dev header z3.h
  want valgrind program valgrind # counts instructions
  # Programs that are compiled with the LLVM pass plugin, by tests/run.sh --thorough.
  want csmith program csmith
  want libcsmith-dev any_file '/usr/include/csmith*/csmith.h'
  want tcl program tclsh
  want dpkg-dev program dpkg-source
  want meson program meson
  want doxygen program doxygen
  want mkdocs program mkdocs
  want nodejs program node # asks the search of the manual
  # The library on other machines and with another standard library.
  want g++-s390x-linux-gnu program s390x-linux-gnu-g++
  want g++-i686-linux-gnu program i686-linux-gnu-g++
  want qemu-user-static program qemu-s390x-static
  want libc++-19-dev any_file '/usr/lib/llvm-19/include/c++/v1/vector'
  want libc++abi-19-dev any_file '/usr/lib/llvm-19/lib/libc++abi.so'
  want mkdocs-material any_file /usr/share/mkdocs/themes/material/base.html
fi

if [ ${#missing[@]} -eq 0 ] && [ ${#missing_optional[@]} -eq 0 ]; then
  echo "set-up: everything is there"
  exit 0
fi
echo "set-up: missing: ${missing[*]-} ${missing_optional[*]+(optional: ${missing_optional[*]})}"

give_up() {
  echo "set-up: $1" >&2
  [ ${#missing[@]} -eq 0 ] && exit 0 # only optional ones
  echo "set-up: please install: ${missing[*]}" >&2
  exit 1
}

[ "${MIDEND_SETUP-1}" = 0 ] && give_up "MIDEND_SETUP=0, nothing is installed"
program apt-get || give_up "this is no Debian (no apt-get)"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  program sudo || give_up "not root, and there is no sudo"
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
install() { # quiet, unless it fails
  local output
  output=$(apt install -y --no-install-recommends "$@" 2>&1) && return
  printf '%s\n' "$output" >&2
  return 1
}

echo "set-up: apt-get update"
apt update || echo "set-up: apt-get update failed, trying with the lists there are" >&2
if [ ${#missing[@]} -gt 0 ]; then
  echo "set-up: apt-get install ${missing[*]}"
  install "${missing[@]}" || give_up "apt-get install failed"
fi
for package in ${missing_optional[@]+"${missing_optional[@]}"}; do
  echo "set-up: apt-get install $package (optional)"
  install "$package" || echo "set-up: $package cannot be installed, going on without it" >&2
done
echo "set-up: done"
