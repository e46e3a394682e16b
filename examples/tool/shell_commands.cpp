// `midend completion` and `midend man`: what the tool says about itself to other programs.
#include "shell_commands.hpp"

#include "command_help.hpp"
#include "eir_file.hpp"
#include "messages.hpp"
#include "option_list.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace midend_tool {
namespace {

exit_status print(const std::string& text) {
  const auto problem = write_text("-", text);
  return problem ? complain(exit_bad_input, *problem) : exit_done;
}

} // namespace

command add_completion_command(CLI::App& app, const std::vector<command>& all) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const sub = app.add_subcommand("completion", "Print what completes command lines in a shell");
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  return {.app = sub,
          .run =
              [&app, &all, shell] {
                const auto& known = completion_shells();
                if (std::find(known.begin(), known.end(), *shell) == known.end()) {
                  return complain(exit_bad_usage, "midend completion: SHELL: unknown shell '" + *shell +
                                                      "', expected one of: bash, zsh, fish");
                }
                return print(completion_script(*shell, app, all));
              },
          .examples = {{"completion bash > ~/.local/share/bash-completion/completions/midend", "for bash"},
                       {"completion zsh > ~/.zfunc/_midend", "for zsh, if ~/.zfunc is in fpath"},
                       {"completion fish > ~/.config/fish/completions/midend.fish", "for fish"}},
          .bad_input = "the output cannot be written",
          .words = {{"SHELL", completion_shells()}}};
}

command add_man_command(CLI::App& app, const std::vector<command>& all, std::string_view version) {
  CLI::App* const sub = app.add_subcommand("man", "Print the manual page");
  return {.app = sub,
          .run = [&app, &all, version] { return print(manual_page(app, all, version)); },
          .examples = {{"man | man -l -", "read it"}},
          .bad_input = "the output cannot be written"};
}

} // namespace midend_tool
