/// The records of a `recording_editor` in words.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/recording_editor.hpp"
#include "midend/viz/value_names.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Appends a line for each change.
class edit_writer {
public:
  edit_writer(const flow_words& names, std::string& out) : names_(names), out_(out) {}

  /// `words` are those of the record.
  void write(const edit_record& r, span<const std::uint32_t> words) {
    const bool sets_input = r.kind == edit_kind::set_phi_input || r.kind == edit_kind::set_operand;
    if (r.is_part || (sets_input && r.object == r.old)) {
      return;
    }
    switch (r.kind) {
    case edit_kind::insert_phi:
      return line({"insert phi ", value(r.created), " in ", node(r.subject)});
    case edit_kind::set_phi_input:
      return line({"input of ", value(r.subject), " for ", names_.edge(r.third), ": ", value(r.object), instead_of(r)});
    case edit_kind::set_operand:
      return line(
          {"operand ", std::to_string(r.third), " of ", value(r.subject), ": ", value(r.object), instead_of(r)});
    case edit_kind::erase_value:
      return line({"erase ", value(r.subject), " from ", node(r.old)});
    case edit_kind::clone_value:
      return r.third != 0 ? line({"end ", node(r.subject), " with a clone of ", value(r.object)})
                          : line({"clone ", value(r.object), " as ", value(r.created), " in ", node(r.subject)});
    case edit_kind::clone_value_to_place:
      return line({"clone ", value(r.object), " as ", value(r.created), ", placed", at(r.where)});
    case edit_kind::clone_unguarded:
      return line({"clone ", value(r.object), " as ", value(r.created), " without its guard, placed", at(r.where)});
    case edit_kind::move_value:
      return line({"move ", value(r.subject), " from ", node(r.old), ", placed", at(r.where)});
    case edit_kind::drop_promises:
      return line({"drop the promises of ", value(r.subject)});
    case edit_kind::make_constant:
    case edit_kind::make_number:
      return line({"make literal ", value(r.created)});
    case edit_kind::make_operation:
      return line({"make ", value(r.created), " of ", list(words), ", placed", at(r.where)});
    case edit_kind::undefined_like:
      return line({"make ", value(r.created), ", which is undefined"});
    case edit_kind::create_node:
      return line({"create ", node(r.created), " like ", node(r.object)});
    case edit_kind::redirect_edge:
      return line({"lead ", names_.edge(r.subject), " to ", node(r.object), " instead of ", node(r.old)});
    case edit_kind::set_jump:
      return line({"end ", node(r.subject), " with a jump to ", node(r.object)});
    case edit_kind::set_branch:
      return line({"end ", node(r.subject), " with a branch on ", value(r.object), ": to ", node(r.third), " or ",
                   node(r.old)});
    case edit_kind::set_switch:
      return line({"end ", node(r.subject), " with a switch on ", value(r.object), ": to ",
                   list_nodes(words.first(r.third)), " or ", node(r.old)});
    case edit_kind::keep_edge:
      return line({"turn the branch of ", node(r.subject), " into a jump to ", node(kept_target(r, words))});
    case edit_kind::erase_end:
      return line({"erase the end of ", node(r.subject)});
    case edit_kind::erase_nodes:
      return line({"erase ", list_nodes(words)});
    case edit_kind::erase_node:
      return;
    case edit_kind::set_count:
      return r.number == r.new_number && r.old == r.object
                 ? void()
                 : line({"count of ", node(r.subject), ": ", r.object != 0 ? std::to_string(r.new_number) : "unknown",
                         " instead of ", r.old != 0 ? std::to_string(r.number) : "unknown"});
    case edit_kind::set_probability:
      return line({"probability of ", names_.edge(r.subject), ": ", probability(r.probability), " instead of ",
                   probability(r.old_probability)});
    case edit_kind::set_trip_hints:
      return line({"trip hints of ", node(r.subject)});
    case edit_kind::address_as_number:
      return r.created == r.object
                 ? void()
                 : line({"make ", value(r.created), ", the number of ", value(r.object), ", placed", at(r.where)});
    case edit_kind::make_local_array:
      return line({"make a local array of ", std::to_string(r.object), " bytes, ", value(r.created)});
    case edit_kind::make_load:
      return line({"make ", value(r.created), ", a load like ", value(r.object), ", placed", at(r.where)});
    case edit_kind::make_store:
      return line({"make a store of ", value(r.object), ", placed", at(r.where)});
    case edit_kind::make_memory_class:
      return line({"make a class of memory, ", std::to_string(r.created)});
    case edit_kind::set_memory_class:
      return line({r.third == no_node ? "class of " : "local class of ", value(r.subject), ": ",
                   r.object == any_memory ? "any" : std::to_string(r.object),
                   r.third == no_node ? "" : " in the loop of " + node(r.third)});
    }
  }

private:
  void line(std::initializer_list<std::string> parts) {
    for (const std::string& part : parts) {
      out_ += part;
    }
    out_ += '\n';
  }

  std::string value(value_id v) const { return v == no_value ? "none" : names_.value(v); }

  std::string node(node_id n) const { return n == no_node ? "no block" : names_.node(n); }

  std::string instead_of(const edit_record& r) const {
    return r.old == no_value ? std::string() : " instead of " + value(r.old);
  }

  std::string at(place p) const {
    switch (p.where) {
    case place::kind::before:
      return " before " + value(p.value);
    case place::kind::end:
      return " at the end of " + node(p.node);
    default:
      return " at the start of " + node(p.node);
    }
  }

  std::string list(span<const std::uint32_t> values) const {
    std::string text;
    for (const value_id v : values) {
      text += (text.empty() ? "" : ", ") + value(v);
    }
    return text.empty() ? "nothing" : text;
  }

  std::string list_nodes(span<const std::uint32_t> nodes) const {
    std::string text;
    for (const node_id n : nodes) {
      text += (text.empty() ? "" : ", ") + node(n);
    }
    return text.empty() ? "nothing" : text;
  }

  /// Where the kept edge leads: see `edit_log::words`.
  static node_id kept_target(const edit_record& r, span<const std::uint32_t> words) {
    for (std::size_t i = 2 + std::size_t{words[1]}; i < words.size(); i += 3 + 2 * std::size_t{words[i + 2]}) {
      if (words[i] == r.object) {
        return words[i + 1];
      }
    }
    return no_node;
  }

  /// In thousandths.
  static std::string probability(double p) {
    if (!(p >= 0)) {
      return "unknown";
    }
    const auto thousandths = static_cast<unsigned>(p * 1000 + 0.5);
    const std::string digits = std::to_string(thousandths % 1000);
    return std::to_string(thousandths / 1000) + "." + std::string(3 - digits.size(), '0') + digits;
  }

  const flow_words& names_;
  std::string& out_;
};

} // namespace detail

/// A line for each change, oldest first. A removed node is one change; setting a member to its old value is none. Names
/// must also know nodes and values that no longer exist.
///
///     create block 4 like block 1
///     lead edge 0 to block 4 instead of block 1
///     input of v3 for edge 7: v5 instead of v2
template <class Constant, flow_names Names = numbered_values>
std::string to_text(const edit_log<Constant>& log, const Names& names = {}) {
  std::string out;
  const detail::flow_words_of<Names> words(names);
  detail::edit_writer writer(words, out);
  for (const edit_record& r : log) {
    writer.write(r, log.words(r));
  }
  return out;
}

MIDEND_END_NAMESPACE
