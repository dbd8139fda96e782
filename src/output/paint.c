/* Colour map, stroke font and blending.
 *
 * The colour map is a path through OKLCh (Ottosson 2020: a perceptual space whose lightness, chroma and hue are close
 * to independent): lightness rises linearly, hue runs from violet to yellow the short way over blue and green, and
 * chroma is cut back where sRGB cannot show it.
 *
 * A glyph is a list of strokes on a grid 4 wide and 8 high (baseline 2, small letters to 6, capitals to 8); a stroke is
 * a run of digit pairs "xy". */
#include "paint.h"

#include <stdbool.h>
#include <string.h>

/* ---- Colour ---- */

float sn_decode_srgb(float c) { return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f); }

unsigned char sn_encode_srgb(float c) {
    if (!(c > 0)) return 0;
    if (c >= 1) return 255;
    const float e = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
    return (unsigned char)(e * 255 + 0.5f);
}

static void from_oklab(double L, double a, double b, double rgb[3]) {
    const double l = L + 0.3963377774 * a + 0.2158037573 * b, m = L - 0.1055613458 * a - 0.0638541728 * b,
                 s = L - 0.0894841775 * a - 1.2914855480 * b;
    const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    rgb[0] = 4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3;
    rgb[1] = -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3;
    rgb[2] = -0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3;
}

static bool fits(double L, double chroma, double hue, double c[3]) {
    from_oklab(L, chroma * cos(hue), chroma * sin(hue), c);
    return fmin(c[0], fmin(c[1], c[2])) >= 0 && fmax(c[0], fmax(c[1], c[2])) <= 1;
}

/* Towards grey until sRGB can show it: the largest chroma that fits, by bisection. */
static void from_lch(double L, double chroma, double hue, float rgb[3]) {
    double c[3], low = 0, high = chroma;
    if (!fits(L, chroma, hue, c)) {
        for (int i = 0; i < 24; ++i) {
            const double middle = 0.5 * (low + high);
            *(fits(L, middle, hue, c) ? &low : &high) = middle;
        }
        fits(L, low, hue, c);
    }
    for (int k = 0; k < 3; ++k) rgb[k] = (float)fmin(1, fmax(0, c[k]));
}

void sn_colour_map(double x, float rgb[3]) {
    x = x > 0 ? x < 1 ? x : 1 : 0;
    const double radians = 0.017453292519943295, hue = (306 - 200 * x + 8 * sin(3.141592653589793 * x)) * radians;
    from_lch(0.32 + 0.58 * x, 0.15 + 0.03 * x, hue, rgb);
}

void sn_body_colour(int index, float rgb[3]) {
    const double radians = 0.017453292519943295;
    from_lch(0.70, 0.12, (25 + 137.5 * index) * radians, rgb);
}

/* ---- Pixels ---- */

void sn_blend(sn_canvas *canvas, int x, int y, const float rgb[3], float opacity) {
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) return;
    float *p = canvas->pixel + 3 * ((long)y * canvas->width + x);
    for (int k = 0; k < 3; ++k) p[k] += opacity * (rgb[k] - p[k]);
}

void sn_fill(sn_canvas *canvas, int x, int y, int width, int height, const float rgb[3], float opacity) {
    for (int j = y; j < y + height; ++j)
        for (int i = x; i < x + width; ++i) sn_blend(canvas, i, j, rgb, opacity);
}

/* ---- Text ---- */

typedef struct glyph {
    char letter;
    const char *strokes;
} glyph;

