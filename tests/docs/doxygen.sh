#!/usr/bin/env bash
# doxygen.sh SOURCE WORK: the reference of the headers is made without a warning.
set -eu
rm -rf "$2"
mkdir -p "$2"
cd "$1"
{
  cat docs/Doxyfile
  echo "OUTPUT_DIRECTORY = $2"
} | doxygen - >"$2/log" 2>&1
if grep -i 'warning\|error' "$2/log"; then
  exit 1
fi
echo "$(find "$2/html" -name '*.html' | wc -l) pages"
