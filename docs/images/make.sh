#!/usr/bin/env bash
# make.sh [TOOL]: draws the pictures of the documents again, with the midend tool (default: build/release/bin/midend) and
# Graphviz. A picture is one function of figures.cfg, a function of sqlite3, one of the sample programs, the output of an
# example, a chart of unrolling, or a .dot file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tool=${1:-build/release/bin/midend}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tool" cfg --only=idom --dot="$work" docs/images/figures.cfg >/dev/null
"$tool" cfg --only=idom --dot="$work" --function=disconnectAllVtab tests/data/corpus/sqlite3-O0.cfg.gz >/dev/null
"$tool" opt --dot="$work" --procedure=five_iterations examples/programs/unrolling.eir
mkdir "$work/steps"
"$tool" opt --dot="$work/steps" --procedure=unknown_length \
  --passes=unroll:4+as-written,sccp,propagate-copies,dce,clean-control examples/programs/unrolling.eir >/dev/null
cp "$work/steps/unknown_length.00-before.dot" "$work/unknown_length_before.dot"
cp "$work/steps/unknown_length.05-clean-control.dot" "$work/unknown_length_unrolled.dot"
cp examples/dot.out "$work/sums_of_rows.dot"
cp examples/toy_compiler/picture.out "$work/toy_compiler.dot"
sed -n "/^digraph/,\$p" examples/getting_started.out >"$work/getting_started.dot"
cp docs/images/*.dot "$work"
for dot in "$work"/*.dot; do
  name=$(basename "$dot" .dot)
  dot -Tsvg "$dot" | sed -e '/^<!--.*-->$/d' -e '/^<!--/,/-->$/d' -e '/^<title>/d' >"docs/images/$name.svg"
done
"$tool" unroll --chart=docs/images/quarters_and_sixteenths.svg --procedure=quarters_and_sixteenths \
  examples/programs/unrolling.eir >/dev/null
python3 docs/images/drawings.py
ls -s docs/images/*.svg
