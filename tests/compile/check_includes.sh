#!/usr/bin/env bash
# check_includes.sh standard|layers|public INCLUDE_DIR: reads the headers in INCLUDE_DIR/midend.
#   standard: the core headers include only the small standard headers, no Boost
#   layers:   a folder, and a room in a folder, includes only those below it; adapters, viz and elbrus are asked for by
#             name and stand on the core
#   public:   what users name is not in a detail/ folder: everything declared there is inside `namespace detail`, and
#             examples, benchmarks and documents beside INCLUDE_DIR neither include a detail/ header nor name `detail::`
set -u
kind=$1
cd "$2" || exit 1
allowed=" algorithm array bit compare concepts cstddef cstdint cstdio cstdlib cstring initializer_list iterator limits \
new optional span type_traits utility vector "

# Each folder or room includes only itself and what stands before it in its list. Folders that are missing here (and
# the files directly in midend/, config.hpp, …) are not compared. `*` is the folder itself without its rooms. Besides, no
# two folders include each other, unless one is a room of the other.
chains=(
  "support graph ir dominance loops dataflow ssa induction dependence machine schedule transform package unrolling loop_package elbrus adapters"
  "loop_package viz"
  "elbrus viz"
  "machine/* machine/lowering machine/cost"
  "elbrus/* elbrus/text"
  "elbrus/* elbrus/verify"
  "elbrus/* elbrus/run"
  "elbrus/* elbrus/views"
)

layers() {
  printf '%s\n' "${chains[@]}" | awk '
    function folder(file,  n, part, i, path) { # the folders of a header without detail/: "unrolling/lowering"
      n = split(file, part, "/")
      for (i = 2; i < n; ++i) if (part[i] != "detail") path = path (path == "" ? "" : "/") part[i]
      return path
    }
    function place(chain, path,  i, name) { # in the list of a chain, or 0
      for (i = 1; i <= size[chain]; ++i) {
        name = member[chain, i]
        if (name ~ /\/\*$/ ? path == substr(name, 1, length(name) - 2) : path == name || index(path, name "/") == 1) return i
      }
      return 0
    }
    FILENAME == "-" { ++chains; size[chains] = split($0, part, " "); for (i in part) member[chains, i] = part[i]; next }
    /^[ \t]*#[ \t]*include[ \t]*"midend\// {
      ++read
      split($0, quoted, "\"")
      from = folder(FILENAME); to = folder(quoted[2])
      if (from == to || from == "" || to == "") next
      for (c = 1; c <= chains; ++c) {
        i = place(c, from); j = place(c, to)
        if (i && j && j > i) {
          printf "include/%s:%d: %s/ must not include from %s/ (%s)\n", FILENAME, FNR, from, to, quoted[2]
          ++bad
        }
      }
      if ((to, from) in example && !((from, to) in example) && index(from "/", to "/") != 1 && index(to "/", from "/") != 1) {
        printf "include/%s:%d: %s/ and %s/ include each other (%s)\n", FILENAME, FNR, from, to, example[to, from]
        ++bad
      }
      if (!((from, to) in example)) example[from, to] = FILENAME ":" FNR
      if ((to == "viz" || to == "adapters") && from != to && from !~ /^(viz|adapters)$/) {
        printf "include/%s:%d: %s/ must not include from %s/ (%s)\n", FILENAME, FNR, from, to, quoted[2]
        ++bad
      }
    }
    END { printf "%d #include lines read, %d wrong\n", read, bad; exit bad || !read }
  ' - $(find midend -name '*.hpp' | sort)
}

