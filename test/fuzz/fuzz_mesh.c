/* libFuzzer target for all mesh readers. The first byte chooses the format; for TetGen the rest is split at the first
 * "\n%\n" (or in the middle) into .node and .ele. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every index must be in range, every coordinate finite: else later code would fall. */
static void check(const sn_mesh *mesh) {
    for (size_t i = 0; i < (size_t)mesh->tet_count * (size_t)mesh->tet_nodes; ++i) {
        if (mesh->tet[i] < 0 || mesh->tet[i] >= mesh->node_count) abort();
    }
    for (size_t i = 0; i < (size_t)mesh->triangle_count * 3; ++i) {
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->node_count) abort();
    }
    for (size_t i = 0; i < (size_t)mesh->node_count * 3; ++i) {
        if (!(mesh->position[i] - mesh->position[i] == 0)) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sn_context *context;
    int formats;
    const sn_listing *format = sn_mesh_formats(&formats);
    if (!context) {
        sn_context_options options = sn_context_options_default();
        options.threads = 1;
        if (sn_context_create(&options, &context, NULL)) abort();
    }
    if (!size) return 0;
    const char *name = format[data[0] % formats].name;
    const uint8_t *first = data + 1, *second = NULL;
    size_t first_size = size - 1, second_size = 0;
    if (strcmp(name, "node") == 0 || strcmp(name, "ele") == 0) {
        const uint8_t *cut = memmem(first, first_size, "\n%\n", 3);
        const size_t kept = cut ? (size_t)(cut - first) : first_size / 2;
        second = cut ? cut + 3 : first + kept;
        second_size = (size_t)(data + size - second);
        first_size = kept;
    }
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_read_memory(context, name, "fuzz", first, first_size, second, second_size, &mesh, &error) == SN_OK) {
        check(mesh);
        sn_mesh_destroy(mesh);
    } else if (!error.text[0]) {
        abort();
    }
    return 0;
}
