/* Writes a line plot as SVG: axes with round numbers, a legend, thin lines. */
#include <math.h>
#include <string.h>

#include "tool.h"

enum { EDGE = 570, HEIGHT = 440, LEFT = 84, TOP = 44, BOTTOM = 58 }; /* the legend is right of EDGE */

static double tick_step(double span) {
    const double rough = span / 6, power = pow(10, floor(log10(rough))), ratio = rough / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

typedef struct frame {
    double x0, x1, y0, y1;
} frame;

static double place_x(const frame *f, double x) { return LEFT + (x - f->x0) / (f->x1 - f->x0) * (EDGE - LEFT); }
static double place_y(const frame *f, double y) {
    return HEIGHT - BOTTOM - (y - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

/* Text for XML. */
static void put_text(FILE *file, const char *text) {
    for (; *text; ++text) {
        if (*text == '<' || *text == '>' || *text == '&')
            fputs(*text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;", file);
        else
            fputc(*text, file);
    }
}

static frame bounds(const tool_curve *curve, int curves) {
    frame f = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (int c = 0; c < curves; ++c)
        for (int i = 0; i < curve[c].count; ++i) {
            if (!isfinite(curve[c].y[i])) continue;
            f.x0 = fmin(f.x0, curve[c].x[i]), f.x1 = fmax(f.x1, curve[c].x[i]);
            f.y0 = fmin(f.y0, curve[c].y[i]), f.y1 = fmax(f.y1, curve[c].y[i]);
        }
    if (!(f.x0 < f.x1)) f.x0 = isfinite(f.x0) ? f.x0 - 0.5 : 0, f.x1 = f.x0 + 1;
    if (!(f.y0 < f.y1)) f.y0 = isfinite(f.y0) ? f.y0 - 0.5 : 0, f.y1 = f.y0 + 1;
    const double margin = 0.04 * (f.y1 - f.y0);
    f.y0 -= margin, f.y1 += margin;
    return f;
}

static void draw_axes(FILE *file, const frame *f, const char *x_label, const char *y_label) {
    const double dx = tick_step(f->x1 - f->x0), dy = tick_step(f->y1 - f->y0);
    for (double x = ceil(f->x0 / dx) * dx; x <= f->x1 + 1e-9 * dx; x += dx) {
        const double value = fabs(x) < 1e-9 * dx ? 0 : x;
        fprintf(file,
                "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' class='grid'/><text x='%.1f' y='%d' "
                "text-anchor='middle'>%g</text>\n",
                place_x(f, x), place_x(f, x), TOP, HEIGHT - BOTTOM, place_x(f, x), HEIGHT - BOTTOM + 18, value);
    }
    for (double y = ceil(f->y0 / dy) * dy; y <= f->y1 + 1e-9 * dy; y += dy) {
        const double value = fabs(y) < 1e-9 * dy ? 0 : y;
        fprintf(file,
                "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' class='grid'/><text x='%d' y='%.1f' "
                "text-anchor='end'>%g</text>\n",
                LEFT, EDGE, place_y(f, y), place_y(f, y), LEFT - 8, place_y(f, y) + 4, value);
    }
    fprintf(file, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#444'/>\n", LEFT, TOP, EDGE - LEFT,
            HEIGHT - TOP - BOTTOM);
    fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>", (LEFT + EDGE) / 2, HEIGHT - 16);
    put_text(file, x_label);
    fprintf(file, "</text>\n<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>",
            (TOP + HEIGHT - BOTTOM) / 2);
    put_text(file, y_label);
    fprintf(file, "</text>\n");
}

/* The width that the names of the curves need. */
static int legend_width(const tool_curve *curve, int curves) {
    int width = 150;
    for (int c = 0; c < curves; ++c) {
        const int own = 50 + 7 * (int)strlen(curve[c].name);
        if (own > width) width = own;
    }
    return width;
}

bool tool_plot_svg(const char *path, const char *title, const char *x_label, const char *y_label,
                   const tool_curve *curve, int curves) {
    static const char *const colour[] = {"#3b4cc0", "#c0392b", "#1b8a5a", "#8e44ad", "#b9770e"};
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const frame f = bounds(curve, curves);
    const int width = EDGE + legend_width(curve, curves);
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='12'>\n",
            width, HEIGHT, width, HEIGHT);
    fprintf(file,
            "<style>.grid{stroke:#ddd;stroke-width:1}</style>\n<rect width='100%%' height='100%%' fill='white'/>\n");
    fprintf(file, "<text x='%d' y='26' font-size='15' font-weight='bold'>", LEFT);
    put_text(file, title);
    fprintf(file, "</text>\n");
    draw_axes(file, &f, x_label, y_label);
    for (int c = 0; c < curves; ++c) {
        fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour[c % 5]);
        for (int i = 0; i < curve[c].count; ++i)
            if (isfinite(curve[c].y[i]))
                fprintf(file, "%.2f,%.2f ", place_x(&f, curve[c].x[i]), place_y(&f, curve[c].y[i]));
        const int y = TOP + 14 + 20 * c;
        fprintf(file, "'/>\n<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='%s' stroke-width='2'/><text x='%d' y='%d'>",
                EDGE + 12, EDGE + 36, y - 4, y - 4, colour[c % 5], EDGE + 42, y);
        put_text(file, curve[c].name);
        fprintf(file, "</text>\n");
    }
    fprintf(file, "</svg>\n");
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}
