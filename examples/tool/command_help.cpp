#include "command_help.hpp"

#include "text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t words_column = 25;

/// How many columns a text takes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The options of an app that have names, help first.
std::vector<const CLI::Option*> named_options(const CLI::App& app) {
  const auto all = app.get_options([](const CLI::Option* o) { return !o->get_positional(); });
  return {all.begin(), all.end()};
}

std::vector<const CLI::Option*> positionals(const CLI::App& app) {
  const auto all = app.get_options([](const CLI::Option* o) { return o->get_positional(); });
  return {all.begin(), all.end()};
}

bool takes_value(const CLI::Option& o) {
  return o.get_items_expected_max() != 0;
}

/// `-o, --output FILE`.
std::string term_of(const CLI::Option& o) {
  std::string out;
  for (const std::string& name : names_of_option(o)) {
    append(out, out.empty() ? "" : ", ", name);
  }
  return takes_value(o) ? out + " " + o.get_type_name() : out;
}

/// What an option does, and its value if it is not given.
std::string words_of(const CLI::Option& o) {
  const std::string value = o.get_default_str();
  return o.get_description() + (value.empty() ? "" : " (default: " + value + ")");
}

bool takes_many(const CLI::Option& o) {
  return o.get_items_expected_max() > 1 || o.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

std::string usage_of(const CLI::App& app) {
  std::string out = "midend " + app.get_name() + " [OPTIONS]";
  for (const CLI::Option* o : named_options(app)) {
    if (o->get_required()) {
      append(out, " ", names_of_option(*o).front(), " ", o->get_type_name());
    }
  }
  for (const CLI::Option* o : positionals(app)) {
    append(out, " ", o->get_required() ? "" : "[", o->get_name(), o->get_items_expected_max() > 1 ? "..." : "",
           o->get_required() ? "" : "]");
  }
  return out;
}

void append_rows(std::string& out, std::string_view title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) {
    return;
  }
  append(out, "\n", title, "\n");
  for (const CLI::Option* o : options) {
    append_help_row(out, o->get_positional() ? o->get_name() : term_of(*o), words_of(*o));
  }
}

struct status_row {
  std::string_view status;
  std::string_view what;
};

std::vector<status_row> statuses_of(const command& c) {
  std::vector<status_row> out = {{"0", "done"}, {"1", c.bad_input}, {"2", "the command line is wrong"}};
  if (!c.difference.empty()) {
    out.push_back({"3", c.difference});
  }
  return out;
}

const option_words* words_for(const command& c, const CLI::Option& o) {
  const auto names = o.get_positional() ? std::vector<std::string>{o.get_name()} : names_of_option(o);
  const auto found = std::find_if(c.words.begin(), c.words.end(), [&](const option_words& w) {
    return std::find(names.begin(), names.end(), w.option) != names.end();
  });
  return found == c.words.end() ? nullptr : &*found;
}

/// Whether the value is a file or a folder.
bool takes_file(const CLI::Option& o) {
  const std::string type = o.get_positional() ? o.get_name() : o.get_type_name();
  return type.ends_with("FILE") || type == "DIR";
}

// The manual page.

/// Text for roff: a backslash is `\e`, a hyphen a minus, and no line begins with a control character.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    out += begins_line && (text[i] == '.' || text[i] == '\'') ? "\\&" : "";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else if (text.substr(i).starts_with("…")) {
      out += "...";
      i += std::string_view("…").size() - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

void append_roff_rows(std::string& out, const std::vector<const CLI::Option*>& options) {
  for (const CLI::Option* o : options) {
    append(out, ".TP\n\\fB", roff(o->get_positional() ? o->get_name() : term_of(*o)), "\\fR\n", roff(words_of(*o)),
           "\n");
  }
}

void append_roff_command(std::string& out, const command& c) {
  append(out, ".SS ", roff(usage_of(*c.app)), "\n", roff(c.app->get_description()), ".\n");
  append_roff_rows(out, positionals(*c.app));
  append_roff_rows(out, named_options(*c.app));
  if (!c.notes.empty()) {
    append(out, ".PP\n.nf\n", roff(c.notes), ".fi\n");
  }
  append(out, ".PP\nExit status:\n");
  for (const status_row& row : statuses_of(c)) {
    append(out, ".TP\n\\fB", row.status, "\\fR\n", roff(row.what), "\n");
  }
}

