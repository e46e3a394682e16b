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
/// its key is not null. Null is a key too: it stands for the virtual exit of post-dominator trees.
template <class Key, class Value> class numbered_map {
  using block = std::remove_pointer_t<Key>;

public:
  using value_type = std::pair<Key, Value>;
  using iterator = value_type*;
  using const_iterator = const value_type*;

  iterator end() { return nullptr; }

  const_iterator end() const { return nullptr; }

  iterator find(const block* key) { return holds(key) ? &slot(key) : nullptr; }

  const_iterator find(const block* key) const { return holds(key) ? &slot(key) : nullptr; }

  std::size_t count(const block* key) const { return holds(key) ? 1 : 0; }

  Value lookup(const block* key) const { return holds(key) ? slot(key).second : Value(); }

  Value& operator[](Key key) {
    if (key == nullptr) {
      holds_null_ = true;
    } else {
      if (key->number >= slots_.size()) {
        slots_.resize(key->parent->blocks.size());
      }
      slots_[key->number].first = key;
    }
    return slot(key).second;
  }

  std::pair<iterator, bool> try_emplace(Key key, Value value) {
    if (holds(key)) {
      return {&slot(key), false};
    }
    (*this)[key] = std::move(value);
    return {&slot(key), true};
  }

  bool erase(const block* key) {
    if (!holds(key)) {
      return false;
    }
    slot(key) = value_type();
    holds_null_ = holds_null_ && key != nullptr;
    return true;
  }

  void clear() {
    slots_.clear();
    null_slot_ = value_type();
    holds_null_ = false;
  }

private:
  bool holds(const block* key) const {
    return key == nullptr ? holds_null_ : key->number < slots_.size() && slots_[key->number].first != nullptr;
  }

  value_type& slot(const block* key) { return key == nullptr ? null_slot_ : slots_[key->number]; }

  const value_type& slot(const block* key) const { return key == nullptr ? null_slot_ : slots_[key->number]; }

  std::vector<value_type> slots_;
  value_type null_slot_;
  bool holds_null_ = false;
};

} // namespace midend_benchmarks
