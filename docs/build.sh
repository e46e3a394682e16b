#!/usr/bin/env bash
# build.sh [--serve | ADDRESS]: builds the manual, the pages of docs/ as a searchable site, in build/manual/site. Needs MkDocs
# with its theme Material (Debian: mkdocs mkdocs-material); with Doxygen, the site has the reference of the headers, too.
# ADDRESS is where the site will be, for its sitemap. The search works from a web server only: --serve starts one at port
# 8000 of this machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import mkdocs' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "build.sh: MkDocs is not installed (Debian: apt-get install mkdocs mkdocs-material)" >&2
  exit 1
fi
address=()
case ${1-} in
  '' | --serve) ;;
  http*) address=("$1") ;;
  *)
    echo "build.sh: '$1' is neither --serve nor an address" >&2
    exit 2
    ;;
esac
"$python" docs/site.py build/manual "${address[@]}"
if [ "${1-}" = --serve ]; then
  exec "$python" -m http.server --bind localhost --directory build/manual/site 8000
fi