// Completion of shells.

/// Text between single quotes of a shell. Fish escapes differently, so a quote is left out.
std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? '`' : c;
  }
  return out + "'";
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    append(out, out.empty() ? std::string_view() : separator, word);
  }
  return out;
}

std::string bash_script(const CLI::App& tool, std::span<const command> commands) {
  std::string names;
  std::string options;
  for (const command& c : commands) {
    append(names, names.empty() ? "" : " ", c.app->get_name());
    std::string own;
    for (const CLI::Option* o : named_options(*c.app)) {
      for (const std::string& name : names_of_option(*o)) {
        append(own, own.empty() ? "" : " ", name, name.starts_with("--") && takes_value(*o) ? "=" : "");
      }
    }
    append(options, "    ", c.app->get_name(), ") options='", own, "' ;;\n");
  }
  std::string out = "# bash completion of midend; `midend completion bash` prints it.\n"
                    "# Words are taken from the line, because bash splits them at = and : too.\n"
                    "_midend() {\n"
                    "  local line=${COMP_LINE:0:COMP_POINT} command= word option= value list=\n"
                    "  local options words='' w before\n"
                    "  local -a parts\n"
                    "  read -ra parts <<<\"$line\"\n"
                    "  case $line in *' ') parts+=('') ;; esac\n"
                    "  word=${parts[${#parts[@]}-1]}\n"
                    "  COMPREPLY=()\n"
                    "  [ \"${#parts[@]}\" -gt 2 ] && command=${parts[1]}\n"
                    "  case $command in\n";
  append(out, "    '') options='", names);
  for (const CLI::Option* o : named_options(tool)) {
    append(out, " ", joined(names_of_option(*o), " "));
  }
  append(out, "' ;;\n", options, "    *) return ;;\n  esac\n");
  out += "  case $word in\n"
         "    --*=*) option=${word%%=*} value=${word#*=} before=$option= ;;\n"
         "    *) value=$word before= option=${parts[${#parts[@]}-2]}\n"
         "      case $option in --*=*) option= ;; -*) ;; *) option=ARGUMENT ;; esac ;;\n"
         "  esac\n"
         "  case \"$command $option\" in\n";
  for (const command& c : commands) {
    const auto add = [&](const CLI::Option& o, const std::string& pattern) {
      if (const option_words* const w = words_for(c, o); w != nullptr) {
        append(out, "    '", c.app->get_name(), " ", pattern, "') words='", joined(w->words, " "), "'",
               w->is_list ? " list=," : "", " ;;\n");
      }
    };
    for (const CLI::Option* o : named_options(*c.app)) {
      for (const std::string& name : names_of_option(*o)) {
        add(*o, name);
      }
    }
    for (const CLI::Option* o : positionals(*c.app)) {
      add(*o, "ARGUMENT");
    }
  }
  out += "  esac\n"
         "  if [ -n \"$words\" ]; then\n"
         "    if [ -n \"$list\" ]; then\n"
         "      case $value in *,*) before+=${value%,*}, value=${value##*,} ;; esac\n"
         "    fi\n"
         "  elif [ -z \"$before\" ]; then\n"
         "    case $word in -*) words=$options ;; *) [ -z \"$command\" ] && words=$options ;; esac\n"
         "  fi\n"
         "  if [ -z \"$words\" ]; then\n"
         "    while IFS= read -r w; do COMPREPLY+=(\"$w\"); done < <(compgen -f -- \"$value\")\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    return\n"
         "  fi\n"
         "  # What bash replaces is its own last word, a part of ours.\n"
         "  local last=${COMP_WORDS[COMP_CWORD]}\n"
         "  case $last in = | :) last= ;; esac\n"
         "  local skipped=${word%\"$last\"}\n"
         "  for w in $words; do\n"
         "    case $w in \"$value\"*) ;; *) continue ;; esac\n"
         "    w=$before$w\n"
         "    COMPREPLY+=(\"${w#\"$skipped\"}\")\n"
         "  done\n"
         "  [[ ${#COMPREPLY[@]} -eq 1 && ( -n $list || ${COMPREPLY[0]} == *= ) ]] && compopt -o nospace 2>/dev/null\n"
         "}\n"
         "complete -F _midend midend\n";
  return out;
}

