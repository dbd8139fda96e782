/* Status, messages, allocation and threads. Every other header builds on this one.
 *
 * The library never prints, never exits and has no mutable globals. The host gives it memory and threads through an
 * sn_context. A function that fails writes its message into an sn_error that the caller owns.
 *
 * These rules hold in all headers of the library, unless a comment says otherwise:
 *   - A pointer must not be NULL. Only `error` may always be NULL.
 *   - A function that can fail returns SN_OK or the kind of the failure. A failure also fills `error`. After a failure
 *     nothing has leaked, and a world is as it was before the call.
 *   - The text and the tables that a function returns are static: they live as long as the program, and the caller does
 *     not release them.
 *   - Units are SI units. */
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. sn_version() is the version of the library that runs. */
#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 2
#define SN_VERSION_PATCH 0

/* SN_API marks the functions that the library exports. On Windows, define SN_BUILDING when you compile the library as a
 * DLL. Define SN_DLL when you compile a program that uses this DLL.
 *
 * SN_PRINTF marks functions that take a printf format. Its two numbers are the places of the format and of the first
 * value among the parameters, counted from 1. */
#if defined(_WIN32) && defined(SN_BUILDING)
#define SN_API __declspec(dllexport)
#elif defined(_WIN32) && defined(SN_DLL)
#define SN_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#define SN_API __attribute__((visibility("default")))
#else
#define SN_API
#endif
#if defined(__GNUC__)
#define SN_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define SN_PRINTF(text, values)
#endif

/* ---- Failures ---- */

typedef enum sn_status {
    SN_OK = 0,
    SN_BAD_INPUT, /* a file, option, mesh or value is wrong; the message names it and says which values are allowed */
    SN_NOT_FOUND, /* a file cannot be opened, or a name is unknown */
    SN_NO_MEMORY, /* the allocator returned NULL; nothing leaked, nothing changed */
    SN_IO,        /* reading or writing failed half-way */
    SN_NOT_CONVERGED, /* an iteration ended above its tolerance; the best iterate is kept */
    SN_NOT_FINITE,    /* a number is NaN or infinite; the state before the step is kept */
    SN_INVERTED,      /* a law with ln J met J <= 0 (J is the volume ratio det F); the step is retried with half its
                         length */
    SN_SINGULAR,      /* a matrix is singular: a static body that nothing holds, or a zero stiffness */
    SN_UNSUPPORTED,   /* a valid request that this build, or this combination of options, cannot serve */
    SN_STOPPED        /* the caller's callback asked to stop; the state before the step is kept */
} sn_status;

/* A short lower-case word for a status: "ok", "bad-input", "not-converged", ... Never NULL: "unknown" for other
 * numbers. */
SN_API const char *sn_status_name(sn_status status);

/* The message of a failure. The caller owns the struct. Every function accepts NULL. A function that succeeds does not
 * change the struct. To show a message, `text` is enough: it is complete. */
typedef struct sn_error {
    sn_status status;
    char path[128]; /* the wrong option, as a scene names it: "bodies.0.material.0.young"; "" when no option is wrong */

    /* One line without a newline: the path, then a sentence: "PATH: young is -3; it must be above 0". An error of a
     * scene has file, line and column before that. Without a path the text is only the sentence. */
    char text[512];
} sn_error;

/* Fills `error` and returns `status`, so that a function can write `return sn_fail(error, SN_BAD_INPUT, ...)`. `format`
 * and the values after it give the text, as in printf. The path becomes empty. Longer texts are cut off. */
SN_API sn_status sn_fail(sn_error *error, sn_status status, const char *format, ...) SN_PRINTF(3, 4);

/* Does the same for a wrong option. `path` is the name of the option inside the struct that the function was given. */
SN_API sn_status sn_fail_at(sn_error *error, sn_status status, const char *path, const char *format, ...)
    SN_PRINTF(4, 5);

/* Puts the name of the outer part before the path of an error: `return sn_within(error, status, "bodies.%d", 2)` turns
 * the path "young" into "bodies.2.young" and an empty path into "bodies.2". `format` and its values give the name, as
 * in printf. Returns `status`. Does nothing for SN_OK and SN_NO_MEMORY. */
SN_API sn_status sn_within(sn_error *error, sn_status status, const char *format, ...) SN_PRINTF(3, 4);
/* The sentence of an error: its text without the path in front. Valid until the error changes. */
SN_API const char *sn_error_sentence(const sn_error *error);

/* ---- Context ---- */

/* The host's functions for memory. Worlds on several threads may call them at the same time. */
typedef struct sn_allocator {
    void *(*allocate)(void *user, size_t bytes); /* returns memory aligned to 64 bytes, or NULL; bytes is at least 1 */
    void (*release)(void *user, void *memory);   /* must accept NULL */
    void *user;                                  /* handed to both functions; may be NULL */
} sn_allocator;

/* A scheduler of the host. It must call task(data, i) exactly once for each i in [0, count), on any threads. It must
 * return when all calls are done. `host` is sn_context_options.parallel_host. */
typedef void sn_parallel_for(void *host, int count, void (*task)(void *data, int index), void *data);

typedef struct sn_context_options {
    uint32_t cookie;        /* set by sn_context_options_default(); a struct without it is refused */
    sn_allocator allocator; /* default: aligned_alloc and free */

    /* Threads of the library's pool, with the caller's thread among them: 0 to 64. 0 (default): one per core, at
     * most 64. */
    int threads;

    sn_parallel_for *parallel_for; /* NULL (default): the library makes and uses a pool of threads */
    void *parallel_host;           /* handed to parallel_for; default NULL */

    /* Instruction set: "auto" (the widest that there is), "baseline", "avx2" or "avx512"; default "auto". NULL means
     * "auto". Results do not depend on it. A set that the processor or the build does not have is refused. */
    const char *simd;
} sn_context_options;

/* Allocator, threads and instruction set. A context is constant after its creation, so one context serves many worlds
 * on many threads. It must outlive everything that was made with it. */
typedef struct sn_context sn_context;

SN_API sn_context_options sn_context_options_default(void);

/* Makes a context. `options` may be NULL: the defaults. The options are copied. Fails with SN_BAD_INPUT (threads or
 * simd not allowed) or SN_NO_MEMORY. The caller frees *context with sn_context_destroy. */
SN_API sn_status sn_context_create(const sn_context_options *options, sn_context **context, sn_error *error);
SN_API void sn_context_destroy(sn_context *context); /* NULL does nothing */

SN_API int sn_context_threads(const sn_context *context);      /* 1 to 64 */
SN_API const char *sn_context_simd(const sn_context *context); /* the set in use: "baseline", "avx2" or "avx512" */

/* ---- Names ---- */

/* A name with one line about it, as `sinew list` prints. Functions that return a table of listings write its length to
 * *count. */
typedef struct sn_listing {
    const char *name;
    const char *text;
} sn_listing;

/* Finds the name that is nearest to a mistyped word, by edit distance (how many letters must change). Returns NULL when
 * no name is near. `names` is an array of `count` structs whose first member is a `const char *`; `stride` is the size
 * of such a struct in bytes. */
SN_API const char *sn_nearest(const char *word, const void *names, int count, int stride);

/* ---- Version ---- */

SN_API const char *sn_version(void);     /* the version of the library, such as "1.2.3" */
SN_API const char *sn_build_parts(void); /* the libraries in this build with their licences, one per line */

#ifdef __cplusplus
}
#endif
#endif
