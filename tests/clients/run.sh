#!/usr/bin/env bash
# run.sh NAME SOURCE_DIR WORK_DIR COMPILER: builds a client project from scratch in the way NAME and runs it. NAME is one of
#
#   find_package       the installed package, moved to another folder
#   compiled           the installed package with midend::compiled, and one without it, which says so
#   add_subdirectory   a copy of the sources in the client's tree
#   fetch_content      an archive of the sources
#   pkg_config         the installed pkg-config file, with make
#   gnu17              find_package in a project that asks for C++17: the target asks for C++20, other build systems get
#                      one sentence
#   missing_boost      find_package(midend COMPONENTS boost) without Boost says so
#   other_version      find_package with another minor version finds nothing
#   conan              the test package with what conanfile.py packages, with and without Boost
#   vcpkg              find_package with what the overlay port installs, which refuses changed headers
#   meson              the project files that the README shows
#   bazel              the same; by hand, as it downloads rules_cc (BAZEL_FLAGS may name another one)
set -eu
name=$1 source=$2 work=$3 compiler=$4
here=$source/tests/clients
rm -rf "$work"
mkdir -p "$work"
unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH midend_DIR MIDEND_DIR

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
configure() { cmake "${generator[@]}" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_MESSAGE=NEVER "$@"; }