/// The text of a description in `[…]` of `_arguments`.
std::string zsh_words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += '\\';
    }
    out += c == '\'' ? '`' : c;
  }
  return out;
}

std::string zsh_action(const command& c, const CLI::Option& o) {
  if (const option_words* const w = words_for(c, o); w != nullptr) {
    const std::string all = joined(w->words, " ");
    return w->is_list ? "{compset -P \"*,\"; compadd -q -S, -- " + all + "}" : "{compadd -- " + all + "}";
  }
  return takes_file(o) ? "_files" : " ";
}

std::string zsh_script(const CLI::App& tool, std::span<const command> commands) {
  std::string out = "#compdef midend\n# zsh completion of midend; `midend completion zsh` prints it.\n_midend() {\n"
                    "  local context state state_descr line\n  typeset -A opt_args\n  if (( CURRENT == 2 )); then\n"
                    "    local -a commands=(\n";
  for (const command& c : commands) {
    append(out, "      '", c.app->get_name(), ":", zsh_words(c.app->get_description()), "'\n");
  }
  for (const CLI::Option* o : named_options(tool)) {
    append(out, "      '", names_of_option(*o).back(), ":", zsh_words(o->get_description()), "'\n");
  }
  out += "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
         "  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const command& c : commands) {
    append(out, "    ", c.app->get_name(), ")\n      _arguments -S");
    for (const CLI::Option* o : named_options(*c.app)) {
      for (const std::string& name : names_of_option(*o)) {
        const bool is_long = name.starts_with("--");
        append(out, " \\\n        '", takes_many(*o) ? "*" : "", name, takes_value(*o) ? (is_long ? "=" : "+") : "",
               "[", zsh_words(o->get_description()), "]");
        if (takes_value(*o)) {
          append(out, ":", zsh_words(o->get_type_name()), ":", zsh_action(c, *o));
        }
        out += "'";
      }
    }
    for (const CLI::Option* o : positionals(*c.app)) {
      append(out, " \\\n        '", takes_many(*o) ? "*" : "", ":", o->get_name(), ":", zsh_action(c, *o), "'");
    }
    out += "\n      ;;\n";
  }
  return out + "  esac\n}\n_midend \"$@\"\n";
}

std::string fish_script(const CLI::App& tool, std::span<const command> commands) {
  std::string out = "# fish completion of midend; `midend completion fish` prints it.\n";
  for (const CLI::Option* o : named_options(tool)) {
    append(out, "complete -c midend -n __fish_use_subcommand");
    for (const std::string& name : names_of_option(*o)) {
      append(out, name.starts_with("--") ? " -l " : " -s ", name.substr(name.find_first_not_of('-')));
    }
    append(out, " -d ", shell_text(o->get_description()), "\n");
  }
  for (const command& c : commands) {
    const std::string name = c.app->get_name();
    append(out, "complete -c midend -f -n __fish_use_subcommand -a ", name, " -d ",
           shell_text(c.app->get_description()), "\n");
    const std::string head = "complete -c midend -n '__fish_seen_subcommand_from " + name + "'";
    const auto values = [&](const CLI::Option& o) -> std::string {
      if (const option_words* const w = words_for(c, o); w != nullptr) {
        const std::string all = joined(w->words, " ");
        return w->is_list ? " -x -a '(__fish_complete_list , \"string split \\\" \\\" -- \\\"" + all + "\\\"\")'"
                          : " -x -a '" + all + "'";
      }
      return takes_file(o) ? " -r -F" : " -x";
    };
    for (const CLI::Option* o : named_options(*c.app)) {
      out += head;
      for (const std::string& each : names_of_option(*o)) {
        append(out, each.starts_with("--") ? " -l " : " -s ", each.substr(each.find_first_not_of('-')));
      }
      append(out, takes_value(*o) ? values(*o) : "", " -d ", shell_text(o->get_description()), "\n");
    }
    for (const CLI::Option* o : positionals(*c.app)) {
      if (words_for(c, *o) != nullptr) {
        append(out, head, values(*o), "\n");
      }
    }
  }
  return out;
}

} // namespace

