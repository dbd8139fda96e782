/* Help with mistyped words. */
#ifndef SN_BASE_WORDS_H
#define SN_BASE_WORDS_H

#include "sinew/base.h" /* sn_nearest */

/* Appends "; did you mean 'x'?" and what is known, "; known are a, b, c", to text (capacity bytes in all). */
void sn_suggest(char *text, int capacity, const char *word, const void *names, int count, int stride);

#endif
