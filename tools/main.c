/* The command: finds the subcommand and runs it. To add a subcommand, add a file with its table and a line in
 * `commands`. */
#include <string.h>

#include "tool.h"

static const tool_command *const commands[] = {&tool_run,  &tool_check,    &tool_list,
                                               &tool_mesh, &tool_material, &tool_rotation,
                                               &tool_view, &tool_bench,    &tool_experiment};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *file) {
    fprintf(file, "sinew %s: soft solids by finite elements\n\nusage: sinew SUBCOMMAND [--help]\n\n", sn_version());
    for (int i = 0; i < COMMANDS; ++i) fprintf(file, "  %-10s %s\n", commands[i]->name, commands[i]->text);
    fprintf(file, "\n  --version  print the version, the libraries in this build and their licences\n"
                  "\nExit code 0: success; 1: a run failed; 2: bad usage or input.\n");
}

static bool asks_for_help(int count, char **word) {
    for (int i = 0; i < count; ++i)
        if (strcmp(word[i], "--help") == 0 || strcmp(word[i], "-h") == 0) return true;
    return false;
}

int main(int count, char **word) {
    if (count < 2) {
        print_help(stderr);
        return TOOL_BAD_INPUT;
    }
    if (strcmp(word[1], "--help") == 0 || strcmp(word[1], "-h") == 0 || strcmp(word[1], "help") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    if (strcmp(word[1], "--version") == 0 || strcmp(word[1], "version") == 0) {
        printf("%s", sn_build_parts());
        return TOOL_OK;
    }
    const char *name[COMMANDS];
    for (int i = 0; i < COMMANDS; ++i) {
        name[i] = commands[i]->name;
        if (strcmp(word[1], name[i]) != 0) continue;
        if (!asks_for_help(count - 2, word + 2)) return commands[i]->run(count - 2, word + 2);
        printf("usage: sinew %s\n\n%s\n%s%s", commands[i]->usage, commands[i]->text, *commands[i]->help ? "\n" : "",
               commands[i]->help);
        return TOOL_OK;
    }
    const char *nearest = sn_nearest(word[1], name, COMMANDS, (int)sizeof *name);
    if (nearest) return tool_fail(TOOL_BAD_INPUT, "there is no subcommand '%s'; did you mean '%s'?", word[1], nearest);
    return tool_fail(TOOL_BAD_INPUT, "there is no subcommand '%s'; see sinew --help", word[1]);
}
