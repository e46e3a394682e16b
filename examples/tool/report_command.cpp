#include "commands.hpp"

#include "eir_file.hpp"
#include "machine_choice.hpp"
#include "option_list.hpp"
#include "pass_list.hpp"
#include "progress.hpp"
#include "report_advice.hpp"
#include "report_ion.hpp"
#include "report_json.hpp"
#include "report_page.hpp"
#include "report_picture.hpp"
#include "report_steps.hpp"
#include "text.hpp"

#include <corpus/corpus.hpp>

#include <midend/elbrus/program.hpp>
#include <midend/graph/csr_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct report_options {
  std::string file;
  std::string output;
  std::string passes; ///< separated by commas
  std::string format = "html";
  std::string machine = "e2k_reference_v6"; ///< a name or a file
  std::vector<std::string> procedures;      ///< empty: all
  bool without_advice = false;
};

using midend::elbrus::procedure;
using midend::elbrus::program;

/// Replaces `<`, which in JSON is only in strings, so that it ends no element of a page.
std::string without_tags(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// One run of the command over one file.
class report_writer {
public:
  report_writer(const report_options& options, const pass_list& passes)
      : options_(options), passes_(passes), is_ion_(options.format == "ion") {}

  exit_status of_graphs() {
    std::vector<midend_corpus::cfg_function> functions;
    if (const auto error = midend_corpus::read_cfg(options_.file, functions)) {
      return complain(exit_bad_input, error->to_string());
    }
    if (const auto name = missing(functions, [](const auto& f) -> std::string_view { return f.name; })) {
      return complain(exit_bad_input, options_.file + ": error: there is no function '" + *name + "'");
    }
    begin("cfg");
    progress shown(functions.size());
    for (std::size_t i = 0; i != functions.size(); ++i) {
      shown.at_function(i);
      if (is_chosen(functions[i].name)) {
        begin_procedure(functions[i].name);
        add_graph(functions[i]);
        end_procedure();
      }
    }
    return end("null");
  }

  exit_status of_program() {
    std::optional<program> read = read_program(options_.file);
    if (!read) {
      return exit_bad_input;
    }
    warn_about(options_.file, *read);
    if (const auto name = missing(read->procedures, [](const procedure& p) { return p.name(); })) {
      return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + *name + "'");
    }
    std::erase_if(read->procedures, [&](const procedure& p) { return !is_chosen(p.name()); });
    const auto machine = find_machine(options_.machine);
    if (!machine) {
      return exit_bad_input;
    }
    const bool has_advice = !is_ion_ && !options_.without_advice;
    const std::string advice = has_advice ? unrolling_advice_json(*read, options_.file, *machine) : "null";
    begin("eir");
    {
      progress shown(read->procedures.size());
      for (std::size_t i = 0; i != read->procedures.size(); ++i) {
        shown.at_function(i);
        begin_procedure("@" + std::string(read->procedures[i].name()));
        add_steps(read->procedures[i]);
        end_procedure();
      }
    }
    return end(advice);
  }

private:
  bool is_chosen(std::string_view name) const {
    return options_.procedures.empty() ||
           std::find(options_.procedures.begin(), options_.procedures.end(), name) != options_.procedures.end();
  }

  template <class All, class NameOf> std::optional<std::string> missing(const All& all, NameOf name_of_one) const {
    for (const std::string& name : options_.procedures) {
      if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return name_of_one(one) == name; })) {
        return name;
      }
    }
    return std::nullopt;
  }

  void begin(std::string_view kind) {
    if (is_ion_) {
      out_ += "{\"version\":1,\"functions\":[";
      return;
    }
    append_json_member(out_, "{", "file", options_.file);
    append_json_member(out_, ",", "kind", kind);
    append(out_, ",\"longest\":", report_font::longest_line, ",\"procedures\":[");
  }

  void begin_procedure(std::string_view name) {
    append_json_member(out_, num_procedures_++ == 0 ? "\n{" : ",\n{", "name", name);
    append(out_, is_ion_ ? ",\"passes\":[" : ",\"steps\":[");
    num_steps_ = 0;
  }

  void end_procedure() { out_ += "]}"; }

  exit_status end(const std::string& advice) {
    out_ += "]";
    if (!is_ion_) {
      append(out_, ",\n\"advice\":", without_tags(advice));
    }
    out_ += "}\n";
    const auto problem = write_text(options_.output, is_ion_ ? out_ : report_page(out_));
    return problem ? complain(exit_bad_input, *problem) : exit_done;
  }

  void add_graph(const midend_corpus::cfg_function& f) {
    const midend::csr_graph g(f);
    if (is_ion_) {
      begin_ion_pass("control flow");
      append_ion_blocks(out_, g);
      end_ion_pass();
      return;
    }
    std::vector<report_block> blocks(g.num_nodes());
    for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
      blocks[n].name = std::to_string(n);
      add_variables(blocks[n], "use", f.used_in(n));
      add_variables(blocks[n], "def", f.defined_in(n));
    }
    append(out_, "{\"pass\":\"\",\"summary\":\"\",\"changes\":[],\"gone\":[],\"head\":\"\",");
    painter_.append(out_, g, blocks, std::vector<report_edge>(g.num_edges()));
    out_ += '}';
  }

  template <class Variables>
  static void add_variables(report_block& block, const char* what, const Variables& variables) {
    if (!variables.empty()) {
      report_line line{static_cast<std::uint32_t>(block.lines.size()), what, ' ', {}};
      for (const auto v : variables) {
        append(line.text, " $", v);
      }
      block.lines.push_back(line);
    }
  }

  void add_steps(procedure& p) {
    report_steps steps(painter_);
    run_report_passes(p, passes_, [&](const procedure& now, const report_step& step) {
      if (is_ion_) {
        begin_ion_pass(step.pass.empty() ? "as written" : step.pass);
        append_ion_blocks(out_, now);
        end_ion_pass();
      } else {
        append(out_, num_steps_++ == 0 ? "\n" : ",\n");
        steps.append(out_, now, step);
      }
    });
  }

  void begin_ion_pass(std::string_view name) {
    append_json_member(out_, num_steps_++ == 0 ? "\n{" : ",\n{", "name", name);
    out_ += ",\"mir\":{";
  }

  void end_ion_pass() { out_ += "},\"lir\":{\"blocks\":[]}}"; }

  const report_options& options_;
  const pass_list& passes_;
  bool is_ion_;
  report_painter painter_;
  std::string out_;
  std::size_t num_procedures_ = 0;
  std::size_t num_steps_ = 0;
};

