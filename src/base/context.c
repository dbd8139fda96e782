/* The context: hooks of the host, defaults, and the choice of the instruction set. */
#include "context.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cookie.h"
#include "pool.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* Memory is aligned to cache lines. Large arrays are aligned to huge pages, which the system is asked for. Matrices are
 * read in irregular order, and small pages cost a tenth of the time of a step with half a million elements. */
static void *default_allocate(void *user, size_t bytes) {
    (void)user;
    const size_t unit = bytes < HUGE_PAGE / 2 ? 64 : HUGE_PAGE, rounded = (bytes + unit - 1) / unit * unit;
    if (rounded < bytes) return NULL;
    void *memory = aligned_alloc(unit, rounded ? rounded : unit);
#if defined(MADV_HUGEPAGE)
    if (memory && unit == HUGE_PAGE) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

sn_context_options sn_context_options_default(void) {
    return (sn_context_options){
        .cookie = SN_COOKIE, .allocator = {default_allocate, default_release, NULL}, .simd = "auto"};
}

static const char *const isa_name[SN_ISA_COUNT] = {"baseline", "avx2", "avx512"};

/* The widest kernels that are in this build and that this processor can run. */
static sn_isa widest(void) {
#if defined(SN_HAVE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return SN_ISA_AVX512;
    if (__builtin_cpu_supports("avx2")) return SN_ISA_AVX2;
#endif
    return SN_ISA_BASELINE;
}

static sn_status choose_isa(const char *name, sn_isa *isa, sn_error *error) {
    const sn_isa most = widest();
    *isa = most;
    if (!name || strcmp(name, "auto") == 0) return SN_OK;
    for (int i = 0; i < SN_ISA_COUNT; ++i) {
        if (strcmp(name, isa_name[i]) != 0) continue;
        if (i > (int)most)
            return sn_fail(error, SN_BAD_INPUT, "simd '%s' is not in this processor or this build; the widest is '%s'",
                           name, isa_name[most]);
        *isa = (sn_isa)i;
        return SN_OK;
    }
    return sn_fail(error, SN_BAD_INPUT, "simd '%s' is not one of auto, baseline, avx2, avx512", name);
}

static int default_threads(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 64 ? 64 : (int)cores;
}

sn_status sn_context_create(const sn_context_options *options, sn_context **context, sn_error *error) {
    const sn_context_options o = options ? *options : sn_context_options_default();
    sn_status status = sn_cookie_check(o.cookie, "sn_context_options", error);
    if (status) return status;
    if (o.threads < 0 || o.threads > 64)
        return sn_fail(error, SN_BAD_INPUT, "threads is %d; allowed are 0 (one per core) to 64", o.threads);
    sn_isa isa;
    status = choose_isa(o.simd, &isa, error);
    if (status) return status;
    sn_context *c = o.allocator.allocate(o.allocator.user, sizeof *c);
    if (!c) return sn_no_memory(error);
    *c = (sn_context){
        .allocator = o.allocator, .parallel_for = o.parallel_for, .parallel_host = o.parallel_host, .isa = isa};
    c->threads = o.threads ? o.threads : default_threads();
    if (!c->parallel_for && c->threads > 1) status = sn_pool_create(&c->allocator, c->threads, &c->pool, error);
    if (status) {
        sn_context_destroy(c);
        return status;
    }
    *context = c;
    return SN_OK;
}

void sn_context_destroy(sn_context *context) {
    if (!context) return;
    for (void *law = context->laws, *next; law; law = next) {
        next = *(void **)law;
        sn_release(context, law);
    }
    sn_pool_destroy(&context->allocator, context->pool);
    context->allocator.release(context->allocator.user, context);
}

int sn_context_threads(const sn_context *context) { return context->threads; }
const char *sn_context_simd(const sn_context *context) { return isa_name[context->isa]; }

void *sn_allocate(const sn_context *context, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    const size_t bytes = count * size;
    return context->allocator.allocate(context->allocator.user, bytes ? bytes : 1);
}

void *sn_allocate_zero(const sn_context *context, size_t count, size_t size) {
    void *memory = sn_allocate(context, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void sn_release(const sn_context *context, void *memory) {
    if (memory) context->allocator.release(context->allocator.user, memory);
}

sn_status sn_grow(const sn_context *context, void **array, int *capacity, int needed, size_t size, sn_error *error) {
    if (needed <= *capacity) return SN_OK;
    int64_t larger = *capacity > 0 ? (int64_t)*capacity * 2 : 16;
    if (larger < needed) larger = needed;
    if (larger > INT32_MAX) larger = INT32_MAX;
    void *grown = sn_allocate(context, (size_t)larger, size);
    if (!grown) return sn_no_memory(error);
    if (*array) memcpy(grown, *array, (size_t)*capacity * size);
    sn_release(context, *array);
    *array = grown;
    *capacity = (int)larger;
    return SN_OK;
}

sn_status sn_allocate_arrays(const sn_context *context, const sn_array *array, size_t count, sn_error *error) {
    size_t made = 0;
    for (size_t i = 0; i < count; ++i) {
        void *const memory = sn_allocate_zero(context, array[i].count, array[i].size);
        memcpy(array[i].pointer, &memory, sizeof memory);
        made += memory != NULL;
    }
    return made == count ? SN_OK : sn_no_memory(error);
}

void sn_parallel(const sn_context *context, int count, void (*task)(void *data, int index), void *data) {
    if (context->parallel_for && count > 1) {
        context->parallel_for(context->parallel_host, count, task, data);
    } else if (context->pool) {
        sn_pool_run(context->pool, count, task, data);
    } else {
        for (int i = 0; i < count; ++i) task(data, i);
    }
}

typedef struct run_work {
    void (*task)(void *data, int piece);
    void *data;
    int count, runs;
} run_work;

static void run_pieces(void *data, int run) {
    const run_work *w = data;
    const int begin = (int)((int64_t)w->count * run / w->runs), end = (int)((int64_t)w->count * (run + 1) / w->runs);
    for (int i = begin; i < end; ++i) w->task(w->data, i);
}

void sn_parallel_runs(const sn_context *context, int count, void (*task)(void *data, int piece), void *data) {
    if (!context) {
        for (int i = 0; i < count; ++i) task(data, i);
        return;
    }
    run_work w = {task, data, count, context->parallel_for || context->threads > count ? count : context->threads};
    sn_parallel(context, w.runs, run_pieces, &w);
}

double sn_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *sn_status_name(sn_status status) {
    static const char *const name[] = {"ok",         "bad-input", "not-found", "no-memory",   "io",     "not-converged",
                                       "not-finite", "inverted",  "singular",  "unsupported", "stopped"};
    return (unsigned)status < sizeof name / sizeof *name ? name[status] : "unknown";
}

/* The text is "path: sentence", or the sentence without a path. */
static void fill(sn_error *error, sn_status status, const char *path, const char *format, va_list arguments) {
    if (!error) return;
    char sentence[sizeof error->text]; /* a separate buffer, because the values may point into the error itself */
    vsnprintf(sentence, sizeof sentence, format, arguments);
    snprintf(error->path, sizeof error->path, "%s", path);
    const int used = *error->path ? snprintf(error->text, sizeof error->text, "%s: ", error->path) : 0;
    memcpy(error->text + used, sentence, sizeof sentence - (size_t)used);
    error->text[sizeof error->text - 1] = 0;
    error->status = status;
}

sn_status sn_fail(sn_error *error, sn_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, "", format, arguments);
    va_end(arguments);
    return status;
}

sn_status sn_fail_at(sn_error *error, sn_status status, const char *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, path, format, arguments);
    va_end(arguments);
    return status;
}

const char *sn_error_sentence(const sn_error *error) {
    const size_t length = strlen(error->path);
    if (!length || strncmp(error->text, error->path, length) != 0 || strncmp(error->text + length, ": ", 2) != 0)
        return error->text;
    return error->text + length + 2;
}

sn_status sn_within(sn_error *error, sn_status status, const char *format, ...) {
    if (!error || status == SN_OK || status == SN_NO_MEMORY) return status;
    char before[sizeof error->path], path[2 * sizeof error->path];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(before, sizeof before, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s%s", before, *error->path ? "." : "", error->path);
    return sn_fail_at(error, status, path, "%s", sn_error_sentence(error));
}

sn_status sn_cookie_check(uint32_t cookie, const char *name, sn_error *error) {
    return cookie == SN_COOKIE ? SN_OK : sn_fail(error, SN_BAD_INPUT, "%s was not made by %s_default()", name, name);
}

sn_status sn_no_memory(sn_error *error) { return sn_fail(error, SN_NO_MEMORY, "out of memory"); }