standard() {
  find midend -name '*.hpp' | grep -vE '^midend/(adapters|viz|elbrus)/' | sort | xargs awk -v allowed="$allowed" '
    /^[ \t]*#[ \t]*include/ {
      ++read
      name = $0
      sub(/^[^"<]*["<]/, "", name); sub(/[">].*/, "", name)
      if (name ~ /^midend\// || name ~ /MIDEND_STOP/ || index(allowed, " " name " ")) next
      printf "include/%s:%d: <%s> is not one of the headers that the core may include\n", FILENAME, FNR, name
      ++bad
    }
    END { printf "%d #include lines read, %d wrong\n", read, bad; exit bad || !read }
  '
}

# What a detail/ header declares outside `namespace detail`. Only namespaces can be open where a declaration starts, so
# the reader skips whatever is in braces or parentheses elsewhere. Declared without a body, classes and friends of
# `namespace detail` may be named in public namespaces (`class dominator_tree;`).
declarations_in_detail() {
  find midend -path '*/detail/*.hpp' | sort | xargs awk '
    function note(line) {
      if (declaration == "" || inside > 0 || outer == 0) return
      if (declaration ~ /^(template <.*> ?)?(class|struct|enum|enum class) [a-z_0-9:]+( : [a-z_0-9:]+)? ?;$/) return
      printf "include/%s:%d: outside namespace detail: %s\n", file, line, substr(declaration, 1, 70)
      ++bad
    }
    # One statement at namespace scope is gathered in `declaration` until its `;` or `{`.
    function take(c) { declaration = declaration c }
    FNR == 1 { file = FILENAME; ++files; depth = skip = inside = outer = 0; declaration = ""; comment = 0; continued = 0 }
    {
      text = $0
      if (continued || text ~ /^[ \t]*#/) { continued = text ~ /\\$/; next }
      gsub(/"([^"\\]|\\.)*"/, "s", text)
      gsub(/\x27([^\x27\\]|\\.)\x27/, "c", text)
      while (match(text, /\/\*([^*]|\*[^\/])*\*\//)) text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
      sub(/\/\/.*/, "", text)
      gsub(/[ \t]+/, " ", text)
      sub(/^ /, "", text)
      if (text ~ /^MIDEND_BEGIN[A-Z_]*NAMESPACE/) { ++outer; inside += text ~ /DETAIL/; next }
      if (text ~ /^MIDEND_END[A-Z_]*NAMESPACE/) { --outer; inside -= text ~ /DETAIL/; next }
      if (declaration != "" && text != "" && declaration !~ / $/) declaration = declaration " "
      while (length(text)) {
        if (skip > 0) { # in a body: only its braces count
          if (!match(text, /[{}]/)) { text = ""; break }
          if (substr(text, RSTART, 1) == "{") ++skip; else --skip
          text = substr(text, RSTART + 1)
          if (skip == 0) { declaration = after = "" }
          continue
        }
        c = substr(text, 1, 1)
        text = substr(text, 2)
        if (c == "{") {
          if (declaration ~ /^(inline )?namespace/) {
            ++depth
            opened[depth] = declaration ~ /(^|[ :])detail ?$/
            inside += opened[depth]
            midend[depth] = declaration ~ /namespace (midend|elbrus)/
            outer += midend[depth]
            declaration = ""
          } else {
            start = FNR
            declaration = declaration "{"
            note(FNR)
            skip = 1
          }
        } else if (c == "}") {
          inside -= opened[depth]; outer -= midend[depth]; --depth
          declaration = ""
        } else if (c == ";") {
          if (declaration != "" && declaration !~ /^ *$/) { declaration = declaration ";"; note(FNR) }
          declaration = ""
        } else if (declaration != "" || c != " ") take(c)
      }
    }
    END { printf "%d detail/ headers read, %d wrong\n", files, bad; exit bad || !files }
  '
}

# Names that are both public and in `namespace detail`: there, the one hides the other, and what works in a small file
# fails with everything included. Reads what clang-format puts at the start of a line; not elbrus/, which has a namespace
# of its own, nor namespaces inside detail.
names_hidden_by_detail() {
  find midend -name '*.hpp' -not -path '*/elbrus/*' | sort | xargs awk '
    FNR == 1 { inside = body = nested = 0 }
    /^namespace detail::/ { nested = 1; next }
    /^} \/\/ namespace detail::/ { nested = 0; next }
    nested { next }
    /^namespace detail/ { inside = 1; body = 0; next }
    /^}/ && inside && (!body || /namespace detail/) { inside = body = 0; next }
    /^}/ { body = 0; next }
    inside && /^ .*\{[^}]*$/ { body = 1 }
    /^[a-zA-Z\[]/ {
    line = $0
    if (line ~ /\{[^}]*$/) body = 1
    if (line ~ /^(namespace|using namespace|friend|#|MIDEND_(REQUIRED|OPTIONAL)[A-Z_]*\()/ || line ~ /^(class|struct) [a-z_0-9]+;/) next
    name = ""
    if (match(line, /(struct|class|concept|using) [a-z_0-9]+( |$)/)) { name = substr(line, RSTART, RLENGTH); sub(/^[a-z]+ /, "", name); sub(/ $/, "", name) }
    else if (match(line, /[ *&][a-z_0-9]+\(/)) name = substr(line, RSTART + 1, RLENGTH - 2)
    if (name == "" || name ~ /^(operator|requires|if|while|auto|decltype)$/) next
    where = FILENAME ":" FNR
    if (inside) { if (!(name in hidden)) hidden[name] = where } else if (!(name in open_at)) open_at[name] = where
    }
    END { for (n in hidden) if (n in open_at) { printf "include/%s: detail::%s has the name of %s\n", hidden[n], n, open_at[n]; ++bad } exit bad != 0 }
  '
}

public() {
  local status=0 users=() found
  declarations_in_detail || status=1
  names_hidden_by_detail || status=1
  mapfile -t users < <(cd .. && find examples benchmarks docs README.md -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.md' \) 2>/dev/null)
  users=("${users[@]/#benchmarks\/wide_liveness.cpp/}") # it measures the parts of an engine one by one
  users=("${users[@]/#benchmarks\/llvm_value_numbering.cpp/}") # its dominator-tree numbering has the library's own rules
  found=$(cd .. && grep -nE '#[[:space:]]*include[^"<]*["<]midend/[^">]*detail/|\bdetail::' ${users[@]} /dev/null)
  [ -z "$found" ] || { printf '%s\n' "$found" | sed 's/$/   <- a name that users must not need/' && status=1; }
  echo "${#users[@]} users' files read, $(printf '%s' "$found" | grep -c '') wrong lines"
  [ ${#users[@]} -gt 0 ] || [ ! -d ../docs ] || status=1
  return $status
}

case $kind in
  standard | layers | public) "$kind" ;;
  *) echo "usage: $0 standard|layers|public INCLUDE_DIR" >&2 && exit 2 ;;
esac