bool is_graph_file(const std::string& file) {
  return file.ends_with(".cfg") || file.ends_with(".cfg.gz");
}

exit_status run_report(report_options options) {
  drop_signs(options.procedures);
  pass_list passes;
  if (const auto problem = read_passes(options.passes, passes)) {
    return complain(exit_bad_usage, "midend report: " + *problem);
  }
  if (options.format != "html" && options.format != "ion") {
    return complain(exit_bad_usage,
                    "midend report: --format: unknown format '" + options.format + "', expected one of: html, ion");
  }
  report_writer writer(options, passes);
  if (!is_graph_file(options.file)) {
    return writer.of_program();
  }
  if (!options.passes.empty()) {
    return complain(exit_bad_usage, "midend report: --passes: graphs without operations have no passes");
  }
  return writer.of_graphs();
}

} // namespace

command add_report_command(CLI::App& app) {
  const auto given = std::make_shared<report_options>();
  report_options& options = *given;
  CLI::App* const sub = app.add_subcommand("report", "Write a page to look at: flow, loops, passes, facts, advice");
  sub->footer(listed_passes("Passes:") +
              "The page needs no network and no other file. Equal inputs give equal pages.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  sub->add_option("FILE", options.file,
                  "a program (.eir), or control-flow graphs (.cfg, .cfg.gz); - reads a program from standard input")
      ->required();
  sub->add_option("-o,--output", options.output, "write the page to this file; - writes standard output")
      ->type_name("FILE")
      ->required();
  sub->add_option("--passes", options.passes, "show the program before and after these passes, separated by commas")
      ->type_name("PASSES");
  repeatable(sub->add_option("--procedure,--function", options.procedures, "this one only (repeatable)"))
      ->type_name("NAME");
  sub->add_option("--machine", options.machine,
                  "the machine of the advice on unrolling: a name (" + machine_names() + "), or a machine file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub->add_flag("--no-advice", options.without_advice, "without advice on unrolling, which takes the most time");
  sub->add_option("--format", options.format, "html, or ion: JSON for iongraph")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {sub, [given] { return run_report(*given); }};
}

} // namespace midend_tool
