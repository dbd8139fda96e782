/* Files that a run leaves: VTU/PVD, surfaces, pictures.
 *
 * Unless a comment says otherwise: a pointer must not be NULL; `error` may be NULL and gets the reason of a failure.
 * The world is not changed (its scratch memory is, so two threads cannot write the same world at once). */
#ifndef SINEW_OUTPUT_H
#define SINEW_OUTPUT_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A series of frames in a folder. Each frame leaves a file <folder>/<stem>-<frame>.<format> for each format, the frame
 * with five digits from 00000. The format vtu also keeps <folder>/<stem>.pvd, which gives each frame its time. */
typedef struct sn_writer sn_writer;
/* `folder` (up to 1023 bytes) must exist; `stem` has up to 159 bytes. `options` is copied; of it `formats`, `fields`
 * and `picture` are used. `context` must outlive the writer. The caller frees *writer with sn_writer_destroy. */
SN_API sn_status sn_writer_create(sn_context *context, const char *folder, const char *stem,
                                  const sn_output_options *options, sn_writer **writer, sn_error *error);
/* Writes the next frame: the present shape of the world. */
SN_API sn_status sn_writer_frame(sn_writer *writer, sn_world *world, sn_error *error);
SN_API void sn_writer_destroy(sn_writer *writer); /* NULL: does nothing */

/* Names with one line each, *count of them. The tables are static. */
SN_API const sn_listing *sn_output_formats(int *count); /* files of a frame; the name is also the ending */
SN_API const sn_listing *sn_output_fields(int *count);  /* fields in .vtu files */
SN_API const sn_listing *sn_picture_fields(int *count); /* colours of pictures */

/* Writes one file of the present shape. The ending of `path` chooses the format (sn_output_formats). A .vtu file has
 * all fields, a .png file is the default picture. */
SN_API sn_status sn_world_write(sn_world *world, const char *path, sn_error *error);

/* A shaded, anti-aliased picture with ground, colour bar and caption, as a PNG file. `options` may be NULL: the default
 * picture. */
SN_API sn_status sn_world_picture(sn_world *world, const char *path, const sn_picture_options *options,
                                  sn_error *error);
/* Checks the ending of a path and the options (may be NULL) as sn_world_picture does, for a program that writes the
 * picture after a long run. SN_BAD_INPUT with the allowed endings or values. */
SN_API sn_status sn_picture_check(const char *path, const sn_picture_options *options, sn_error *error);
/* The same picture in memory. `rgb` gets width * height * 3 bytes, row by row from the top. */
SN_API sn_status sn_world_render(sn_world *world, const sn_picture_options *options, unsigned char *rgb,
                                 sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
