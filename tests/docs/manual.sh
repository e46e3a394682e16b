#!/usr/bin/env bash
# manual.sh SOURCE: the manual is built as a site without a dead link; its sitemap, version and search are there.
set -eu
cd "$1"
docs/build.sh https://there.example/midend/
site=build/manual/site
fail() {
  echo "FAILED: $*"
  exit 1
}
version=$(sed -nE 's/^#define MIDEND_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/midend/version.hpp | paste -sd.)
grep -q "<title>.*midend $version</title>" $site/graph.html || fail "the version is in no title"
grep -q '<loc>https://there.example/midend/tutorial.html</loc>' $site/sitemap.xml || fail "the sitemap does not have tutorial.html"
if grep -n '<code>[^<]*\\|' $site/*.html; then fail "a backslash before a bar in code"; fi
grep -q '<code>container | std' $site/mistakes.html || grep -q '<code>container &#124; std' $site/mistakes.html || fail "no bar in code"
if command -v doxygen >/dev/null; then
  grep -q 'href="reference/index.html"' $site/headers.html || fail "no link to the reference"
  [ -f $site/reference/namespacemidend.html ] || fail "no reference"
fi
if command -v node >/dev/null; then
  node tests/docs/search.cjs $site
else
  echo "node is not installed, the search is not asked"
fi
