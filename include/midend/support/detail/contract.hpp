/// `contract`: what an argument must have, as a table. A row is a member: which concept it must fulfil, whether it may
/// be missing, and the sentence that the compiler prints if it is not as it should be. `fits` and the diagnostics of a
/// contract come from its rows.
///
///     MIDEND_REQUIRED(has_effect, "an IR needs `midend::effect_kind effect(midend::value_id v) const`");
///     MIDEND_OPTIONAL_MEMBER(is_removable, has_is_removable, it.is_removable(value_id()),
///                            "of an IR would never be called", "`bool is_removable(midend::value_id v) const`");
///     struct effect_contract : contract<ssa_contract, has_effect_row, is_removable_row> {}; // short in messages
///
/// Rows are read in order; the first that does not fit is explained, and those after it are not looked at: they may
/// need it to be read at all. A contract is a row of others.
#pragma once

#include "midend/config.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class... Rows> struct contract;

template <> struct contract<> {
  template <class T> static constexpr bool fits = true;

  template <class T> static constexpr bool explain() { return false; }
};

/// A row that does not fit `T`. If it has rows of its own, the one among them that does not fit, and the type that it
/// is read for.
template <class Row, class T> struct wrong_row_within {
  using row = Row;
  using subject = T;
};

template <class Row, class T>
  requires requires { typename Row::template wrong<T>; }
struct wrong_row_within<Row, T> : Row::template wrong<T> {};

/// The first row that does not fit, or no row. Found by types: g++ shows each call on the path to an error.
template <bool first_fits, class T, class Row, class... Rows> struct first_wrong_row : wrong_row_within<Row, T> {};

template <class T, class Row> struct first_wrong_row<true, T, Row> {
  using row = contract<>;
  using subject = T;
};

template <class T, class Row, class Next, class... Rows>
struct first_wrong_row<true, T, Row, Next, Rows...> : first_wrong_row<Next::template fits<T>, T, Next, Rows...> {};

template <class Row, class... Rows> struct contract<Row, Rows...> {
private:
  template <class T> static constexpr bool all_fit() {
    if constexpr (Row::template fits<T>) {
      return contract<Rows...>::template fits<T>;
    } else {
      return false;
    }
  }

public:
  /// Whether `T` has all that is required, and no optional member that would be overlooked.
  template <class T> static constexpr bool fits = all_fit<T>();

  /// Its `row` does not fit its `subject`.
  template <class T> using wrong = first_wrong_row<Row::template fits<T>, T, Row, Rows...>;

  /// The sentence of the first row that does not fit, as an error. Always false, so that concepts can end in it.
  template <class T> static constexpr bool explain() {
    wrong<T>::row::template explain<typename wrong<T>::subject>();
    return false;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE

/// `has_row`: a row that requires `has<T>`. The sentence goes on after "midend: ".
#define MIDEND_REQUIRED(has, sentence)                                                                                 \
  struct has##_row {                                                                                                   \
    template <class T> static constexpr bool fits = has<T>;                                                            \
    template <class T> static constexpr bool explain() {                                                               \
      static_assert(has<T>, "midend: " sentence);                                                                      \
      return false;                                                                                                    \
    }                                                                                                                  \
  }

/// `has_row<Other>`: a row that requires `has<T, Other>`.
#define MIDEND_REQUIRED_WITH(has, sentence)                                                                            \
  template <class Other> struct has##_row {                                                                            \
    template <class T> static constexpr bool fits = has<T, Other>;                                                     \
    template <class T> static constexpr bool explain() {                                                               \
      static_assert(has<T, Other>, "midend: " sentence);                                                               \
      return false;                                                                                                    \
    }                                                                                                                  \
  }

/// `member_row`: a member that may be missing. If there is a member of this name, it must fulfil `has<T>`: otherwise
/// nobody would call it, and its author would not know. The address finds members of any type, the call those that are
/// overloaded. What is private, or is there only if a constraint holds, does not count.
///
/// `call`: of an `it` that is a `T`. `of`: "of an IR would never be called", or what else happens. `form`: how the
/// member is written, with its quotes.
#define MIDEND_OPTIONAL_MEMBER(member, has, call, of, form)                                                            \
  template <class T>                                                                                                   \
  concept names_##member = requires { &T::member; } || requires(T& it) { call; };                                      \
  MIDEND_OPTIONAL_ROW(member##_row, has, names_##member,                                                               \
                      "`" #member "` " of "; write " form ", or give the member another name")

/// A row that requires `has<T>` if `is_named<T>`.
#define MIDEND_OPTIONAL_ROW(row, has, is_named, sentence)                                                              \
  struct row {                                                                                                         \
    template <class T> static constexpr bool fits = has<T> || !is_named<T>;                                            \
    template <class T> static constexpr bool explain() {                                                               \
      static_assert(has<T>, "midend: " sentence);                                                                      \
      return false;                                                                                                    \
    }                                                                                                                  \
  }
