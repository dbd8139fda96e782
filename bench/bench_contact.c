/* Contact determination: milliseconds of each stage for two creatures in moderate contact, at three levels of detail of
 * their surfaces. Both lie in about 450 tets each, as in Civit 5.6. Processor time of one thread, the least of
 * several runs; then the time on two threads as a ratio. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/context.h"
#include "contact/determination.h"
#include "sinew/sinew.h"

enum { REPEATS = 15, BODIES = 2 };

static void must(sn_status status, const sn_error *error) {
    if (!status) return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* The surface of a creature, carried by the tets around it. The nodes of body i begin at 100000 i. */
static sn_touch_surface *creature(sn_context *context, const char *kind, int triangles, int tets, int body) {
    sn_error error = {0};
    sn_mesh *mesh = NULL, *cage = NULL;
    sn_embedding *embedding = NULL;
    const sn_generator_value value[] = {{"triangles", 1, {triangles}}};
    must(sn_mesh_generate(context, kind, value, 1, &mesh, &error), &error);
    sn_embed_options around = sn_embed_options_default();
    around.elements = tets;
    must(sn_embed_surface(mesh, &around, &cage, NULL, &error), &error);
    must(sn_embedding_create(cage, mesh, 180, &embedding, &error), &error);
    int32_t *first = malloc(sizeof *first * (size_t)(embedding->vertex_count + 1)),
            *node = malloc(sizeof *node * 4 * (size_t)embedding->vertex_count);
    if (!first || !node) exit(1);
    for (int i = 0; i <= embedding->vertex_count; ++i) first[i] = 4 * i;
    for (int i = 0; i < 4 * embedding->vertex_count; ++i) node[i] = 100000 * body + embedding->node[i];
    const sn_touch_surface_source source = {body,
                                            embedding->vertex_count,
                                            embedding->triangle_count,
                                            embedding->rest,
                                            embedding->triangle,
                                            first,
                                            node,
                                            embedding->weight,
                                            0};
    sn_touch_surface *surface = NULL;
    must(sn_touch_surface_create(context, &source, &surface, &error), &error);
    free(first), free(node);
    sn_embedding_destroy(embedding);
    sn_mesh_destroy(cage);
    sn_mesh_destroy(mesh);
    return surface;
}

/* Puts the middle of the box around a surface at x. */
static void put(sn_touch_surface *surface, const double x[3]) {
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < surface->vertex_count; ++i)
            low = fmin(low, surface->rest[3 * i + a]), high = fmax(high, surface->rest[3 * i + a]);
        for (int i = 0; i < surface->vertex_count; ++i)
            surface->position[3 * i + a] = surface->rest[3 * i + a] + x[a] - 0.5 * (low + high);
    }
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measure(int threads, int triangles, const double place[3]) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    sn_context *context = NULL;
    sn_error error = {0};
    must(sn_context_create(&options, &context, &error), &error);
    sn_touch_surface *surface[BODIES] = {creature(context, "octopus", triangles, 450, 0),
                                         creature(context, "dragon", triangles, 450, 1)};
    put(surface[0], (const double[3]){0, 0, 0});
    put(surface[1], place);
    const sn_touch_pair pair = {0, 1};
    sn_touch_finder *finder = NULL;
    sn_touch_rows rows = {.context = context};
    must(sn_touch_finder_create(context, surface, BODIES, &pair, 1, &finder, &error), &error);
    double best = INFINITY, wall = INFINITY;
    sn_touch_counts least = {0};
    for (int i = 0; i < REPEATS; ++i) {
        const double begin = processor_seconds(), start = sn_seconds();
        must(sn_touch_determine(finder, &rows, &error), &error);
        best = fmin(best, processor_seconds() - begin);
        const sn_touch_counts *c = sn_touch_finder_counts(finder);
        if (sn_seconds() - start < wall) wall = sn_seconds() - start, least = *c;
    }
    printf("%7d %8d %9lld %6d %6d %6d %6lld | %6.3f %6.3f %6.3f %6.3f %6.3f %6.3f | %7.3f %7.3f\n", threads,
           surface[0]->triangle_count, (long long)least.candidates, least.intersecting, least.curves, least.points,
           (long long)least.interior, 1e3 * least.refit, 1e3 * least.search, 1e3 * least.cut, 1e3 * least.join,
           1e3 * least.flood, 1e3 * least.rays, 1e3 * best, 1e3 * wall);
    sn_touch_rows_release(&rows);
    sn_touch_finder_destroy(finder);
    for (int b = 0; b < BODIES; ++b) sn_touch_surface_destroy(surface[b]);
    sn_context_destroy(context);
    return wall;
}

int main(int argc, char **argv) {
    double place[3] = {0.1, 0.2, 0.3}; /* of the dragon against the octopus, m */
    for (int i = 0; i < 3 && i + 1 < argc; ++i) place[i] = atof(argv[i + 1]);
    printf("threads triangles candidates cuts curves points inside | ms: refit search cut join flood rays | processor "
           "wall\n");
    static const int triangles[] = {1000, 10000, 100000};
    for (int i = 0; i < 3; ++i) {
        const double one = measure(1, triangles[i], place), two = measure(2, triangles[i], place);
        printf("  two threads: %.2f times as fast\n", one / two);
    }
    return 0;
}
