#!/usr/bin/env bash
# check.sh SOURCE WORK PYTHON COMPILER...: what tools/one_file.py makes. Each compiler compiles each file alone, with all
# warnings, without exceptions and RTTI. Examples print with them what they print with the headers. Two of them work
# together, in one file and in two; what does not go together says so.
set -eu
source=$1 work=$2 python=$3
shift 3
rm -rf "$work"
mkdir -p "$work/one"
"$python" "$source/tools/one_file.py" -o "$work/one"
cd "$work"
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Werror"
num=0
fail() {
  echo "FAILED: $*"
  exit 1
}
count() { num=$((num + 1)); }

# A folder and a file are not taken for each other.
refused() { # REASON ARGUMENT...
  if "$python" "$source/tools/one_file.py" "${@:2}" >refused.txt 2>&1; then fail "one_file.py ${*:2} is not refused"; fi
  grep -q "$1" refused.txt || fail "one_file.py ${*:2} says: $(cat refused.txt)"
  count
}
refused 'is no folder' -o wrong.hpp
refused 'is a folder' -o one midend/unrolling.hpp
refused 'there is no header midend/none.hpp' -o wrong.hpp midend/none.hpp

for file in midend midend_flow midend_ssa; do
  head -1 "one/$file.hpp" | grep -q "version $(sed -n 's/^#define MIDEND_VERSION_.* //p' "$source/include/midend/version.hpp" | paste -sd.)" ||
    fail "$file.hpp: the version is not at the top"
  grep -q '^// Boost Software License' "one/$file.hpp" || fail "$file.hpp: no license"
  if grep -n '^#include.*midend/' "one/$file.hpp"; then fail "$file.hpp includes a header of midend"; fi
  printf '#include "one/%s.hpp"\n' $file >$file.cpp
  for compiler in "$@"; do
    # shellcheck disable=SC2086
    "$compiler" -std=c++20 $warnings -fno-exceptions -fno-rtti -fsyntax-only $file.cpp || fail "$file.hpp with $compiler"
    count
  done
done

# EXAMPLE FILE: with the one-file header in the place of its headers, all of which are in it.
same_answers() {
  local example=$source/examples/$1.cpp header
  # shellcheck disable=SC2046
  "$python" "$source/tools/one_file.py" --list $(case $2 in
    midend) echo midend/midend.hpp ;;
    midend_flow) echo midend/graph midend/dominance midend/loops ;;
    midend_ssa) echo midend/graph midend/dominance midend/loops midend/dataflow midend/ssa ;;
    esac) >"$2.list"
  sed -n 's/^#include <\(midend[^>]*\)>.*/\1/p' "$example" >"$1.headers"
  [ -s "$1.headers" ] || fail "$1 includes no header of midend"
  while read -r header; do
    grep -qx "$header" "$2.list" || fail "$2.hpp does not have $header, which $1 includes"
  done <"$1.headers"
  { echo "#include \"$work/one/$2.hpp\""; grep -v '^#include <midend' "$example"; } >"$1.cpp"
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 $warnings "$1.cpp" -o "$1"
  "./$1" >"$1.out"
  cmp "$1.out" "$source/examples/$1.out" || fail "$1 with $2.hpp prints something else"
  count
}
compiler=$1
same_answers first_steps midend_flow
same_answers cycles midend_flow
same_answers definitely_initialized midend_ssa
same_answers certificates midend

# With headers of one's choice: those of an example that constructs a view of SSA form and runs SCCP.
sed -n 's/^#include <\(midend[^>]*\)>.*/\1/p' "$source/examples/qbe_view.cpp" >qbe_view.headers
# shellcheck disable=SC2046
"$python" "$source/tools/one_file.py" -o "$work/one/mine.hpp" $(cat qbe_view.headers)
{ echo '#include "one/mine.hpp"'; grep -v '^#include <midend' "$source/examples/qbe_view.cpp"; } >qbe_view.cpp
# shellcheck disable=SC2086
"$compiler" -std=c++20 $warnings qbe_view.cpp -o qbe_view
./qbe_view >qbe_view.out
cmp qbe_view.out "$source/examples/qbe_view.out" || fail "qbe_view with a file of its headers"
count

# Two in one file, in both orders, and in two files of a program.
cat >small.cpp <<'END'
#include "one/midend_flow.hpp"
#include "one/midend_ssa.hpp"
unsigned dominator_of_last(const midend::csr_graph& g) {
  return midend::dominators(g).immediate_dominator(static_cast<midend::node_id>(g.num_nodes() - 1));
}
END
cat >main.cpp <<'END'
#include "one/midend.hpp"
#include "one/midend_ssa.hpp"
#include <cstdio>
unsigned dominator_of_last(const midend::csr_graph& g);
int main() {
  const auto g = midend::csr_graph::from_edges(4, 0, {{{0, 1}, {0, 2}, {1, 3}, {2, 3}}}).value();
  std::printf("%u %u\n", dominator_of_last(g), midend::dominators(g).immediate_dominator(1));
}
END
# shellcheck disable=SC2086
"$compiler" -std=c++20 $warnings small.cpp main.cpp -o two
[ "$(./two)" = "0 0" ] || fail "two one-file headers in a program"
count

# must_say SENTENCE: other.cpp does not compile, and the first error is the sentence.
must_say() {
  if "$compiler" -std=c++20 -I"$source/include" -fsyntax-only other.cpp 2>errors; then fail "no error: $1"; fi
  grep -m1 'error' errors | grep -q "$1" || fail "the first error is: $(grep -m1 error errors)"
  count
}
sed 's/MIDEND_ONE_FILE 0x/MIDEND_ONE_FILE 0x1/; s/MIDEND_ONE_FILE != 0x/MIDEND_ONE_FILE != 0x1/' one/midend_ssa.hpp >one/older.hpp
printf '#include "one/midend_flow.hpp"\n#include "one/older.hpp"\n' >other.cpp
must_say "two one-file headers that were made from different versions"
printf '#include <midend/graph/csr_graph.hpp>\n#include "one/midend_flow.hpp"\n' >other.cpp
must_say "was included before this one-file header"
printf '#include "one/midend_flow.hpp"\n#include <midend/graph/csr_graph.hpp>\n' >other.cpp
must_say "a one-file header was included before this header of the folder"
printf '#define MIDEND_COMPILED 1\n#include "one/midend_flow.hpp"\n' >other.cpp
must_say "do not define MIDEND_COMPILED"
printf '#include "one/midend_flow.hpp"\n' >other.cpp
if "$compiler" -std=c++17 -fsyntax-only other.cpp 2>errors; then fail "C++17 is accepted"; fi
grep -m1 'error' errors | grep -q 'midend needs C++20' || fail "C++17: the first error is: $(grep -m1 error errors)"
count
echo "$num checks"
