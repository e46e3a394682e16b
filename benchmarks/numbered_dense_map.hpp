/// For `llvm_numbered`: what LLVM's trees and searches become when blocks have dense numbers.
///
/// LLVM 19 finds the data of a block through `DenseMap<Block*, …>`, which hashes its address. Later versions use an
/// array indexed by block number instead. Specialising DenseMap for a block type that has numbers gives LLVM 19's
/// algorithms that array. It has the part of DenseMap's interface that they use, and is sized when it is first written
/// to by the number of blocks of the function, as in later versions.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace midend_benchmarks {

/// A map from `Block*` or `const Block*`, as `Key` says; a block has `number` and `parent->blocks`. A slot is in use if
/// its key is not null.
template <class Key, class Value> class numbered_map {
  using block = std::remove_pointer_t<Key>;

public:
  using value_type = std::pair<Key, Value>;
  using iterator = value_type*;
  using const_iterator = const value_type*;

  iterator end() { return nullptr; }

  const_iterator end() const { return nullptr; }

  iterator find(const block* key) { return holds(key) ? &slots_[key->number] : nullptr; }

  const_iterator find(const block* key) const { return holds(key) ? &slots_[key->number] : nullptr; }

  std::size_t count(const block* key) const { return holds(key) ? 1 : 0; }

  Value lookup(const block* key) const { return holds(key) ? slots_[key->number].second : Value(); }

  Value& operator[](Key key) {
    if (key->number >= slots_.size()) {
      slots_.resize(key->parent->blocks.size());
    }
    value_type& slot = slots_[key->number];
    slot.first = key;
    return slot.second;
  }

  std::pair<iterator, bool> try_emplace(Key key, Value value) {
    if (holds(key)) {
      return {&slots_[key->number], false};
    }
    (*this)[key] = std::move(value);
    return {&slots_[key->number], true};
  }

  bool erase(const block* key) {
    if (!holds(key)) {
      return false;
    }
    slots_[key->number] = value_type();
    return true;
  }

  void clear() { slots_.clear(); }

private:
  bool holds(const block* key) const {
    return key != nullptr && key->number < slots_.size() && slots_[key->number].first != nullptr;
  }

  std::vector<value_type> slots_;
};

} // namespace midend_benchmarks
