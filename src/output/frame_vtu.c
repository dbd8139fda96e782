/* VTU: VTK's XML file of an unstructured grid, one piece per body, arrays appended in base64 and compressed with zlib.
 * A PVD file beside the frames gives each frame its time.
 *
 * An array is: header (UInt64: number of blocks, block size, size of a short last block or 0, compressed size of each
 * block) in base64, then the compressed blocks, joined, in base64. Tets are cell type 10; quadratic tets 24, whose
 * mid-edge order 01 12 20 03 13 23 is also ours. Stress is Cauchy's in VTK's order of symmetric tensors (xx yy zz xy yz
 * xz), one per element. Source: the VTK file formats document.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/context.h"
#include "frame.h"

enum { BLOCK = 1 << 20 };

typedef struct vtu {
    sn_context *context;
    FILE *file;
    const char *path;
    char *appended; /* base64 text so far */
    size_t used, capacity;
    sn_error *error;
    sn_status status; /* sticky */
} vtu;

static bool reserve(vtu *v, size_t more) {
    if (v->status) return false;
    if (v->used + more <= v->capacity) return true;
    const size_t larger = 2 * (v->used + more);
    char *grown = sn_allocate(v->context, larger, 1);
    if (!grown) {
        v->status = sn_no_memory(v->error);
        return false;
    }
    if (v->appended) memcpy(grown, v->appended, v->used);
    sn_release(v->context, v->appended);
    v->appended = grown;
    v->capacity = larger;
    return true;
}

static void put_base64(vtu *v, const unsigned char *data, size_t bytes) {
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!reserve(v, 4 * ((bytes + 2) / 3))) return;
    char *out = v->appended + v->used;
    for (size_t i = 0; i < bytes; i += 3) {
        const unsigned a = data[i], b = i + 1 < bytes ? data[i + 1] : 0u, c = i + 2 < bytes ? data[i + 2] : 0u;
        const unsigned word = a << 16 | b << 8 | c;
        *out++ = letter[word >> 18];
        *out++ = letter[word >> 12 & 63];
        *out++ = i + 1 < bytes ? letter[word >> 6 & 63] : '=';
        *out++ = i + 2 < bytes ? letter[word & 63] : '=';
    }
    v->used = (size_t)(out - v->appended);
}

/* Compresses and appends. */
static void put_data(vtu *v, const void *data, size_t bytes) {
    if (v->status) return;
    const size_t blocks = (bytes + BLOCK - 1) / BLOCK, room = compressBound(BLOCK) * blocks + 64;
    uint64_t *header = sn_allocate_zero(v->context, 3 + blocks, sizeof *header);
    unsigned char *packed = sn_allocate(v->context, room, 1);
    if (!header || !packed) v->status = sn_no_memory(v->error);
    size_t used = 0;
    for (size_t i = 0; i < blocks && !v->status; ++i) {
        const size_t begin = i * BLOCK, size = bytes - begin < BLOCK ? bytes - begin : BLOCK;
        uLongf length = (uLongf)(room - used);
        if (compress2(packed + used, &length, (const Bytef *)data + begin, (uLong)size, 5) != Z_OK)
            v->status = sn_fail(v->error, SN_IO, "%.300s: compression failed", v->path);
        header[3 + i] = length;
        used += length;
    }
    if (!v->status) {
        header[0] = blocks, header[1] = BLOCK, header[2] = bytes % BLOCK;
        put_base64(v, (const unsigned char *)header, (3 + blocks) * sizeof *header);
        put_base64(v, packed, used);
    }
    sn_release(v->context, header);
    sn_release(v->context, packed);
}

static void put_array(vtu *v, const char *type, const char *name, int components, const void *data, size_t count,
                      size_t size) {
    if (v->status) return;
    fprintf(
        v->file,
        "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
        type, name, components, v->used);
    put_data(v, data, count * (size_t)components * size);
}

static bool wanted(const sn_output_options *options, const char *name) {
    if (!options) return true;
    for (int i = 0; i < options->field_count; ++i)
        if (strcmp(options->fields[i], name) == 0) return true;
    return false;
}

static void put_labels(vtu *v, const char *name, const int64_t *label, int count) {
    int64_t *copy = sn_allocate(v->context, (size_t)count, sizeof *copy);
    if (!copy) {
        v->status = sn_no_memory(v->error);
        return;
    }
    for (int i = 0; i < count; ++i) copy[i] = label ? label[i] : i;
    put_array(v, "Int64", name, 1, copy, (size_t)count, sizeof *copy);
    sn_release(v->context, copy);
}

static void put_points(vtu *v, sn_world *world, int body, const sn_mesh *mesh, const sn_output_options *options,
                       double *position) {
    const size_t n = (size_t)mesh->node_count;
    double *velocity = position + 3 * n, *displacement = velocity + 3 * n;
    sn_world_get(world, body, position, velocity);
    for (size_t i = 0; i < 3 * n; ++i) displacement[i] = position[i] - mesh->position[i];
    fprintf(v->file, "      <PointData Vectors=\"displacement\">\n");
    if (wanted(options, "displacement"))
        put_array(v, "Float64", "displacement", 3, displacement, n, sizeof *displacement);
    if (wanted(options, "velocity")) put_array(v, "Float64", "velocity", 3, velocity, n, sizeof *velocity);
    put_labels(v, "node_label", mesh->node_label, mesh->node_count);
    fprintf(v->file, "      </PointData>\n      <Points>\n");
    put_array(v, "Float64", "Points", 3, position, n, sizeof *position);
    fprintf(v->file, "      </Points>\n");
}

