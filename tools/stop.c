/* Ctrl-C and SIGTERM. */
#include <signal.h>
#include <string.h>

#include "tool.h"

static volatile sig_atomic_t asked;

static void stop(int signal) { asked = signal; }

int tool_stop_asked(void) { return asked; }

void tool_stop_watch(void) {
    const struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    static const int number[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; ++i) {
        struct sigaction before;
        /* A program in the background (nohup) ignores Ctrl-C. It stays so. */
        if (sigaction(number[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(number[i], &action, NULL);
    }
}
