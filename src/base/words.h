/* Help with mistyped words. */
#ifndef SN_BASE_WORDS_H
#define SN_BASE_WORDS_H

/* The nearest of `count` names by edit distance, or NULL when none is near. stride: bytes from one `const char *` to the next, so
 * that tables of structs whose first member is the name serve as they are. */
const char *sn_nearest(const char *word, const void *names, int count, int stride);

/* Appends "; did you mean 'x'?" or "; known are a, b, c" to text (capacity bytes in all). */
void sn_suggest(char *text, int capacity, const char *word, const void *names, int count, int stride);

#endif
