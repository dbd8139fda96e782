/* A progress bar with the time left. It goes to standard error, and only when standard error is a terminal. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

double tool_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tool_progress_begin(tool_progress *progress, const char *label, bool quiet) {
    *progress = (tool_progress){.shown = !quiet && isatty(STDERR_FILENO), .begin = tool_seconds()};
    snprintf(progress->label, sizeof progress->label, "%.40s", label);
    tool_progress_show(progress, 0);
}

void tool_progress_show(tool_progress *progress, double fraction) {
    enum { WIDTH = 32 };
    const double now = tool_seconds();
    if (!progress->shown || (progress->last > 0 && now - progress->last < 0.1 && fraction < 1)) return;
    progress->last = now;
    fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; ++i) bar[i] = i < (int)(fraction * WIDTH + 0.5) ? '#' : '.';
    bar[WIDTH] = 0;
    const double spent = now - progress->begin;
    if (fraction > 0.01)
        fprintf(stderr, "\r%s [%s] %3.0f%%  %s%.0f s left\033[K", progress->label, bar, 100 * fraction, progress->note,
                spent * (1 - fraction) / fraction);
    else
        fprintf(stderr, "\r%s [%s] %4.2g%%  %safter %.0f s\033[K", progress->label, bar, 100 * fraction, progress->note,
                spent);
    fflush(stderr);
}

void tool_progress_end(tool_progress *progress) {
    if (progress->shown) fputs("\r\033[K", stderr);
}
