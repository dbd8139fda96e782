/* From a scene to its world. What sn_world_create has to say gets the position of the key it speaks of; an unconstrained static body is found
 * beforehand, by the rank of what its fixed directions say about the six rigid motions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

/* Rows of the constraint matrix C (one per held direction of a node) times the rigid motions; G = C^T C, 6 x 6, about the mesh's middle. */
static void add_held(const sn_mesh *mesh, const uint8_t *mask, const bool axis[3], const double middle[3], double size, double G[6][6]) {
    for (int n = 0; n < mesh->node_count; ++n) {
        if (!mask[n]) continue;
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = (mesh->position[3 * (size_t)n + (size_t)k] - middle[k]) / size;
        const double row[3][6] = {{1, 0, 0, 0, x[2], -x[1]}, {0, 1, 0, -x[2], 0, x[0]}, {0, 0, 1, x[1], -x[0], 0}};
        for (int a = 0; a < 3; ++a) {
            if (!axis[a]) continue;
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) G[i][j] += row[a][i] * row[a][j];
        }
    }
}

/* Rank of a symmetric semi-definite matrix by pivoted elimination. */
static int rank_of(double G[6][6]) {
    double largest = 0;
    for (int i = 0; i < 6; ++i) largest = fmax(largest, G[i][i]);
    bool used[6] = {false};
    for (int rank = 0; rank < 6; ++rank) {
        int pivot = -1;
        for (int i = 0; i < 6; ++i)
            if (!used[i] && (pivot < 0 || G[i][i] > G[pivot][pivot])) pivot = i;
        if (G[pivot][pivot] <= 1e-10 * largest) return rank;
        used[pivot] = true;
        for (int i = 0; i < 6; ++i) {
            if (used[i]) continue;
            const double factor = G[i][pivot] / G[pivot][pivot];
            for (int j = 0; j < 6; ++j) G[i][j] -= factor * G[pivot][j];
        }
    }
    return 6;
}

static sn_status check_held(const sn_scene *scene, const sn_place *place, int index) {
    const sn_body_options *body = &scene->world.body[index];
    const sn_mesh *mesh = body->mesh;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, middle[3], size = 1e-300, G[6][6] = {{0}};
    for (int n = 0; n < mesh->node_count; ++n)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], mesh->position[3 * (size_t)n + (size_t)k]);
            high[k] = fmax(high[k], mesh->position[3 * (size_t)n + (size_t)k]);
        }
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (low[k] + high[k]), size = fmax(size, high[k] - low[k]);
    uint8_t *mask = sn_allocate(scene->context, (size_t)mesh->node_count, 1);
    if (!mask) return sn_no_memory(place->reader->error);
    for (int f = 0; f < body->fix_count; ++f) {
        memset(mask, 0, (size_t)mesh->node_count);
        if (!sn_mesh_select(mesh, &body->fix[f].select, mask, NULL, NULL)) add_held(mesh, mask, body->fix[f].axis, middle, size, G);
    }
    sn_release(scene->context, mask);
    const int rank = rank_of(G);
    if (rank == 6) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT,
                         "is not held: %d of its 6 rigid motions are free, so there is no static equilibrium to find; add to 'fix' or use time.mode 'dynamic'",
                         6 - rank);
}

/* The part of the scene that a message speaks of: a body or probe by its quoted name, else whatever keys it mentions. */
static sn_status wrap(const sn_scene *scene, const sn_place *root, const sn_error *inner) {
    sn_place list, item;
    for (int pass = 0; pass < 2; ++pass) {
        if (!sn_place_get(root, pass ? "probes" : "bodies", &list)) continue;
        for (int i = 0; i < sn_place_count(&list); ++i) {
            char quoted[80];
            const char *name = pass ? scene->world.probe[i].name : scene->world.body[i].name;
            snprintf(quoted, sizeof quoted, "'%s'", name);
            if (!strstr(inner->text, quoted)) continue;
            item = sn_place_at(&list, i);
            return sn_place_wrap(&item, inner);
        }
    }
    return sn_place_wrap(root, inner);
}

sn_status sn_scene_create_world(const sn_scene *scene, sn_world **world, sn_error *error) {
    sn_reader reader = scene->reader;
    reader.error = error;
    const sn_place root = {&reader, NULL, NULL, 0, scene->root};
    sn_place bodies;
    const bool dynamic = strcmp(scene->world.time.mode, "dynamic") == 0;
    if (!dynamic && scene->world.collider_count == 0 && sn_place_get(&root, "bodies", &bodies)) {
        for (int i = 0; i < scene->world.body_count; ++i) {
            const sn_place body = sn_place_at(&bodies, i);
            const sn_status status = check_held(scene, &body, i);
            if (status) return status;
        }
    }
    sn_error inner = {0};
    const sn_status status = sn_world_create(scene->context, &scene->world, world, &inner);
    if (!status || status == SN_NO_MEMORY) return status ? sn_no_memory(error) : SN_OK;
    inner.status = status;
    return wrap(scene, &root, &inner);
}
