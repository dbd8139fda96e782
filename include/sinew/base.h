/* Status, messages, allocation and threads. Every other header builds on this one.
 *
 * The library never prints, never exits and has no mutable globals. An sn_context brings in the host's memory and threads. An sn_error,
 * which the caller owns, takes the message of a failure. */
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

/* SN_API marks the functions that the library exports. Windows: define SN_BUILDING to compile the library as a DLL, SN_DLL to use it as
 * one. SN_PRINTF marks functions that take a format and its values. */
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

typedef enum sn_status {
    SN_OK = 0,
    SN_BAD_INPUT,     /* a file, option, mesh or value is wrong; the message names it and what is allowed */
    SN_NOT_FOUND,     /* a file cannot be opened, a name is unknown */
    SN_NO_MEMORY,     /* the allocator returned NULL; nothing leaked, nothing changed */
    SN_IO,            /* reading or writing failed half-way */
    SN_NOT_CONVERGED, /* an iteration ended above its tolerance; the best iterate is kept */
    SN_NOT_FINITE,    /* a NaN or an infinity came up; the state before the step is kept */
    SN_INVERTED,      /* a law with ln J met J <= 0; the step is retried smaller */
    SN_SINGULAR,      /* a matrix is singular: an unconstrained static body, a zero stiffness */
    SN_UNSUPPORTED,   /* a valid request that this build or this combination cannot serve */
    SN_STOPPED        /* the caller's callback asked to stop; the state before the step is kept */
} sn_status;

/* A short lower-case word for a status: "ok", "bad-input", "not-converged", ... Never NULL. */
SN_API const char *sn_status_name(sn_status status);

/* A failing function leaves its message here. The caller owns the struct. Every function accepts NULL. A function that succeeds does not
 * touch the struct. A caller needs only `text`: it is complete. */
typedef struct sn_error {
    sn_status status;
    char path[128]; /* the option at fault, as a scene names it: "bodies.0.material.0.young"; "" when no option is at fault */
    char text[512]; /* one line without a newline: "PATH: young is -3; it must be above 0", and the file, line and column before it when the
                       error comes from a scene. Without a path only the sentence */
} sn_error;

/* Fills `error` (may be NULL) printf-like, with an empty path, and returns `status`: `return sn_fail(error, SN_BAD_INPUT, ...)`. */
SN_API sn_status sn_fail(sn_error *error, sn_status status, const char *format, ...) SN_PRINTF(3, 4);
/* The same for an option that is at fault: `path` is its name, relative to the struct that the function was given. */
SN_API sn_status sn_fail_at(sn_error *error, sn_status status, const char *path, const char *format, ...) SN_PRINTF(4, 5);
/* Puts a name (printf-like) and a dot before the path of an error that came from a part: `return sn_within(error, status, "bodies.%d", 2)`.
 * An error without a path gets the name as its path. Returns `status`. Does nothing for SN_OK and SN_NO_MEMORY. */
SN_API sn_status sn_within(sn_error *error, sn_status status, const char *format, ...) SN_PRINTF(3, 4);
/* The text without the path in front. Lives as long as the error. */
SN_API const char *sn_error_sentence(const sn_error *error);

/* Allocation hooks. `allocate` returns memory aligned to 64 bytes or NULL; `release` accepts NULL. */
typedef struct sn_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} sn_allocator;

/* A scheduler of the host: must call task(data, i) exactly once for each i in [0, count), on any threads, and return
 * when all are done. NULL for the library's own pool. */
typedef void sn_parallel_for(void *host, int count, void (*task)(void *data, int index), void *data);

typedef struct sn_context_options {
    uint32_t cookie;               /* set by sn_context_options_default(); a struct without it is refused */
    sn_allocator allocator;        /* default: aligned_alloc and free */
    int threads;                   /* threads of the own pool, the caller's included; 0 (default): one per core, at most 64 */
    sn_parallel_for *parallel_for; /* default NULL: the own pool */
    void *parallel_host;           /* handed to parallel_for */
    const char *simd;              /* "auto" (default), "baseline", "avx2" or "avx512"; never wider than the processor allows */
} sn_context_options;

/* Allocator, threads and the instruction set. Constant after creation, so one context serves many worlds on many threads.
 * It must outlive everything made with it. */
typedef struct sn_context sn_context;

SN_API sn_context_options sn_context_options_default(void);
SN_API sn_status sn_context_create(const sn_context_options *options, sn_context **context, sn_error *error);
SN_API void sn_context_destroy(sn_context *context);
SN_API int sn_context_threads(const sn_context *context);
SN_API const char *sn_context_simd(const sn_context *context);

/* A name with one line about it, as `sinew list` prints. */
typedef struct sn_listing {
    const char *name;
    const char *text;
} sn_listing;

/* The nearest of `count` names by edit distance, for messages about mistyped words; NULL when none is near. stride: bytes from one
 * `const char *` to the next, so that tables of structs whose first member is the name serve as they are. */
SN_API const char *sn_nearest(const char *word, const void *names, int count, int stride);

/* The version as "1.2.3", and the build's parts with their licences, one per line. Static strings. */
SN_API const char *sn_version(void);
SN_API const char *sn_build_parts(void);

#ifdef __cplusplus
}
#endif
#endif
