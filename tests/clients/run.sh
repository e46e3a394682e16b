#!/usr/bin/env bash
# run.sh find_package|add_subdirectory|fetch_content|pkg_config SOURCE_DIR WORK_DIR COMPILER: builds the client
# project of that name from scratch and runs it.
set -eu
name=$1 source=$2 work=$3 compiler=$4
here=$source/tests/clients
rm -rf "$work"
mkdir -p "$work"
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH midend_DIR MIDEND_DIR

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
configure() { cmake "${generator[@]}" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_MESSAGE=NEVER "$@"; }

install_and_move() { # the prefix is given up after the installation: nothing in it may know where it was
  configure -S "$source" -B "$work/midend" -DCMAKE_INSTALL_PREFIX="$work/first" -DMIDEND_BUILD_TESTS=OFF \
    -DMIDEND_BUILD_EXAMPLES=OFF -DMIDEND_BUILD_BENCHMARKS=OFF
  cmake --install "$work/midend"
  mkdir "$work/moved"
  mv "$work/first" "$work/moved/prefix"
  if grep -rn "$work" "$work/moved/prefix" || grep -rnF "$source" "$work/moved/prefix"; then
    echo "the installed files name the place they were built or installed at"
    exit 1
  fi
}

case $name in
  find_package)
    install_and_move
    configure -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix"
    ;;
  add_subdirectory | fetch_content)
    # A copy of what a release has, so that FetchContent does not copy build trees.
    mkdir "$work/source"
    cp -R "$source/CMakeLists.txt" "$source/cmake" "$source/include" "$source/LICENSE" "$work/source"
    if [ $name = fetch_content ]; then
      tar -C "$work" -cf "$work/midend.tar" source
      configure -S "$here/$name" -B "$work/build" -DMIDEND_SOURCE="$work/midend.tar"
    else
      configure -S "$here/$name" -B "$work/build" -DMIDEND_SOURCE="$work/source"
    fi
    ;;
  pkg_config)
    if ! command -v pkg-config >/dev/null || ! command -v make >/dev/null; then
      echo "pkg-config or make is not installed"
      exit 77
    fi
    install_and_move
    export PKG_CONFIG_PATH="$work/moved/prefix/share/pkgconfig"
    mkdir "$work/build"
    make -C "$work/build" -f "$here/pkg_config/Makefile" VPATH="$here/pkg_config" CXX="$compiler"
    "$work/build/client"
    exit
    ;;
esac
cmake --build "$work/build" -j 1
"$work/build/client"
if [ -e "$work/build/boost_client" ]; then
  "$work/build/boost_client"
fi
if [ $name != find_package ]; then # a subproject installs nothing of its own accord
  cmake --install "$work/build" --prefix "$work/installed"
  [ ! -e "$work/installed/include" ]
fi
