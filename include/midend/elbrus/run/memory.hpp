/// `memory`: the named arrays that a program works on.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Byte-addressed memory made of named arrays, little endian; a predicate takes one byte, whose lowest bit is read.
///
/// Array k begins at (k + 1)·2^32 and has at most 2^31 bytes. So an index that is a little too large or too small leads
/// into a gap between arrays; an address shows its array; and addresses are equal in all runs. Address 0 is in no
/// array.
class memory {
public:
  static constexpr std::size_t largest_array = std::size_t{1} << 31;

  /// A new array. Requires that none has this name. Returns its address.
  std::uint64_t add(std::string_view name, span<const unsigned char> bytes) {
    MIDEND_ASSERT(bytes.size() <= largest_array, "an array of at most 2^31 bytes", bytes.size());
    arrays_.push_back({std::string(name), bytes_.size(), bytes.size()});
    bytes_.reserve(bytes_.size() + bytes.size());
    for (const unsigned char byte : bytes) {
      bytes_.push_back(byte);
    }
    return address_of(arrays_.size() - 1);
  }

  /// A new array with elements of one type, given as literals; their bits above its width are dropped.
  std::uint64_t add(std::string_view name, type element, span<const std::uint64_t> elements) {
    const std::size_t size = bytes_of(element);
    std::vector<unsigned char> bytes(size * elements.size());
    for (std::size_t i = 0; i != elements.size(); ++i) {
      if (element == type::f80) {
        write_extended(bytes.data() + i * size, extended_of_double(elements[i]));
      } else {
        write(bytes.data() + i * size, element, elements[i]);
      }
    }
    return add(name, bytes);
  }

  /// A new array of zeros.
  std::uint64_t add_zeros(std::string_view name, std::size_t size) {
    return add(name, std::vector<unsigned char>(size));
  }

  std::size_t num_arrays() const { return arrays_.size(); }

  std::string_view name(std::size_t array) const { return arrays_[array].name; }

  std::size_t size(std::size_t array) const { return arrays_[array].size; }

  span<const unsigned char> bytes(std::size_t array) const {
    return {bytes_.data() + arrays_[array].first, arrays_[array].size};
  }

  span<unsigned char> bytes(std::size_t array) { return {bytes_.data() + arrays_[array].first, arrays_[array].size}; }

  static std::uint64_t address_of(std::size_t array) { return (std::uint64_t{array} + 1) << 32; }

