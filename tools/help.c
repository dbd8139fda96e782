/* sinew help: the help of the subcommands, the man page and the shell completion. All of them come from the tables of
 * the subcommands (tool_command, tool_option). */
#include <string.h>

#include "tool.h"

static int help(int count, char **word);

static bool man, bash;
static const tool_option help_options[] = {
    {.name = "--man", .about = "print the man page", .flag = &man},
    {.name = "--bash", .about = "print the completion for bash", .flag = &bash},
};

const tool_command tool_help = {
    "help", "[SUBCOMMAND]", "subcommands", "explain a subcommand", "", TOOL_OPTIONS(help_options), help};

enum { WIDTH = 100 };

/* ---- Usage and help ---- */

const char *tool_usage(const tool_command *command) {
    static char text[2048];
    int used = snprintf(text, sizeof text, "%s%s%s", command->name, *command->words ? " " : "", command->words);
    for (int i = 0; i < command->options && used < (int)sizeof text; ++i) {
        const tool_option *o = &command->option[i];
        used += snprintf(text + used, sizeof text - (size_t)used, " [%s%s%s]%s", o->name, o->value ? " " : "",
                         o->value ? o->value : "", o->many ? "..." : "");
    }
    return text;
}

static int label_width(const tool_option *o) {
    return (int)strlen(o->name) + (o->value ? 1 + (int)strlen(o->value) : 0);
}

