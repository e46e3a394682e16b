# Sourced with the name of a machine, or libc++: sets `compile`, the compiler with its options, and `emulator`, which is
# empty if programs run as they are. Fails with a message if one is missing.
case $1 in
  libc++) compile=(clang++-19 -stdlib=libc++) ;;
  *) compile=("$1-linux-gnu-g++" -static) ;;
esac
emulator=
probe=$(mktemp)
if ! echo 'int main() {}' | "${compile[@]}" -include vector -x c++ - -o "$probe" 2>/dev/null; then
  rm -f "$probe"
  echo "$1: ${compile[*]} is missing or incomplete"
  return 1
fi
if ! "$probe" 2>/dev/null; then # not for this processor
  emulator=qemu-${1/i686/i386}-static
  if ! "$emulator" "$probe" 2>/dev/null; then
    rm -f "$probe"
    echo "$1: $emulator is missing"
    return 1
  fi
fi
rm -f "$probe"