  /// The number of the array with this name. Linear in their number.
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i != arrays_.size(); ++i) {
      if (arrays_[i].name == name) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// Whether `size` bytes from `address` on are all in one array.
  bool contains(std::uint64_t address, std::size_t size) const { return place(address, size) != nullptr; }

  /// In all arrays together.
  std::size_t num_bytes() const { return bytes_.size(); }

  /// The place of the byte at an address among those of all arrays, if `size` bytes from it on are in one array.
  std::optional<std::size_t> position(std::uint64_t address, std::size_t size) const {
    const unsigned char* const at = place(address, size);
    return at == nullptr || is_local(address) ? std::nullopt
                                              : std::optional(static_cast<std::size_t>(at - bytes_.data()));
  }

  // Local arrays, as a stack: memory of the running calls. They have no names, and comparisons of memories ignore them.
  // Local array k begins at 2^62 + k·2^32.

  /// A new one, of zeros. Returns its address.
  std::uint64_t begin_local(std::size_t size) {
    MIDEND_ASSERT(size <= largest_array, "an array of at most 2^31 bytes", size);
    const std::size_t first = local_bytes_.size();
    locals_.push_back({first, size});
    local_bytes_.extend_for_overwrite(first + size);
    is_written_.extend_for_overwrite(first + size);
    if (size != 0) {
      std::memset(local_bytes_.data() + first, 0, size);
      std::memset(is_written_.data() + first, 0, size);
    }
    return first_local | std::uint64_t{locals_.size() - 1} << 32;
  }

  /// Removes all but the first `count`.
  void end_locals(std::size_t count) {
    if (count < locals_.size()) {
      local_bytes_.shrink(locals_[count].first);
      is_written_.shrink(locals_[count].first);
      locals_.shrink(count);
    }
  }

  std::size_t num_locals() const { return locals_.size(); }

  /// Of all local arrays.
  std::size_t num_local_bytes() const { return local_bytes_.size(); }

  /// The place of the byte at an address among those of all local arrays, if `size` bytes from it on are in one.
  std::optional<std::size_t> local_position(std::uint64_t address, std::size_t size) const {
    const unsigned char* const at = place(address, size);
    return at == nullptr || !is_local(address) ? std::nullopt
                                               : std::optional(static_cast<std::size_t>(at - local_bytes_.data()));
  }

  /// Whether `size` bytes from `address` on, if they are in a local array, were all written since it began.
  bool is_written(std::uint64_t address, std::size_t size) const {
    const std::optional<std::size_t> at = local_position(address, size);
    bool is = true;
    for (std::size_t i = 0; at && i != size; ++i) {
      is = is && is_written_[*at + i] != 0;
    }
    return is;
  }

  /// The value at an address; nothing if it is not in an array. Not of type `f80`.
  std::optional<std::uint64_t> load(type t, std::uint64_t address) const {
    MIDEND_ASSERT(t != type::f80, "a type of at most 64 bits");
    const unsigned char* const at = place(address, bytes_of(t));
    return at == nullptr ? std::nullopt : std::optional(read(at, t));
  }

  /// False if the address is not in an array. Not of type `f80`.
  bool store(type t, std::uint64_t address, std::uint64_t bits) {
    MIDEND_ASSERT(t != type::f80, "a type of at most 64 bits");
    unsigned char* const at = place_to_write(address, bytes_of(t));
    if (at == nullptr) {
      return false;
    }
    write(at, t, bits);
    return true;
  }

  /// The number of type `f80` at an address; nothing if it is not in an array.
  std::optional<extended_number> load_extended(std::uint64_t address) const {
    const unsigned char* const at = place(address, bytes_of(type::f80));
    return at == nullptr ? std::nullopt : std::optional(read_extended(at));
  }

  /// False if the address is not in an array.
  bool store_extended(std::uint64_t address, const extended_number& number) {
    unsigned char* const at = place_to_write(address, bytes_of(type::f80));
    if (at == nullptr) {
      return false;
    }
    write_extended(at, number);
    return true;
  }

  /// Element i of an array. Requires that there is one.
  scalar element(std::size_t array, type t, std::size_t i) const {
    const unsigned char* const at = bytes(array).data() + i * bytes_of(t);
    return t == type::f80 ? extended_scalar(read_extended(at)) : scalar{t, read(at, t)};
  }

  /// Equal names in equal order, with equal bytes.
  friend bool operator==(const memory& a, const memory& b) { return a.arrays_ == b.arrays_ && a.bytes_ == b.bytes_; }

private:
  struct named_array {
    std::string name;
    std::size_t first; ///< in `bytes_`
    std::size_t size;

    friend bool operator==(const named_array&, const named_array&) = default;
  };

  struct local_array {
    std::size_t first; ///< in `local_bytes_`
    std::size_t size;
  };

  static constexpr std::uint64_t first_local = std::uint64_t{1} << 62;

  static bool is_local(std::uint64_t address) { return address >= first_local; }

  const unsigned char* place(std::uint64_t address, std::size_t size) const {
    const std::uint64_t number = (address >> 32) - 1; // huge for address 0
    if (number >= arrays_.size()) {
      return place_in_local(address, size);
    }
    const named_array& a = arrays_[static_cast<std::size_t>(number)];
    const auto offset = static_cast<std::size_t>(address & 0xffff'ffff);
    return offset < a.size && size <= a.size - offset ? bytes_.data() + a.first + offset : nullptr;
  }

  const unsigned char* place_in_local(std::uint64_t address, std::size_t size) const {
    const std::uint64_t number = (address - first_local) >> 32;
    if (!is_local(address) || number >= locals_.size()) {
      return nullptr;
    }
    const local_array& a = locals_[static_cast<std::size_t>(number)];
    const auto offset = static_cast<std::size_t>(address & 0xffff'ffff);
    return offset < a.size && size <= a.size - offset ? local_bytes_.data() + a.first + offset : nullptr;
  }

  unsigned char* place_to_write(std::uint64_t address, std::size_t size) {
    const unsigned char* const at = place(address, size);
    if (at == nullptr) {
      return nullptr;
    }
    if (!is_local(address)) {
      return bytes_.data() + (at - bytes_.data());
    }
    const auto first = static_cast<std::size_t>(at - local_bytes_.data());
    for (std::size_t i = 0; i != size; ++i) {
      is_written_[first + i] = 1;
    }
    return local_bytes_.data() + first;
  }

  template <class Word> static std::uint64_t read_word(const unsigned char* from) {
    Word word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&word, from, sizeof word);
    } else {
      for (std::size_t i = 0; i != sizeof word; ++i) {
        word = static_cast<Word>(word | Word{from[i]} << 8 * i);
      }
    }
    return word;
  }

  template <class Word> static void write_word(unsigned char* to, std::uint64_t bits) {
    const auto word = static_cast<Word>(bits);
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(to, &word, sizeof word);
    } else {
      for (std::size_t i = 0; i != sizeof word; ++i) {
        to[i] = static_cast<unsigned char>(word >> 8 * i);
      }
    }
  }

  static std::uint64_t read(const unsigned char* from, type t) {
    switch (bytes_of(t)) {
    case 1:
      return t == type::i1 ? *from & 1u : *from;
    case 2:
      return read_word<std::uint16_t>(from);
    case 4:
      return read_word<std::uint32_t>(from);
    default:
      return read_word<std::uint64_t>(from);
    }
  }

  static extended_number read_extended(const unsigned char* from) {
    return {read_word<std::uint64_t>(from), static_cast<std::uint16_t>(read_word<std::uint16_t>(from + 8))};
  }

  static void write_extended(unsigned char* to, const extended_number& number) {
    write_word<std::uint64_t>(to, number.significand);
    write_word<std::uint16_t>(to + 8, number.head);
  }

  static void write(unsigned char* to, type t, std::uint64_t bits) {
    switch (bytes_of(t)) {
    case 1:
      *to = static_cast<unsigned char>(t == type::i1 ? bits & 1 : bits);
      break;
    case 2:
      write_word<std::uint16_t>(to, bits);
      break;
    case 4:
      write_word<std::uint32_t>(to, bits);
      break;
    default:
      write_word<std::uint64_t>(to, bits);
    }
  }

  std::vector<named_array> arrays_;
  flat_array<unsigned char> bytes_;
  flat_array<local_array> locals_;
  flat_array<unsigned char> local_bytes_;
  flat_array<unsigned char> is_written_; ///< by local byte
};

} // namespace elbrus

MIDEND_END_NAMESPACE
