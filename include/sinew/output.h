/* Files that a run leaves: VTU/PVD, surfaces, pictures. */
#ifndef SINEW_OUTPUT_H
#define SINEW_OUTPUT_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes files named <folder>/<stem>-<frame>.vtu and the like for each format, and keeps <folder>/<stem>.pvd current. */
typedef struct sn_writer sn_writer;
SN_API sn_status sn_writer_create(sn_context *context, const char *folder, const char *stem, const sn_output_options *options, sn_writer **writer,
                                  sn_error *error);
SN_API sn_status sn_writer_frame(sn_writer *writer, sn_world *world, sn_error *error);
SN_API void sn_writer_destroy(sn_writer *writer);
SN_API const sn_listing *sn_output_formats(int *count);
SN_API const sn_listing *sn_output_fields(int *count);
SN_API const sn_listing *sn_picture_fields(int *count); /* what a picture can be coloured by */

/* One mesh file of the current shape: .vtu, .obj, .ply, .stl by ending. */
SN_API sn_status sn_world_write(sn_world *world, const char *path, sn_error *error);

/* A shaded, anti-aliased picture with ground, colour bar and caption, as PNG. */
SN_API sn_status sn_world_picture(sn_world *world, const char *path, const sn_picture_options *options, sn_error *error);
/* The same as RGB bytes, width * height * 3. */
SN_API sn_status sn_world_render(sn_world *world, const sn_picture_options *options, unsigned char *rgb, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
