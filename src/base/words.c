/* Edit distance with an upper limit, without regard to case. It suffices for a typing error in a key or a
 * subcommand. */
#include "words.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static const char *name_at(const void *names, int i, int stride) {
    return *(const char *const *)((const char *)names + (long)i * stride);
}

static int lower(char c) { return tolower((unsigned char)c); }

static int distance(const char *a, const char *b) {
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return INT_MAX;
    int row[LONGEST + 1];
    for (int j = 0; j <= m; ++j) row[j] = j;
    for (int i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; ++j) {
            const int up = row[j], change = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            int best = up + 1 < row[j - 1] + 1 ? up + 1 : row[j - 1] + 1;
            if (change < best) best = change;
            diagonal = up;
            row[j] = best;
        }
    }
    return row[m];
}

const char *sn_nearest(const char *word, const void *names, int count, int stride) {
    const char *nearest = NULL;
    const int length = (int)strlen(word);
    int least = 2 + length / 4;
    if (length == 0) return NULL;
    for (int i = 0; i < count; ++i) {
        const char *name = name_at(names, i, stride);
        const int d = distance(word, name);
        if (d < least || (d == least && !nearest)) least = d, nearest = name;
    }
    return nearest;
}

void sn_suggest(char *text, int capacity, const char *word, const void *names, int count, int stride) {
    size_t used = strlen(text), list = strlen(" known are");
    const char *nearest = sn_nearest(word, names, count, stride);
    if (nearest) {
        snprintf(text + used, (size_t)capacity - used, "; did you mean '%s'?", nearest);
        used = strlen(text);
        for (int i = 0; i < count; ++i) list += strlen(name_at(names, i, stride)) + 2;
        if (used + list >= (size_t)capacity) return; /* a part of the list would mislead */
    }
    for (int i = 0; i < count && used + 1 < (size_t)capacity; ++i) {
        snprintf(text + used, (size_t)capacity - used, "%s%s",
                 i         ? ", "
                 : nearest ? " known are "
                           : "; known are ",
                 name_at(names, i, stride));
        used = strlen(text);
    }
}
