/* Help with mistyped words. */
#ifndef SN_BASE_WORDS_H
#define SN_BASE_WORDS_H

#include "sinew/base.h" /* sn_nearest */

/* Appends "; did you mean 'x'? known are a, b, c" to `text`, or "; known are a, b, c" when no known word is near. The
 * list is left out when it does not fit. `capacity`: the bytes that `text` has room for. */
void sn_suggest(char *text, int capacity, const char *word, const void *names, int count, int stride);

#endif
