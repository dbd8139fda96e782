/* The parallel loops: each index exactly once, on the library's threads, on the host's, nested, and from several
 * threads at once. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

enum { MOST = 3000 };

typedef struct counted {
    const sn_context *context;
    int inner; /* indices of a loop inside each index */
    atomic_int visits[MOST];
} counted;

static sn_context *context_of(int threads) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static void clear(counted *c) {
    for (int i = 0; i < MOST; ++i) atomic_store(&c->visits[i], 0);
}

static void visit(void *data, int index) { atomic_fetch_add(&((counted *)data)->visits[index], 1); }

static void expect_visits(counted *c, int count, int times) {
    for (int i = 0; i < MOST; ++i) assert_int_equal(atomic_load(&c->visits[i]), i < count ? times : 0);
}

static void each_index_once(int threads) {
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 64, 65, MOST};
    sn_context *context = context_of(threads);
    static counted c;
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
        clear(&c);
        sn_parallel(context, counts[i], visit, &c);
        expect_visits(&c, counts[i], 1);
        clear(&c);
        sn_parallel_pieces(context, counts[i], visit, &c);
        expect_visits(&c, counts[i], 1);
    }
    /* Loops that follow each other closely, short and long: a worker that comes late must not touch the next loop. */
    clear(&c);
    for (int k = 0; k < 4000; ++k) sn_parallel(context, 2 + k % 7, visit, &c);
    for (int i = 0; i < 8; ++i) {
        int expected = 0;
        for (int k = 0; k < 4000; ++k) expected += i < 2 + k % 7;
        assert_int_equal(atomic_load(&c.visits[i]), expected);
    }
    sn_context_destroy(context);
}

static void test_one_thread(void **state) {
    (void)state;
    each_index_once(1);
}
static void test_two_threads(void **state) {
    (void)state;
    each_index_once(2);
}
static void test_four_threads(void **state) {
    (void)state;
    each_index_once(4);
}

static void test_pieces_without_a_context(void **state) {
    (void)state;
    static counted c;
    clear(&c);
    sn_parallel_pieces(NULL, 100, visit, &c);
    expect_visits(&c, 100, 1);
}

static void visit_inside(void *data, int index) { visit(data, index); }

static void loop_inside(void *data, int index) {
    (void)index;
    counted *c = data;
    sn_parallel(c->context, c->inner, visit_inside, c);
    sn_parallel_pieces(c->context, c->inner, visit_inside, c);
}

static void test_nested_loops(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads *= 2) {
        static counted c;
        clear(&c);
        sn_context *context = context_of(threads);
        c.context = context;
        c.inner = 50;
        sn_parallel(context, 20, loop_inside, &c);
        expect_visits(&c, 50, 2 * 20);
        clear(&c);
        sn_parallel(context, 100, visit, &c); /* the pool is free again */
        expect_visits(&c, 100, 1);
        sn_context_destroy(context);
    }
}

static void *run_many(void *data) {
    counted *c = data;
    for (int k = 0; k < 500; ++k) sn_parallel(c->context, 30, visit, c);
    return NULL;
}

/* One context serves many worlds on many threads: loops at the same time are all done, each with its own data. */
static void test_loops_from_two_threads(void **state) {
    (void)state;
    sn_context *context = context_of(3);
    static counted mine, other;
    clear(&mine), clear(&other);
    mine.context = other.context = context;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_many, &other), 0);
    run_many(&mine);
    pthread_join(thread, NULL);
    expect_visits(&mine, 30, 500);
    expect_visits(&other, 30, 500);
    sn_context_destroy(context);
}

typedef struct host {
    int calls, indices;
} host;

/* A host that likes the last index first. */
static void host_loop(void *data, int count, void (*task)(void *data, int index), void *task_data) {
    host *h = data;
    ++h->calls;
    h->indices += count;
    for (int i = count - 1; i >= 0; --i) task(task_data, i);
}

static void test_loop_of_the_host(void **state) {
    (void)state;
    host h = {0};
    sn_context_options options = sn_context_options_default();
    options.threads = 4;
    options.parallel_for = host_loop;
    options.parallel_host = &h;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    assert_null(context->pool); /* no threads of the library beside the host's */
    static counted c;
    clear(&c);
    sn_parallel(context, 200, visit, &c);
    expect_visits(&c, 200, 1);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.indices, 200);
    clear(&c);
    sn_parallel_pieces(context, 77, visit, &c);
    expect_visits(&c, 77, 1);
    assert_int_equal(h.indices, 277); /* the host schedules every piece itself */
    sn_context_destroy(context);
}

typedef struct placed {
    pthread_t thread[MOST];
    atomic_int order;
    int at[MOST];
} placed;

static void place(void *data, int piece) {
    placed *p = data;
    p->thread[piece] = pthread_self();
    p->at[piece] = atomic_fetch_add(&p->order, 1);
}

/* Neighbouring pieces form runs: within a run one thread goes from front to back. */
static void test_pieces_run_from_front_to_back(void **state) {
    (void)state;
    enum { THREADS = 4, PIECES = 1000 };
    sn_context *context = context_of(THREADS);
    static placed p;
    for (int k = 0; k < 50; ++k) {
        atomic_store(&p.order, 0);
        sn_parallel_pieces(context, PIECES, place, &p);
        for (int run = 0; run < THREADS; ++run)
            for (int i = run * PIECES / THREADS + 1; i < (run + 1) * PIECES / THREADS; ++i) {
                assert_true(pthread_equal(p.thread[i], p.thread[i - 1]));
                assert_true(p.at[i] > p.at[i - 1]);
            }
    }
    sn_context_destroy(context);
}

static void note_thread(void *data, int index) {
    ((placed *)data)->thread[index] = pthread_self();
    sched_yield();
}

/* The workers take part, also after a nested loop. A single loop may end before a worker has woken up; ten thousand do
 * not. */
static void test_workers_take_part(void **state) {
    (void)state;
    sn_context *context = context_of(2);
    static counted c;
    static placed p;
    clear(&c);
    c.context = context;
    c.inner = 5;
    sn_parallel(context, 5, loop_inside, &c);
    bool helped = false;
    for (int k = 0; k < 10000 && !helped; ++k) {
        sn_parallel(context, 64, note_thread, &p);
        for (int i = 0; i < 64; ++i) helped |= !pthread_equal(p.thread[i], pthread_self());
    }
    assert_true(helped);
    sn_context_destroy(context);
}

/* Pieces lie end to end and cover all items. */
static void test_pieces_cover(void **state) {
    (void)state;
    for (int64_t n = 0; n < 40; ++n)
        for (int64_t grain = 1; grain < 12; ++grain) {
            const int pieces = sn_pieces(n, grain);
            assert_int_equal(sn_piece_begin(n, grain, 0), 0);
            assert_int_equal(sn_piece_begin(n, grain, pieces), n);
            for (int i = 0; i < pieces; ++i) {
                const int64_t size = sn_piece_begin(n, grain, i + 1) - sn_piece_begin(n, grain, i);
                assert_true(size > 0 && size <= grain);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_four_threads),      cmocka_unit_test(test_pieces_without_a_context),
        cmocka_unit_test(test_nested_loops),      cmocka_unit_test(test_loops_from_two_threads),
        cmocka_unit_test(test_loop_of_the_host),  cmocka_unit_test(test_pieces_run_from_front_to_back),
        cmocka_unit_test(test_workers_take_part), cmocka_unit_test(test_pieces_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
