/* Colours, text and pixels of a picture. */
#ifndef SN_OUTPUT_PAINT_H
#define SN_OUTPUT_PAINT_H

#include <math.h>

/* An image of linear RGB, three floats per pixel, row by row from the top. */
typedef struct sn_canvas {
    int width, height;
    float *pixel;
} sn_canvas;

/* The colour map at x in [0, 1], as linear RGB: lightness grows evenly from dark violet over blue and green to yellow.
 */
void sn_colour_map(double x, float rgb[3]);
/* A distinct soft colour for body `index`, linear RGB. */
void sn_body_colour(int index, float rgb[3]);
/* Linear -> sRGB byte. */
unsigned char sn_encode_srgb(float linear);
float sn_decode_srgb(float encoded);

/* Lays colour over the pixel with the given opacity; outside is ignored. */
void sn_blend(sn_canvas *canvas, int x, int y, const float rgb[3], float opacity);
void sn_fill(sn_canvas *canvas, int x, int y, int width, int height, const float rgb[3], float opacity);
/* Text in the stroke font, its baseline beginning at (x, y), capitals `size` pixels high. Returns its width. */
double sn_text(sn_canvas *canvas, double x, double y, double size, const char *text, const float rgb[3]);
double sn_text_width(double size, const char *text);

#endif
