#include "run_input.hpp"

#include <midend/elbrus/literal.hpp>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

namespace midend_tool {
namespace {

using namespace midend::elbrus;

using problem = std::optional<std::string>;

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// Moves the text before the separator from `text` to `head`, and drops the separator. False if there is none.
bool split(std::string_view& text, char separator, std::string_view& head) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) {
    return false;
  }
  head = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

/// A literal of a type, or the address of an array.
problem parse_value(std::string_view text, type t, const std::vector<std::string_view>& names, std::uint64_t& bits) {
  if (text.starts_with('@') && converts_freely(t, type::ptr)) {
    for (std::size_t i = 0; i != names.size(); ++i) {
      if (names[i] == text.substr(1)) {
        bits = memory::address_of(i);
        return std::nullopt;
      }
    }
    return "there is no memory " + quoted(text.substr(1));
  }
  const literal value = parse_literal(text, t);
  bits = value.bits;
  switch (value.fault) {
  case literal_fault::none:
    return std::nullopt;
  case literal_fault::malformed:
    return quoted(text) + " is no " + std::string(name_of(t));
  case literal_fault::out_of_range:
    return quoted(text) + " does not fit into " + std::string(name_of(t));
  }
  return std::nullopt;
}

/// What all arrays may take together. More takes seconds to make, and times more space on the way.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;

/// `v` or `v*COUNT`. `room`: how many bytes the array may have.
problem parse_elements(std::string_view text, type t, const std::vector<std::string_view>& names, std::uint64_t room,
                       std::vector<std::uint64_t>& elements) {
  const std::string_view all = text;
  std::string_view value = text;
  std::uint64_t count = 1;
  if (split(text, '*', value)) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc() || end != text.data() + text.size()) {
      return quoted(all) + ": " + quoted(text) + " is no number of elements";
    }
  }
  std::uint64_t bits = 0;
  if (const problem wrong = parse_value(value, t, names, bits)) {
    return wrong;
  }
  static_assert(most_bytes <= memory::largest_array);
  if (count > room / bytes_of(t) - elements.size()) {
    return quoted(all) + ": all arrays together have at most 2^28 bytes";
  }
  elements.insert(elements.end(), static_cast<std::size_t>(count), bits);
  return std::nullopt;
}

/// The values of an array, with commas between them.
problem parse_array(std::string_view text, type t, const std::vector<std::string_view>& names, std::uint64_t room,
                    std::vector<std::uint64_t>& elements) {
  elements.clear();
  if (text.empty()) {
    return std::nullopt;
  }
  for (std::string_view element; split(text, ',', element);) {
    if (const problem wrong = parse_elements(element, t, names, room, elements)) {
      return wrong;
    }
  }
  return parse_elements(text, t, names, room, elements);
}

struct written_array {
  std::string_view name;
  type element;
  std::string_view values;
};

problem parse_head(std::string_view text, written_array& array) {
  std::string_view type_name;
  if (!split(text, ':', array.name) || !split(text, ':', type_name) || array.name.empty()) {
    return std::string("expected NAME:TYPE:v,v,…");
  }
  const std::optional<type> t = type_named(type_name);
  if (!t) {
    return "unknown type " + quoted(type_name);
  }
  array.element = *t;
  array.values = text;
  return std::nullopt;
}

std::vector<std::string_view> array_names(const memory& arrays) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i != arrays.num_arrays(); ++i) {
    names.push_back(arrays.name(i));
  }
  return names;
}

} // namespace

problem parse_memories(const std::vector<std::string>& memories, run_input& input) {
  const auto prefix = [](const std::string& memory) { return "--memory=" + memory + ": "; };
  std::vector<written_array> written;
  std::vector<std::string_view> names;
  for (const std::string& memory : memories) {
    written_array array{};
    if (const problem wrong = parse_head(memory, array)) {
      return prefix(memory) + *wrong;
    }
    for (const std::string_view name : names) {
      if (name == array.name) {
        return prefix(memory) + "there is another memory " + quoted(name);
      }
    }
    written.push_back(array);
    names.push_back(array.name);
  }
  std::vector<std::uint64_t> elements;
  std::uint64_t room = most_bytes;
  for (std::size_t i = 0; i != written.size(); ++i) {
    if (const problem wrong = parse_array(written[i].values, written[i].element, names, room, elements)) {
      return prefix(memories[i]) + *wrong;
    }
    room -= elements.size() * bytes_of(written[i].element);
    input.arrays.add(written[i].name, written[i].element, elements);
    input.element_types.push_back(written[i].element);
  }
  return std::nullopt;
}

problem parse_arguments(const procedure& p, const std::vector<std::string>& arguments, run_input& input) {
  const std::string callee = "@" + std::string(p.name());
  if (arguments.size() != p.parameters().size()) {
    return callee + " takes " + std::to_string(p.parameters().size()) + " arguments, " +
           std::to_string(arguments.size()) + " are given";
  }
  const std::vector<std::string_view> names = array_names(input.arrays);
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const midend::value_id parameter = p.parameters()[i];
    const type t = p.value(parameter).type;
    std::uint64_t bits = 0;
    if (const problem wrong = parse_value(arguments[i], t, names, bits)) {
      return "argument %" + std::string(p.value_name(parameter)) + " of " + callee + ": " + *wrong;
    }
    input.arguments.push_back(literal_scalar(t, bits));
  }
  return std::nullopt;
}

std::string memory_text(const memory& arrays, std::size_t array, type element) {
  constexpr std::size_t shortest_run = 4; // of equal elements that are written as one
  std::string text = std::string(arrays.name(array)) + ":" + std::string(name_of(element)) + ":";
  const std::size_t count = arrays.size(array) / bytes_of(element);
  for (std::size_t i = 0; i != count;) {
    const scalar value = arrays.element(array, element, i);
    std::size_t end = i + 1;
    while (end != count && arrays.element(array, element, end) == value) {
      ++end;
    }
    const std::size_t run = end - i >= shortest_run ? end - i : 1;
    text += i == 0 ? "" : ",";
    append_scalar(text, value);
    text += run == 1 ? std::string() : "*" + std::to_string(run);
    i += run;
  }
  return text;
}

} // namespace midend_tool
