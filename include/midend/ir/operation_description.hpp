/// `operation_description`: an operation as a list of words, so that checkers can compare it with operations of a
/// program that no longer exists.
///
///     void describe(midend::value_id v, midend::operation_description& out) const;   // optional member of an IR
///
/// `describe(v, out)` tells `out` all that distinguishes `v` from other operations, apart from its operands, its node
/// and the targets of its edges:
///
/// - by `out.attribute(word)` everything in which an equal operation must agree: opcode, types, predicate, width and
///   alignment of an access, callee, whether it is volatile, …, in a fixed order;
/// - by `out.promise(kind, contents)` its promises, in any order: no overflow, a range of its result, …. An operation
///   may replace another one if it promises no more;
/// - of a literal, its type and all its bits; of a parameter, which one it is; of a phi, its type.
///
/// It is called for phis, parameters, literals and operations, also for erased ones. The meaning of a word must not
/// change: use a number in a table that only grows, or the address of something that lives as long as both programs.
/// Only described things are compared. Let two operations have equal attributes and read equal values, and let each
/// promise of the second be a promise of the first. Then the second must do what the first does wherever that has a
/// meaning.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A promise of an operation, in words of the IR's choice.
struct described_promise {
  std::uint64_t kind;
  std::uint64_t contents;

  friend constexpr bool operator==(const described_promise&, const described_promise&) = default;
};

/// Takes the description of an operation: it keeps the words, or compares them with those of another operation.
class operation_description {
public:
  /// Appends the words to these arrays.
  operation_description(flat_array<std::uint64_t>& attributes, flat_array<described_promise>& promises)
      : kept_attributes_(&attributes), kept_promises_(&promises) {}

  /// Compares with these words, without allocating.
  operation_description(span<const std::uint64_t> attributes, span<const described_promise> promises)
      : attributes_(attributes), promises_(promises) {}

  /// Adds a word that the other operation must have, too, at the same position.
  void attribute(std::uint64_t word) {
    if (kept_attributes_ != nullptr) {
      kept_attributes_->push_back(word);
      return;
    }
    same_ = same_ && next_ != attributes_.size() && attributes_[next_] == word;
    ++next_;
  }

  /// Adds a promise that the other operation may lack.
  void promise(std::uint64_t kind, std::uint64_t contents = 0) {
    if (kept_promises_ != nullptr) {
      kept_promises_->push_back({kind, contents});
      return;
    }
    bool is_promised = false;
    for (const described_promise& p : promises_) {
      is_promised = is_promised || p == described_promise{kind, contents};
    }
    same_ = same_ && is_promised;
  }

  /// An operation of the vocabulary: code and widths are attributes, no-wrap flags promises of the kinds 0 and 1.
  void operation(const operation_info& info) {
    attribute(std::uint64_t{static_cast<std::uint8_t>(info.code)} | std::uint64_t{info.width} << 8 |
              std::uint64_t{info.operand_width} << 16);
    if (info.flags.no_signed_wrap) {
      promise(0);
    }
    if (info.flags.no_unsigned_wrap) {
      promise(1);
    }
  }

  /// A text, such as the name of a callee, as attributes.
  void text(const char* first, std::size_t size) {
    attribute(size);
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = i; k != size && k != i + 8; ++k) {
        word = word << 8 | static_cast<unsigned char>(first[k]);
      }
      attribute(word);
    }
  }

  /// Valid for a comparison: whether all attributes agree, and no promise is new.
  bool is_same() const { return same_ && next_ == attributes_.size(); }

private:
  flat_array<std::uint64_t>* kept_attributes_ = nullptr;
  flat_array<described_promise>* kept_promises_ = nullptr;
  span<const std::uint64_t> attributes_;
  span<const described_promise> promises_;
  std::size_t next_ = 0;
  bool same_ = true;
};

/// `describe(v, out)` says what an operation computes. Optional.
template <class IR>
concept has_describe = requires(const IR& ir, value_id v, operation_description& out) { ir.describe(v, out); };

namespace detail {

template <class T>
concept names_describe = requires { &T::describe; };

MIDEND_OPTIONAL_ROW(describe_row, has_describe, names_describe,
                    "`describe` of an IR would never be called; write `void describe(midend::value_id v, "
                    "midend::operation_description& out) const`, or give the member another name");

} // namespace detail

/// Whether value `w` of `other` has the description of `v` of `ir`, and promises no more: `same_operation` for an IR
/// that has `describe`, in one line. Allocates; O(words).
template <has_describe IR, has_describe Other>
bool same_description(const IR& ir, value_id v, const Other& other, value_id w) {
  flat_array<std::uint64_t> attributes;
  flat_array<described_promise> promises;
  operation_description kept(attributes, promises);
  ir.describe(v, kept);
  operation_description compared(span<const std::uint64_t>(attributes.data(), attributes.size()),
                                 span<const described_promise>(promises.data(), promises.size()));
  other.describe(w, compared);
  return compared.is_same();
}

MIDEND_END_NAMESPACE
