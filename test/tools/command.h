/* The command from outside, for tests: a folder, a small scene in it, and a function that runs `sinew`. */
#ifndef SN_TEST_COMMAND_H
#define SN_TEST_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], scene[96];

/* Runs `sinew ...` and returns its exit code; *json (may be NULL) gets what it printed. */
static inline int sinew(json_t **json, const char *format, ...) {
    char command[2048], line[2300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s %s 2>%s/messages", SN_COMMAND, command, folder);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    char *text = NULL;
    size_t used = 0, got;
    do {
        text = realloc(text, used + 65537);
        got = fread(text + used, 1, 65536, pipe);
        used += got;
    } while (got);
    text[used] = 0;
    const int status = pclose(pipe);
    if (json) {
        json_error_t problem;
        *json = json_loads(text, 0, &problem);
        if (!*json) fail_msg("%s: not JSON: %s\n%.300s", command, problem.text, text);
    }
    free(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline bool message_has(const char *word) {
    char path[128], text[4096] = "";
    snprintf(path, sizeof path, "%s/messages", folder);
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strstr(text, word) != NULL;
}

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-command-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(scene, sizeof scene, "%s/scene.json", folder);
    FILE *file = fopen(scene, "wb");
    if (!file) return -1;
    fputs("{ \"sinew\": 1, \"time\": { \"step\": 0.02, \"end\": 0.2 },\n"
          "  \"bodies\": [ { \"mesh\": { \"box\": { \"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1] } },\n"
          "    \"material\": { \"law\": \"corotated\", \"young\": 1e5, \"poisson\": 0.3 },\n"
          "    \"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], [1e-6, 1, 1]] } } ] } ],\n"
          "  \"probes\": [ { \"name\": \"tip\", \"nearest\": [0.4, 0, 0] } ], \"output\": { \"every\": 5, \"formats\": "
          "[\"vtu\"] } }\n",
          file);
    return fclose(file);
}

static int tear_down(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

#endif