static void put_fields(vtu *v, sn_world *world, int body, const sn_mesh *mesh, const sn_output_options *options,
                       double *stress) {
    const size_t m = (size_t)mesh->tet_count;
    double *von_mises = stress + 6 * m, *energy = von_mises + m, *ratio = energy + m;
    fprintf(v->file, "      <CellData>\n");
    v->status = sn_world_element_fields(world, body, stress, von_mises, energy, ratio, v->error);
    if (wanted(options, "stress")) put_array(v, "Float64", "stress", 6, stress, m, sizeof *stress);
    if (wanted(options, "von_mises")) put_array(v, "Float64", "von_mises", 1, von_mises, m, sizeof *von_mises);
    if (wanted(options, "energy_density")) put_array(v, "Float64", "energy_density", 1, energy, m, sizeof *energy);
    if (wanted(options, "volume_ratio")) put_array(v, "Float64", "volume_ratio", 1, ratio, m, sizeof *ratio);
    if (!v->status) put_labels(v, "element_label", mesh->tet_label, mesh->tet_count);
    fprintf(v->file, "      </CellData>\n");
}

static void put_cells(vtu *v, const sn_mesh *mesh) {
    const size_t m = (size_t)mesh->tet_count, k = (size_t)mesh->tet_nodes;
    int64_t *offset = sn_allocate(v->context, m, sizeof *offset);
    uint8_t *type = sn_allocate(v->context, m, 1);
    if (!offset || !type) v->status = sn_no_memory(v->error);
    if (!v->status) {
        for (size_t i = 0; i < m; ++i) offset[i] = (int64_t)((i + 1) * k), type[i] = k == 3 ? 5 : k == 4 ? 10 : 24;
        fprintf(v->file, "      <Cells>\n");
        put_array(v, "Int32", "connectivity", 1, mesh->tet, m * k, sizeof *mesh->tet);
        put_array(v, "Int64", "offsets", 1, offset, m, sizeof *offset);
        put_array(v, "UInt8", "types", 1, type, m, 1);
        fprintf(v->file, "      </Cells>\n");
    }
    sn_release(v->context, offset);
    sn_release(v->context, type);
}

static void put_piece(vtu *v, sn_world *world, int body, const sn_output_options *options) {
    const sn_mesh *mesh = sn_world_body_mesh(world, body);
    const size_t n = (size_t)mesh->node_count, m = (size_t)mesh->tet_count;
    double *scratch = sn_allocate(v->context, 9 * (n + m), sizeof *scratch);
    if (!scratch) {
        v->status = sn_no_memory(v->error);
        return;
    }
    fprintf(v->file, "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", mesh->node_count, mesh->tet_count);
    put_points(v, world, body, mesh, options, scratch);
    if (!v->status) put_fields(v, world, body, mesh, options, scratch);
    if (!v->status) put_cells(v, mesh);
    fprintf(v->file, "    </Piece>\n");
    sn_release(v->context, scratch);
}

static sn_status write_frame(sn_world *world, const char *path, const sn_output_options *options, sn_error *error) {
    if (sn_world_body_count(world) == 0) return sn_fail(error, SN_BAD_INPUT, "the world has no bodies to write");
    vtu v = {.context = sn_world_body_mesh(world, 0)->context, .path = path, .error = error};
    v.file = fopen(path, "wb");
    if (!v.file) return sn_fail(error, SN_IO, "%.300s: cannot write: %s", path, strerror(errno));
    fprintf(v.file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\" "
            "compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>\n",
            __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian");
    fprintf(v.file,
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n    "
            "</FieldData>\n",
            sn_world_time(world));
    for (int b = 0; b < sn_world_body_count(world) && !v.status; ++b) put_piece(&v, world, b, options);
    fprintf(v.file, "  </UnstructuredGrid>\n  <AppendedData encoding=\"base64\">\n_");
    if (v.used) fwrite(v.appended, 1, v.used, v.file);
    fprintf(v.file, "\n  </AppendedData>\n</VTKFile>\n");
    const bool failed = ferror(v.file) != 0;
    if ((fclose(v.file) || failed) && !v.status)
        v.status = sn_fail(error, SN_IO, "%.300s: writing failed: %s", path, strerror(errno));
    sn_release(v.context, v.appended);
    return v.status;
}

/* Writes the new frame over the foot of the PVD file. So the file is whole after every frame, and a long series does
 * not rewrite it. */
static sn_status write_pvd(const sn_series *s, sn_error *error) {
    static const char foot[] = "  </Collection>\n</VTKFile>\n";
    char path[1300];
    snprintf(path, sizeof path, "%s/%s.pvd", s->folder, s->stem);
    errno = 0;
    FILE *file = fopen(path, s->frame == 0 ? "wb" : "r+b");
    if (!file || (s->frame && fseek(file, -(long)strlen(foot), SEEK_END))) {
        if (file) fclose(file);
        return sn_fail(error, SN_IO, "%.300s: cannot write: %s", path, strerror(errno));
    }
    if (s->frame == 0)
        fprintf(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n");
    fprintf(file, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"%s-%05d.vtu\"/>\n%s", s->time, s->stem,
            s->frame, foot);
    const bool failed = ferror(file) != 0;
    return fclose(file) || failed ? sn_fail(error, SN_IO, "%.300s: writing failed: %s", path, strerror(errno)) : SN_OK;
}

const sn_frame_format sn_frame_vtu = {.write = write_frame, .index = write_pvd};
