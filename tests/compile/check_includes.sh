#!/usr/bin/env bash
# check_includes.sh standard|layers INCLUDE_DIR: reads the #include lines of the core headers.
#   standard: only the small standard headers, no Boost
#   layers:   a folder stands only on those above it in the list of docs; adapters, viz and elbrus are asked for by name
set -u
kind=$1
cd "$2" || exit 1
allowed=" algorithm array bit compare concepts cstddef cstdint cstdio cstdlib cstring initializer_list iterator limits \
new optional span type_traits utility vector "
layers=(support graph ir dominance loops dataflow ssa induction dependence machine unrolling schedule transform package)

layer_of() { # the place of a folder in the list; files beside the folders (config.hpp, …) stand below all
  local i
  for i in "${!layers[@]}"; do
    [ "${layers[$i]}" = "$1" ] && echo "$i" && return
  done
  echo 99
}

bad=0 read=0
while IFS=: read -r file line text; do
  read=$((read + 1))
  name=$(sed -E 's/^[^"<]*["<]([^">]+)[">].*/\1/' <<<"$text")
  case $kind in
    standard)
      [[ $name == midend/* || $allowed == *" $name "* ]] && continue
      echo "include/$file:$line: <$name> is not one of the headers that the core may include"
      ;;
    layers)
      [[ $name == midend/*/* && $file == midend/*/* ]] || continue
      from=${file#midend/} from=${from%%/*} to=${name#midend/} to=${to%%/*}
      [ "$(layer_of "$to")" -le "$(layer_of "$from")" ] && continue
      echo "include/$file:$line: $from/ must not stand on $to/"
      ;;
  esac
  bad=$((bad + 1))
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' midend --include='*.hpp' | grep -vE '^midend/(adapters|viz|elbrus)/')
echo "$read #include lines read, $bad wrong"
[ "$bad" -eq 0 ] && [ "$read" -gt 0 ]