install_and_move() { # OPTION...: the prefix is given up after the installation: nothing in it may know where it was
  configure -S "$source" -B "$work/midend" -DCMAKE_INSTALL_PREFIX="$work/first" -DMIDEND_BUILD_TESTS=OFF \
    -DMIDEND_BUILD_EXAMPLES=OFF -DMIDEND_BUILD_BENCHMARKS=OFF "$@"
  [ $# = 0 ] || cmake --build "$work/midend" -j 1
  cmake --install "$work/midend"
  mkdir "$work/moved"
  mv "$work/first" "$work/moved/prefix"
  if grep -rn "$work" "$work/moved/prefix" || grep -rnF "$source" "$work/moved/prefix"; then
    echo "the installed files name the place they were built or installed at"
    exit 1
  fi
}

# refuses TEXT COMMAND...: the command fails, and prints the text.
refuses() {
  local text=$1
  shift
  if "$@" >"$work/refused.log" 2>&1; then
    echo "succeeds: $*"
    exit 1
  fi
  if ! tr -s ' \n' ' ' <"$work/refused.log" | grep -qF "$text"; then # CMake breaks lines
    cat "$work/refused.log"
    echo "does not say: $text"
    exit 1
  fi
}

# skip_without PROGRAM...: the test is skipped if one is not installed.
skip_without() {
  local program
  for program in "$@"; do
    if ! command -v "$program" >/dev/null; then
      echo "$program is not installed"
      exit 77
    fi
  done
}

case $name in
  find_package)
    install_and_move
    configure -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix"
    ;;
  compiled)
    mkdir "$work/client"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(client LANGUAGES CXX)' \
      'find_package(midend REQUIRED COMPONENTS compiled)' \
      "add_executable(client \"$source/examples/unrolling_advice.cpp\")" \
      'target_link_libraries(client PRIVATE midend::compiled)' >"$work/client/CMakeLists.txt"
    install_and_move
    refuses "midend was installed without its component 'compiled'" \
      configure -S "$work/client" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix"
    rm -rf "$work/moved" "$work/build" "$work/midend"
    fast="-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" # to compile
    install_and_move -DMIDEND_INSTALL_COMPILED=ON "$fast"
    configure -S "$work/client" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix" "$fast"
    cmake --build "$work/build" -j 1
    "$work/build/client" | cmp - "$source/examples/unrolling_advice.out"
    exit
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
    skip_without pkg-config make
    install_and_move
    export PKG_CONFIG_PATH="$work/moved/prefix/share/pkgconfig"
    mkdir "$work/build"
    make -C "$work/build" -f "$here/pkg_config/Makefile" VPATH="$here/pkg_config" CXX="$compiler"
    "$work/build/client"
    exit
    ;;
  gnu17)
    install_and_move
    configure -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix" -DCMAKE_CXX_STANDARD=17
    refuses "midend needs C++20" "$compiler" -std=gnu++17 -fsyntax-only -I"$work/moved/prefix/include" "$here/client.cpp"
    ;;
  missing_boost)
    install_and_move
    mkdir "$work/client"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(client LANGUAGES CXX)' \
      'find_package(midend REQUIRED COMPONENTS boost)' >"$work/client/CMakeLists.txt"
    refuses "midend's component 'boost' needs the Boost headers" \
      configure -S "$work/client" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
    exit
    ;;
  other_version)
    install_and_move
    version=$(sed -nE 's/^set\(PACKAGE_VERSION "([0-9.]+)"\).*/\1/p' "$work/moved/prefix/share/cmake/midend/midend-config-version.cmake")
    IFS=. read -r major minor patch <<<"$version"
    mkdir "$work/client"
    for wanted in "$major.$((minor + 1))" "$major.$minor.$((patch + 1))" "$((major + 1)).0" "$major.$((minor - 1))"; do
      printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(client LANGUAGES CXX)' \
        "find_package(midend $wanted REQUIRED)" >"$work/client/CMakeLists.txt"
      refuses "version: $version" configure -S "$work/client" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved/prefix"
      rm -rf "$work/build"
    done
    exit
    ;;
  conan)
    if command -v conan >/dev/null; then
      conan create "$source" --test-folder "$source/tests/package"
      exit
    fi
    skip_without python3
    for boost in OFF ON; do # gnu17 is what Conan's default profile says for g++ 12
      python3 "$source/tests/packaging/conan_stand_in.py" "$source" "$work/package$boost" "$work/generated$boost" \
        $([ $boost = OFF ] || echo --with-boost)
      configure -S "$source/tests/package" -B "$work/build$boost" -DCMAKE_PREFIX_PATH="$work/generated$boost" \
        -DCMAKE_CXX_STANDARD=17 -DWITH_BOOST=$boost
      cmake --build "$work/build$boost" -j 1
      "$work/build$boost/client"
    done
    "$work/buildON/boost_client"
    mkdir "$work/client"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(client LANGUAGES CXX)' \
      'find_package(midend REQUIRED COMPONENTS boost)' >"$work/client/CMakeLists.txt"
    refuses "with_boost=True" configure -S "$work/client" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/generatedOFF"
    exit
    ;;
  vcpkg)
    mkdir -p "$work/source/tests"
    cp -R "$source/CMakeLists.txt" "$source/cmake" "$source/include" "$source/LICENSE" "$work/source"
    cp -R "$source/tests/packaging" "$work/source/tests"
    port=$work/source/tests/packaging/vcpkg/midend
    cmake -P "$work/source/tests/packaging/vcpkg/content_hash.cmake"
    install_port() {
      rm -rf "$work/packages" "$work/port-build"
      CXX=$compiler cmake -DPORT="$port" -DPACKAGES="$work/packages" -DBUILD="$work/port-build" -P "$source/tests/packaging/vcpkg_stand_in.cmake"
    }
    install_port
    before=$(cat "$port"/* | sha256sum)
    echo '// changed' >>"$work/source/include/midend/version.hpp"
    refuses "midend's sources have changed" install_port
    cmake -P "$work/source/tests/packaging/vcpkg/content_hash.cmake"
    [ "$before" != "$(cat "$port"/* | sha256sum)" ] # so vcpkg does not take the package from its cache
    install_port
    configure -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/packages"
    ;;
  meson)
    skip_without meson ninja
    cp -R "$here/meson" "$work/client"
    cp "$here/client.cpp" "$work/client"
    mkdir -p "$work/client/subprojects/midend"
    cp -R "$source/include" "$work/client/subprojects/midend"
    mv "$work/client/midend.meson.build" "$work/client/subprojects/midend/meson.build"
    CXX=$compiler meson setup "$work/build" "$work/client"
    meson compile -C "$work/build"
    "$work/build/client"
    exit
    ;;
  bazel)
    skip_without bazel
    cp -R "$here/bazel" "$work/client"
    cp "$here/client.cpp" "$work/client"
    mkdir -p "$work/client/third_party/midend"
    cp -R "$source/include" "$work/client/third_party/midend"
    mv "$work/client/midend.BUILD.bazel" "$work/client/third_party/midend/BUILD.bazel"
    cd "$work/client"
    CC=$compiler bazel build //:client ${BAZEL_FLAGS-}
    bazel-bin/client
    exit
    ;;
esac
cmake --build "$work/build" -j 1
"$work/build/client"
if [ -e "$work/build/boost_client" ]; then
  "$work/build/boost_client"
fi
if [ $name = add_subdirectory ] || [ $name = fetch_content ]; then # a subproject installs nothing by itself
  cmake --install "$work/build" --prefix "$work/installed"
  [ ! -e "$work/installed/include" ]
fi
