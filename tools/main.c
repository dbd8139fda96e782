/* The command: finds the subcommand and runs it. To add a subcommand, add a file with its table and a line in
 * `tool_commands`. */
#include <errno.h>
#include <string.h>

#include "tool.h"

const tool_command *const tool_commands[] = {&tool_run,        &tool_check,    &tool_list, &tool_mesh,
                                             &tool_material,   &tool_rotation, &tool_view, &tool_bench,
                                             &tool_experiment, &tool_fit,      &tool_help};
const int tool_command_count = (int)(sizeof tool_commands / sizeof *tool_commands);

static bool asks_for_help(int count, char **word) {
    for (int i = 0; i < count; ++i)
        if (strcmp(word[i], "--help") == 0 || strcmp(word[i], "-h") == 0) return true;
    return false;
}

static int run_command(int count, char **word) {
    if (count < 2) {
        tool_print_commands(stderr);
        return TOOL_BAD_INPUT;
    }
    if (asks_for_help(1, word + 1)) {
        tool_print_commands(stdout);
        return TOOL_OK;
    }
    if (strcmp(word[1], "--version") == 0 || strcmp(word[1], "version") == 0) {
        printf("%s", sn_build_parts());
        return TOOL_OK;
    }
    const tool_command *command = tool_find_command(word[1]);
    if (!command) return TOOL_BAD_INPUT;
    if (!asks_for_help(count - 2, word + 2)) return command->run(count - 2, word + 2);
    tool_print_help(command);
    return TOOL_OK;
}

/* Standard output may be a file on a full disk: what could not be written there is a failure of the command. */
int main(int count, char **word) {
    const int code = run_command(count, word);
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (failed) putchar('\n'); /* the write that failed has left no reason; this one does */
    if (fclose(stdout) == 0 && !failed) return code;
    tool_fail(0, "standard output cannot be written: %s", strerror(errno ? errno : EIO));
    return code ? code : TOOL_FAILED;
}
