/// Contracts and the inline namespace: what every header of midend includes first.
///
/// A broken precondition goes through the one macro `MIDEND_ASSERT(condition, what, values...)`. Without a
/// definition of yours it prints the place, the condition, `what` and the values, and aborts; with `NDEBUG` it
/// is off and costs nothing. Define `MIDEND_ASSERT` before the first inclusion of a midend header to install
/// a handler of your own, which is then always on.
///
/// Whether and how checks are done is part of the name of the inline namespace (`v0`, `v0_checked`,
/// `v0_custom`), so that translation units built differently can be linked together: their instantiations
/// are different entities. Layouts of results are the same in all of them.
#pragma once

#include "midend/version.hpp"

// After `#error`, compilers go on and report hundreds of errors. They stop at a file that they cannot include, so that
// this sentence is all they say.
#if !defined(__cpp_concepts) || __cpp_concepts < 201907L
#define MIDEND_STOP "midend needs C++20: compile with -std=c++20 or newer (MSVC: /std:c++20)"
#include MIDEND_STOP
#endif

#if defined(MIDEND_ONE_FILE)
#define MIDEND_STOP                                                                                                    \
  "midend: a one-file header was included before this header of the folder midend/; include one of the two"
#include MIDEND_STOP
#endif

#if defined(_MSC_VER) && !defined(__clang__) && (!defined(_MSVC_TRADITIONAL) || _MSVC_TRADITIONAL)
#error "midend needs the standard preprocessor: compile with /Zc:preprocessor"
#endif

#if defined(MIDEND_ASSERT)
#define MIDEND_CHECKS 1
#define MIDEND_ABI v0_custom
#elif defined(NDEBUG)
#define MIDEND_CHECKS 0
#define MIDEND_ABI v0
#else
#define MIDEND_CHECKS 1
#define MIDEND_ABI v0_checked
#endif

/// On functions that grow an array: kept out of the loops that call them, so that those stay small enough to inline.
#if defined(__GNUC__)
#define MIDEND_SELDOM_CALLED [[gnu::noinline, gnu::cold]]
#else
#define MIDEND_SELDOM_CALLED
#endif

/// On functions that write text: compilers inline them only where that makes code smaller. For those that are declared
/// first and defined later, of which g++ wants no `noinline`.
#if defined(__GNUC__)
#define MIDEND_COLD [[gnu::cold]]
#else
#define MIDEND_COLD
#endif

/// The name of the function around, with its template arguments; empty where compilers do not tell.
#if defined(__GNUC__)
#define MIDEND_FUNCTION_NAME __PRETTY_FUNCTION__
#else
#define MIDEND_FUNCTION_NAME ""
#endif

/// On functions that cost more than a call and are called in many places: inlining them costs compile time only.
#if defined(__GNUC__)
#define MIDEND_NEVER_INLINED [[gnu::noinline]]
#else
#define MIDEND_NEVER_INLINED
#endif

/// On functions and lambdas that a loop calls in one place: part of the loop, even where compilers find that too large.
#if defined(__GNUC__)
#define MIDEND_ALWAYS_INLINED __attribute__((always_inline))
#else
#define MIDEND_ALWAYS_INLINED
#endif

/// Functions that do not depend on a user's types are `MIDEND_FUNCTION`. By default they are inline, and headers are
/// all there is. With `MIDEND_COMPILED`, which the target `midend::compiled` defines, headers only declare them, and a
/// static library has them: a file that uses the Elbrus-like IR or the unrolling advice then compiles in a fraction of
/// the time. The library must be built with the same contract checks as its users, otherwise it does not link: the name
/// of the inline namespace differs.
#if defined(MIDEND_COMPILED)
#define MIDEND_FUNCTION
#else
#define MIDEND_FUNCTION inline
#endif
#if defined(MIDEND_COMPILED) && !defined(MIDEND_COMPILED_SOURCE)
#define MIDEND_DEFINES_FUNCTIONS 0
#else
#define MIDEND_DEFINES_FUNCTIONS 1
#endif

/// `MIDEND_RETURN_COMPILED(f(a));` in a constexpr function leaves its work to `f`, which only the library defines: with
/// `MIDEND_COMPILED`, at run time. A compiler then translates none of it, and constant expressions are evaluated as
/// before. What the library calls must not do this: linkers may take a user's copy of an inline function for the
/// library's. Without the library nothing mentions `f`, so that nothing is instantiated for it.
#if MIDEND_DEFINES_FUNCTIONS
#define MIDEND_RETURN_COMPILED(...) static_cast<void>(0)
#else
#if defined(__GNUC__)
#define MIDEND_IS_CONSTANT_EVALUATED() __builtin_is_constant_evaluated()
#else
#include <type_traits>
#define MIDEND_IS_CONSTANT_EVALUATED() std::is_constant_evaluated()
#endif
#define MIDEND_RETURN_COMPILED(...)                                                                                    \
  if (!MIDEND_IS_CONSTANT_EVALUATED())                                                                                 \
  return __VA_ARGS__
#endif

/// Whether a type is trivially copyable and can be made without a value. By compilers' own words where there are some:
/// the standard traits are two more classes for each type.
#if defined(__GNUC__)
#define MIDEND_IS_PLAIN(T) (__is_trivially_copyable(T) && __is_constructible(T))
#else
#include <type_traits>
#define MIDEND_IS_PLAIN(T) (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>)
#endif

#define MIDEND_BEGIN_NAMESPACE                                                                                         \
  namespace midend {                                                                                                   \
  inline namespace MIDEND_ABI {
#define MIDEND_END_NAMESPACE                                                                                           \
  }                                                                                                                    \
  }

#if !defined(MIDEND_ASSERT)
#if MIDEND_CHECKS

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

// Some projects make macros of these functions (GCC's `system.h` does). Here they are the functions, before and after.
#pragma push_macro("abort")
#pragma push_macro("fprintf")
#pragma push_macro("fputc")
#undef abort
#undef fprintf
#undef fputc

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The default contract handler. Not constexpr on purpose: a contract that is broken in a constant expression
/// makes it ill-formed, and the compiler's message names this function.
[[noreturn]] inline void contract_violation(const char* file, int line, const char* condition, const char* what,
                                            const char* names, std::initializer_list<unsigned long long> values) {
  std::fprintf(stderr, "%s:%d: midend contract violation: %s\n  required: %s\n", file, line, what, condition);
  if (values.size() != 0) {
    std::fprintf(stderr, "  where (%s) =", names);
    for (const unsigned long long value : values) {
      std::fprintf(stderr, " %llu", value);
    }
    std::fputc('\n', stderr);
  }
  std::abort();
}

template <class... Integers>
[[noreturn]] void report_violation(const char* file, int line, const char* condition, const char* what,
                                   const char* names, Integers... values) {
  contract_violation(file, line, condition, what, names, {static_cast<unsigned long long>(values)...});
}

} // namespace detail

MIDEND_END_NAMESPACE

#pragma pop_macro("fputc")
#pragma pop_macro("fprintf")
#pragma pop_macro("abort")

#define MIDEND_ASSERT(condition, what, ...)                                                                            \
  ((condition) ? static_cast<void>(0)                                                                                  \
               : ::midend::detail::report_violation(__FILE__, __LINE__, #condition, what,                              \
                                                    #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__))

#else
#define MIDEND_ASSERT(condition, what, ...) static_cast<void>(0)
#endif
#endif