/* Prints words from column `at`; the lines after the first begin at column `indent`. */
static void print_folded(const char *text, int at, int indent) {
    int column = at;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) printf("\n%*s", indent, ""), column = indent;
        column += printf("%s%.*s", column > indent ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

void tool_print_help(const tool_command *command) {
    int width = 0;
    printf("usage: sinew ");
    print_folded(tool_usage(command), 13, 13);
    printf("\n%s\n%s", command->text, command->options || *command->more ? "\n" : "");
    for (int i = 0; i < command->options; ++i) {
        const int own = label_width(&command->option[i]);
        if (own > width && own <= 32) width = own;
    }
    for (int i = 0; i < command->options; ++i) {
        const tool_option *o = &command->option[i];
        printf("  %s%s%s%*s", o->name, o->value ? " " : "", o->value ? o->value : "", 2 + width - label_width(o), "");
        if (label_width(o) > width) printf("\n%*s", width + 4, "");
        print_folded(o->about, width + 4, width + 4);
    }
    printf("%s%s", command->options && *command->more ? "\n" : "", command->more);
}

static const char *const codes =
    "Exit code 0: success; 1: a run failed; 2: bad usage or input; 130: stopped by Ctrl-C.";

void tool_print_commands(FILE *file) {
    fprintf(file, "sinew %s: soft solids by finite elements\n\nusage: sinew SUBCOMMAND [--help]\n\n", sn_version());
    for (int i = 0; i < tool_command_count; ++i)
        fprintf(file, "  %-10s %s\n", tool_commands[i]->name, tool_commands[i]->text);
    fprintf(file, "\n  --version  print the version, the libraries in this build and their licences\n\n%s\n", codes);
}

const tool_command *tool_find_command(const char *name) {
    const char *known[64];
    for (int i = 0; i < tool_command_count; ++i) {
        known[i] = tool_commands[i]->name;
        if (strcmp(name, known[i]) == 0) return tool_commands[i];
    }
    const char *nearest = sn_nearest(name, known, tool_command_count, (int)sizeof *known);
    if (nearest)
        tool_fail(0, "there is no subcommand '%s'; did you mean '%s'?", name, nearest);
    else
        tool_fail(0, "there is no subcommand '%s'; see sinew --help", name);
    return NULL;
}

/* ---- The man page ---- */

/* Text for troff: a backslash and a minus have a meaning there, and so has a dot at the start of a line. */
static void print_troff(const char *text) {
    bool begins = true;
    for (; *text; ++text) {
        if (begins && (*text == '.' || *text == '\'')) printf("\\&");
        printf(*text == '\\' ? "\\e" : *text == '-' ? "\\-" : "%c", *text);
        begins = *text == '\n';
    }
}

static void print_man(void) {
    printf(".TH SINEW 1 \"\" \"sinew %s\" \"User Commands\"\n.SH NAME\nsinew \\- soft solids by finite elements\n"
           ".SH SYNOPSIS\n.B sinew\n.I SUBCOMMAND\n[options]\n.SH SUBCOMMANDS\n",
           sn_version());
    for (int i = 0; i < tool_command_count; ++i) {
        const tool_command *command = tool_commands[i];
        printf(".SS sinew ");
        print_troff(command->name);
        printf(" ");
        print_troff(command->words);
        printf("\n");
        print_troff(command->text);
        printf(".\n");
        for (int k = 0; k < command->options; ++k) {
            const tool_option *o = &command->option[k];
            printf(".TP\n.B ");
            print_troff(o->name);
            if (o->value) {
                printf(" \\fI");
                print_troff(o->value);
                printf("\\fR");
            }
            printf("\n");
            print_troff(o->about);
            printf("\n");
        }
        if (*command->more) {
            printf(".PP\n.nf\n");
            print_troff(command->more);
            printf(".fi\n");
        }
    }
    printf(".SH EXIT STATUS\n%s\n", codes);
}

/* ---- Completion for bash ---- */

static void print_names(void) {
    for (int i = 0; i < tool_command_count; ++i) printf("%s%s", i ? " " : "", tool_commands[i]->name);
}

/* The case of a word after an option, or of a plain word: files, folders, names of a list, or subcommands. */
static void print_offer(const char *offer) {
    if (!offer)
        printf("COMPREPLY=()");
    else if (strcmp(offer, "file") == 0)
        printf("COMPREPLY=($(compgen -f -- \"$word\"))");
    else if (strcmp(offer, "folder") == 0)
        printf("COMPREPLY=($(compgen -d -- \"$word\"))");
    else if (strcmp(offer, "subcommands") == 0)
        printf("COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))");
    else /* a list may have files beside its names: ready scenes and scene files */
        printf("COMPREPLY=($(compgen -W \"$(_sinew_names %s)\" -- \"$word\")%s)", offer,
               strcmp(offer, "scenes") == 0 || strcmp(offer, "generators") == 0 ? " $(compgen -f -- \"$word\")" : "");
}

static void print_bash(void) {
    printf("# Completion for bash, written by `sinew help --bash` from the tables of the command.\n"
           "_sinew_names() { \"${COMP_WORDS[0]}\" list \"$1\" 2>/dev/null | sed -n 's/^  \\([^ ]*\\).*/\\1/p'; }\n"
           "_sinew() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} commands='");
    print_names();
    printf("'\n    compopt -o filenames 2>/dev/null\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$word\"))\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < tool_command_count; ++i) {
        const tool_command *command = tool_commands[i];
        printf("    %s)\n        case $before in\n", command->name);
        for (int k = 0; k < command->options; ++k) {
            if (!command->option[k].value) continue;
            printf("        %s) ", command->option[k].name);
            print_offer(command->option[k].offer);
            printf("; return ;;\n");
        }
        printf("        esac\n        case $word in\n        -*) COMPREPLY=($(compgen -W '--help");
        for (int k = 0; k < command->options; ++k) printf(" %s", command->option[k].name);
        printf("' -- \"$word\")) ;;\n        *) ");
        print_offer(command->offer);
        printf(" ;;\n        esac ;;\n");
    }
    printf("    esac\n}\ncomplete -F _sinew sinew\n");
}

static int help(int count, char **word) {
    const char *name = NULL;
    int names;
    const int code = tool_parse(&tool_help, count, word, &name, 1, &names);
    if (code) return code;
    const tool_command *command = names ? tool_find_command(name) : NULL;
    if (names && !command) return TOOL_BAD_INPUT;
    if (man)
        print_man();
    else if (bash)
        print_bash();
    else if (command)
        tool_print_help(command);
    else
        tool_print_commands(stdout);
    return TOOL_OK;
}
