#!/usr/bin/env bash
# build.sh [--serve]: builds the manual, the pages of docs/ as a searchable site, in build/manual/site. Needs MkDocs with
# its theme Material (Debian: mkdocs mkdocs-material). The search works from a web server only: --serve starts one at
# port 8000 of this machine.
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
"$python" docs/site.py build/manual
if [ "${1-}" = --serve ]; then
  exec "$python" -m http.server --bind localhost --directory build/manual/site 8000
fi