static const glyph font[] = {
    {'0', "120307183847433212"},
    {'1', "172822 1232"},
    {'2', "07183847460242"},
    {'3', "07183847463515 354443321203"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "38180603123243443505"},
    {'7', "084812"},
    {'8', "150607183847463515 1504031232434435"},
    {'9', "12324447381807061545"},
    {'.', "2222"},
    {',', "2211"},
    {'-', "1535"},
    {'+', "0545 2327"},
    {'/', "0248"},
    {'(', "38262432"},
    {')', "18262412"},
    {'[', "38181232"},
    {']', "18383212"},
    {'=', "0444 0646"},
    {':', "2222 2525"},
    {'%', "0248 0818 3242"},
    {'^', "162836"},
    {'_', "0141"},
    {'\'', "2826"},
    {'<', "462542"},
    {'>', "064502"},
    {'*', "0444 1632 3612"},
    {'|', "2820"},
    {'A', "022842 1434"},
    {'B', "02083847463505 3544433202"},
    {'C', "4738180703123243"},
    {'D', "02082846442202"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "47381807031232434525"},
    {'H', "0208 4248 0545"},
    {'I', "2228 1232 1838"},
    {'J', "4843321203"},
    {'K', "0208 480542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "120307183847433212"},
    {'P', "02083847463505"},
    {'Q', "120307183847433212 2442"},
    {'R', "02083847463505 2542"},
    {'S', "473818070615354443321203"},
    {'T', "0848 2822"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812263248"},
    {'X', "0248 0842"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'a', "4536160503123243 4642"},
    {'b', "0802 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4842 4536160503123243"},
    {'e', "04444536160503123243"},
    {'f', "48382722 1636"},
    {'g', "46413010 4536160503123243"},
    {'h', "0802 0516364542"},
    {'i', "2622 2828"},
    {'j', "262110 2828"},
    {'k', "0802 460442"},
    {'l', "182832"},
    {'m', "0602 05162522 25364542"},
    {'n', "0602 0516364542"},
    {'o', "160503123243453616"},
    {'p', "0600 0516364543321203"},
    {'q', "4640 4536160503123243"},
    {'r', "0602 05163645"},
    {'s', "45361605143443321203"},
    {'t', "28233242 1636"},
    {'u', "0603123243 4642"},
    {'v', "062246"},
    {'w', "0612253246"},
    {'x', "0246 0642"},
    {'y', "0622 4610"},
    {'z', "06460242"},
};

static const char *strokes_of(char letter) {
    for (size_t i = 0; i < sizeof font / sizeof *font; ++i)
        if (font[i].letter == letter) return font[i].strokes;
    return "";
}

static double segment_distance(double px, double py, double ax, double ay, double bx, double by) {
    const double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
    double s = length > 0 ? ((px - ax) * dx + (py - ay) * dy) / length : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return hypot(px - ax - s * dx, py - ay - s * dy);
}

/* Distance from a pixel to the glyph's strokes; unit: pixels per grid step. */
static double glyph_distance(const char *strokes, double x0, double y0, double unit, double px, double py) {
    double least = 1e9;
    for (const char *s = strokes; s[0] && s[1];) {
        const double ax = x0 + unit * (s[0] - '0'), ay = y0 - unit * (s[1] - '2');
        s += 2;
        if (!*s || *s == ' ') {
            least = fmin(least, segment_distance(px, py, ax, ay, ax, ay));
            while (*s == ' ') ++s;
            continue;
        }
        least = fmin(least, segment_distance(px, py, ax, ay, x0 + unit * (s[0] - '0'), y0 - unit * (s[1] - '2')));
    }
    return least;
}

static double advance(char letter) {
    if (letter == ' ') return 3.6;
    return strchr(".,:'il|", letter) ? 3.8 : 5.8;
}

double sn_text_width(double size, const char *text) {
    double width = 0;
    for (; *text; ++text) width += advance(*text) * size / 6;
    return width;
}

double sn_text(sn_canvas *canvas, double x, double y, double size, const char *text, const float rgb[3]) {
    const double unit = size / 6, half = 0.5 * fmax(1.1, 0.13 * size), begin = x;
    for (; *text; ++text) {
        const double left =
            x - (6 - advance(*text) > 1 ? unit : 0); /* narrow letters stand in the middle of the grid */
        const char *strokes = strokes_of(*text);
        const int x0 = (int)floor(left - 2), x1 = (int)ceil(left + 4 * unit + 2), y0 = (int)floor(y - 6 * unit - 2),
                  y1 = (int)ceil(y + 2 * unit + 2);
        for (int j = y0; j <= y1 && *strokes; ++j)
            for (int i = x0; i <= x1; ++i) {
                const double cover = half + 0.5 - glyph_distance(strokes, left, y, unit, i + 0.5, j + 0.5);
                if (cover > 0) sn_blend(canvas, i, j, rgb, (float)fmin(1, cover));
            }
        x += advance(*text) * unit;
    }
    return x - begin;
}
