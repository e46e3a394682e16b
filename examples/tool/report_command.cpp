#include "commands.hpp"

#include "eir_file.hpp"
#include "graph_file.hpp"
#include "machine_choice.hpp"
#include "messages.hpp"
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
#include "work_split.hpp"

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
  work_split split;
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

  exit_status of_graphs(std::string_view text) {
    std::vector<midend_corpus::cfg_function> functions;
    if (const auto failed = parse_graphs(options_.file, text, functions)) {
      return *failed;
    }
    if (const auto name = missing(functions, [](const auto& f) -> std::string_view { return f.name; })) {
      return complain(exit_bad_input, options_.file + ": error: there is no function '" + *name + "'");
    }
    begin("cfg");
    std::size_t number = 0;
    std::erase_if(functions, [&](const auto& f) { return !options_.split.contains(number++) || !is_chosen(f.name); });
    add_all(functions.size(), [&](report_writer& part, std::size_t i) {
      part.begin_procedure(functions[i].name);
      part.add_graph(functions[i]);
    });
    return end("null");
  }

  exit_status of_program(std::string_view text) {
    std::optional<program> read = parse_program(options_.file, text);
    if (!read) {
      return exit_bad_input;
    }
    warn_about(options_.file, *read);
    if (const auto name = missing(read->procedures, [](const procedure& p) { return p.name(); })) {
      return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + *name + "'");
    }
    std::size_t number = 0;
    std::erase_if(read->procedures,
                  [&](const procedure& p) { return !options_.split.contains(number++) || !is_chosen(p.name()); });
    const auto machine = find_machine(options_.machine);
    if (!machine) {
      return exit_bad_input;
    }
    const bool has_advice = !is_ion_ && !options_.without_advice;
    const std::string advice =
        has_advice ? unrolling_advice_json(*read, options_.file, *machine, options_.split.jobs) : "null";
    begin("eir");
    add_all(read->procedures.size(), [&](report_writer& part, std::size_t i) {
      part.begin_procedure("@" + std::string(read->procedures[i].name()));
      part.add_steps(read->procedures[i]);
    });
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

  /// Each procedure is written by a writer of its own, so that threads can share the work.
  template <class Add> void add_all(std::size_t count, Add add) {
    std::vector<std::unique_ptr<report_writer>> parts(count);
    progress shown(count);
    for_each_in_order(
        count, options_.split.jobs,
        [&](std::size_t, std::size_t i) {
          parts[i] = std::make_unique<report_writer>(options_, passes_);
          parts[i]->num_procedures_ = i;
          add(*parts[i], i);
          parts[i]->end_procedure();
        },
        [&](std::size_t i) {
          shown.at_function(i);
          out_ += parts[i]->out_;
          parts[i].reset();
          return true;
        });
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

/// By the name, or, of standard input, by how the text begins: programs begin with `proc`.
bool has_graphs(const std::string& file, std::string_view text) {
  if (file != "-") {
    return file.ends_with(".cfg") || file.ends_with(".cfg.gz");
  }
  while (text.starts_with('#') || text.starts_with('\n')) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.starts_with("function ");
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
  std::string text;
  if (const auto problem = read_text(options.file, text)) {
    return complain(exit_bad_input, *problem);
  }
  report_writer writer(options, passes);
  if (!has_graphs(options.file, text)) {
    return writer.of_program(text);
  }
  if (!options.passes.empty()) {
    return complain(exit_bad_usage, "midend report: --passes: graphs without operations have no passes");
  }
  return writer.of_graphs(text);
}

} // namespace

command add_report_command(CLI::App& app) {
  const auto given = std::make_shared<report_options>();
  report_options& options = *given;
  CLI::App* const sub = app.add_subcommand("report", "Write a page to look at: flow, loops, passes, facts, advice");
  sub->add_option("FILE", options.file,
                  "a program (.eir, .eir.gz), or control-flow graphs (.cfg, .cfg.gz); - reads standard input")
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
  add_split_options(*sub, options.split);
  sub->add_option("--format", options.format, "html, or ion: JSON for iongraph")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {.app = sub,
          .run = [given] { return run_report(*given); },
          .notes = listed_passes("passes") +
                   "\nThe page needs no network and no other file. Equal inputs give equal pages.\n",
          .examples = {{"report FILE.eir -o OUT.html", "the program as it is"},
                       {"report FILE.eir --passes=construct-ssa,sccp,clean-up -o OUT.html", "what each pass changes"},
                       {"report FILE.cfg.gz --function=main -o OUT.html", "the flow graph of one function"}},
          .words = {{"--passes", words_of_table(pass_kinds()), true},
                    {"--machine", split_machine_names()},
                    {"--format", {"html", "ion"}}}};
}

} // namespace midend_tool
