#!/usr/bin/env bash
# corpus.sh TOOL SET KINDS [OPTION...]: `midend cfg --only=KINDS` over SET.cfg.gz must print the lines of these kinds
# that SET.expect.gz has. Component numbers count by equality only, so both sides number them by first appearance.
set -euo pipefail
tool=$1 set=$2 kinds=$3
shift 3
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

normalise() { # keeps `function`, `end` and the given kinds
  awk -v kinds="$kinds" '
    BEGIN { n = split(kinds, list, ","); for (i = 1; i <= n; i++) keep[list[i]] = 1; keep["function"] = keep["end"] = 1
      if ("ipdom" in keep) keep["proots"] = 1 }
    !($1 in keep) { next }
    $1 == "scc" {
      delete number; count = 0
      for (i = 2; i <= NF; i++) if ($i != -1) { if (!($i in number)) number[$i] = count++; $i = number[$i] }
    }
    { print }'
}

"$tool" cfg --only="$kinds" "$@" "$set.cfg.gz" | normalise >"$work/answer"
gzip -dc "$set.expect.gz" | normalise >"$work/expected"
functions=$(grep -c '^function ' "$work/expected")
if ! cmp -s "$work/answer" "$work/expected"; then
  echo "answers differ (< the tool, > LLVM); first differences:"
  diff "$work/answer" "$work/expected" | cut -c1-300 | sed -n 1,20p
  exit 1
fi
echo "$functions functions agree"