void append_help_row(std::string& out, std::string_view term, std::string_view words) {
  append(out, "  ", term);
  std::size_t at = 2 + width_of(term);
  const auto new_line = [&] {
    out += '\n';
    out.append(words_column, ' ');
    at = words_column;
  };
  if (at + 2 > words_column) {
    new_line();
  } else {
    out.append(words_column - at, ' ');
    at = words_column;
  }
  bool is_first = true;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!is_first && at + 1 + width_of(word) > page_width) {
      new_line();
      is_first = true;
    }
    append(out, is_first ? "" : " ", word);
    at += width_of(word) + (is_first ? 0 : 1);
    is_first = false;
  }
  out += '\n';
}

std::vector<std::string> names_of_option(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.get_snames()) {
    out.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    out.push_back("--" + name);
  }
  return out;
}

std::string help_text(const CLI::App& tool, std::span<const command> commands) {
  std::string out = "midend: " + tool.get_description() + "\n\nusage: midend COMMAND [OPTIONS] ...\n\ncommands\n";
  for (const command& c : commands) {
    append_help_row(out, c.app->get_name(), c.app->get_description());
  }
  append_rows(out, "options", named_options(tool));
  out += "\nexamples\n";
  for (const command& c : commands) {
    if (!c.examples.empty()) {
      append(out, "  midend ", c.examples.front().line, "\n");
    }
  }
  out += "\n`-` as the name of an input is standard input. Names that end with .gz are of packed files.\n"
         "`midend COMMAND --help` explains a command, its examples and its exit statuses; `man midend` all of them.\n";
  return out;
}

std::string help_text(const command& c) {
  std::string out = c.app->get_description() + ".\n\nusage: " + usage_of(*c.app) + "\n";
  append_rows(out, "arguments", positionals(*c.app));
  append_rows(out, "options", named_options(*c.app));
  if (!c.notes.empty()) {
    append(out, "\n", c.notes);
  }
  if (!c.examples.empty()) {
    out += "\nexamples\n";
    for (const command_example& e : c.examples) {
      append(out, "  midend ", e.line, "\n      ", e.what, "\n");
    }
  }
  out += "\nexit status\n";
  for (const status_row& row : statuses_of(c)) {
    append(out, "  ", row.status, "  ", row.what, "\n");
  }
  return out;
}

std::string manual_page(const CLI::App& tool, std::span<const command> commands, std::string_view version) {
  std::string out = ".TH MIDEND 1 \"\" \"" + roff(version) + "\" \"User Commands\"\n.SH NAME\nmidend \\- " +
                    roff(tool.get_description()) + "\n.SH SYNOPSIS\n";
  for (const command& c : commands) {
    append(out, roff(usage_of(*c.app)), "\n.br\n");
  }
  append(out, ".SH DESCRIPTION\nThe library midend from the command line. ",
         roff("`-` as the name of an input is standard input. Names that end with .gz are of packed files."),
         "\n.SH OPTIONS\n");
  append_roff_rows(out, named_options(tool));
  out += ".SH COMMANDS\n";
  for (const command& c : commands) {
    append_roff_command(out, c);
  }
  out += ".SH EXAMPLES\n";
  for (const command& c : commands) {
    for (const command_example& e : c.examples) {
      append(out, ".TP\n\\fBmidend ", roff(e.line), "\\fR\n", roff(e.what), "\n");
    }
  }
  out += ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nIf it is not empty, messages have no colours. They have none "
         "either if standard error is not a terminal.\n";
  return out;
}

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(std::string_view shell, const CLI::App& tool, std::span<const command> commands) {
  return shell == "bash"  ? bash_script(tool, commands)
         : shell == "zsh" ? zsh_script(tool, commands)
                          : fish_script(tool, commands);
}

} // namespace midend_tool
