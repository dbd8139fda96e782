/* Reads the options of the subcommands; prints messages. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

int tool_fail(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("sinew: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int tool_error(const sn_error *error) {
    static const bool input[] = {[SN_BAD_INPUT] = true, [SN_NOT_FOUND] = true,   [SN_IO] = true,
                                 [SN_SINGULAR] = true,  [SN_UNSUPPORTED] = true, [SN_INVERTED] = true};
    const unsigned s = (unsigned)error->status;
    return tool_fail(s < sizeof input / sizeof *input && input[s] ? TOOL_BAD_INPUT : TOOL_FAILED, "%s", error->text);
}

bool tool_writable(const char *path, bool replaced) {
    struct stat about;
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    errno = 0;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        errno = EISDIR;
    else if (access(path, W_OK) == 0 && (!replaced || !S_ISREG(about.st_mode) || access(folder, W_OK | X_OK) == 0))
        return true;
    else if (errno == ENOENT && access(folder, W_OK | X_OK) == 0)
        return true;
    tool_fail(0, "%s: cannot be written: %s", path, strerror(errno));
    return false;
}

bool tool_svg_writable(const char *path) {
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".svg") == 0) return tool_writable(path, false);
    tool_fail(0, "%s: a plot is an SVG picture: the name must end in .svg", path);
    return false;
}

bool tool_make_folder(const char *path) {
    char text[1024];
    if (strlen(path) >= sizeof text || !*path) {
        errno = *path ? ENAMETOOLONG : ENOENT;
        return false;
    }
    strcpy(text, path);
    for (char *p = text + 1; *p; ++p) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(text, 0777) && errno != EEXIST) return false;
        *p = '/';
    }
    struct stat about;
    if (mkdir(text, 0777) == 0) return true;
    if (errno != EEXIST || stat(text, &about)) return false;
    errno = ENOTDIR;
    return S_ISDIR(about.st_mode);
}

int tool_context(int threads, const char *simd, sn_context **context, sn_error *error) {
    sn_context_options options = sn_context_options_default();
    sn_error own = {0};
    if (!error) error = &own;
    options.threads = threads, options.simd = simd;
    *context = NULL;
    return sn_context_create(&options, context, error) ? tool_error(error) : TOOL_OK;
}

static int unknown_option(const tool_command *command, const char *word) {
    const char *nearest = sn_nearest(word, command->option, command->options, (int)sizeof *command->option);
    if (nearest)
        return tool_fail(TOOL_BAD_INPUT, "%s has no option '%s'; did you mean '%s'?", command->name, word, nearest);
    return tool_fail(TOOL_BAD_INPUT, "%s has no option '%s'; see sinew %s --help", command->name, word, command->name);
}

static int take_value(const tool_option *option, const char *value) {
    if (option->text) *option->text = value;
    if (option->many) {
        if (*option->many_count == TOOL_MANY)
            return tool_fail(TOOL_BAD_INPUT, "%s is given more than %d times", option->name, TOOL_MANY);
        option->many[(*option->many_count)++] = value;
    }
    if (option->number) {
        char *end;
        const long number = strtol(value, &end, 10);
        if (!*value || *end || number < option->low || number > 1000000000)
            return tool_fail(TOOL_BAD_INPUT, "%s is '%s'; it must be a whole number of at least %d", option->name,
                             value, option->low);
        *option->number = (int)number;
    }
    return TOOL_OK;
}

/* True for words such as "-3" and "-.5": they are values, not options. */
static bool looks_like_number(const char *word) { return word[0] == '-' && strchr("0123456789.", word[1]) && word[1]; }

int tool_parse(const tool_command *command, int count, char **word, const char **positional, int most,
               int *positional_count) {
    const tool_option *option = command->option;
    const int options = command->options;
    *positional_count = 0;
    bool only_words = false;
    for (int i = 0; i < count; ++i) {
        if (!only_words && strcmp(word[i], "--") == 0) {
            only_words = true;
            continue;
        }
        if (only_words || word[i][0] != '-' || !word[i][1] || looks_like_number(word[i])) {
            if (*positional_count == most)
                return tool_fail(TOOL_BAD_INPUT, "%s does not expect '%s'; usage: sinew %s", command->name, word[i],
                                 tool_usage(command));
            positional[(*positional_count)++] = word[i];
            continue;
        }
        const char *equals = strchr(word[i], '=');
        const size_t length = equals ? (size_t)(equals - word[i]) : strlen(word[i]);
        int k = 0;
        while (k < options && (strlen(option[k].name) != length || strncmp(option[k].name, word[i], length) != 0)) ++k;
        if (k == options) return unknown_option(command, word[i]);
        if (option[k].flag) {
            if (equals) return tool_fail(TOOL_BAD_INPUT, "%s takes no value", option[k].name);
            *option[k].flag = true;
            continue;
        }
        if (!equals && i + 1 == count) return tool_fail(TOOL_BAD_INPUT, "%s needs a value", option[k].name);
        const int code = take_value(&option[k], equals ? equals + 1 : word[++i]);
        if (code) return code;
    }
    return TOOL_OK;
}

bool tool_numbers(const char *text, double *value, int wanted) {
    int found = 0;
    while (*text) {
        if (strchr(" \t\n,;[]", *text)) {
            ++text;
            continue;
        }
        char *end;
        const double number = strtod(text, &end);
        if (end == text || !isfinite(number) || found == wanted) return false;
        value[found++] = number;
        text = end;
    }
    return found == wanted;
}

bool tool_split(char *text, char **value) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return false;
    *equals = 0;
    *value = equals + 1;
    return true;
}
