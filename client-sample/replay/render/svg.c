/// Pictures as SVG. The text is a function of what is drawn: the same bytes in each run.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/proto/text.h"
#include "render/canvas.h"

typedef struct svg {
    render_canvas base;
    FILE *out; // into memory
    char *text;
    size_t size;
    char group[256]; // the attributes of the open group; empty: none is open
    bool has_path_begun;
    uint32_t clips;
} svg;

/// Two decimals, without those that are zero: a hundredth of a pixel is not seen.
static void svg_number(FILE *out, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.2f", value);
    size_t size = strlen(text);
    while (text[size - 1] == '0') {
        --size;
    }
    if (text[size - 1] == '.') {
        --size;
    }
    text[size] = 0;
    fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

static void svg_pair(FILE *out, double x, double y) {
    svg_number(out, x);
    fputc(' ', out);
    svg_number(out, y);
}

static void svg_escaped(FILE *out, const char *text) {
    for (; *text != 0; ++text) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"') {
            fprintf(out, "&#%d;", *text);
        } else {
            fputc(*text, out);
        }
    }
}

/// One attribute for a colour, and one for its opacity when that is not full. @return the number of characters
static size_t svg_colour(char *text, size_t size, const char *name, uint32_t colour) {
    const uint32_t alpha = colour & 0xFF;
    int used;
    if (alpha == 0) {
        used = snprintf(text, size, " %s=\"none\"", name);
    } else if (alpha == 0xFF) {
        used = snprintf(text, size, " %s=\"#%06x\"", name, colour >> 8);
    } else {
        used = snprintf(text, size, " %s=\"#%06x\" %s-opacity=\"%.2f\"", name, colour >> 8, name, alpha / 255.0);
    }
    return (size_t)used;
}

static void svg_end_group(svg *is) {
    if (is->group[0] != 0) {
        fputs("</g>\n", is->out);
        is->group[0] = 0;
    }
}

static void svg_use(render_canvas *canvas, const char *name, canvas_pen pen) {
    svg *is = (svg *)canvas;
    char group[sizeof is->group];
    size_t used = (size_t)snprintf(group, sizeof group, " class=\"%s\"", name);
    used += svg_colour(group + used, sizeof group - used, "fill", pen.fill);
    used += svg_colour(group + used, sizeof group - used, "stroke", pen.stroke);
    if ((pen.stroke & 0xFF) != 0) {
        used += (size_t)snprintf(group + used, sizeof group - used, " stroke-width=\"%.4g\"", pen.width);
    }
    if (pen.dash > 0) {
        snprintf(group + used, sizeof group - used, " stroke-dasharray=\"%.4g\"", pen.dash);
    }
    if (strcmp(group, is->group) != 0) {
        svg_end_group(is);
        fprintf(is->out, "<g%s>\n", group);
        strcpy(is->group, group);
    }
}

static void svg_circle(render_canvas *canvas, double x, double y, double radius) {
    FILE *out = ((svg *)canvas)->out;
    fputs("<circle cx=\"", out);
    svg_number(out, x);
    fputs("\" cy=\"", out);
    svg_number(out, y);
    fputs("\" r=\"", out);
    svg_number(out, radius);
    fputs("\"/>\n", out);
}

static void svg_begin(render_canvas *canvas) {
    svg *is = (svg *)canvas;
    is->has_path_begun = false;
    fputs("<path d=\"", is->out);
}

static void svg_line_to(render_canvas *canvas, double x, double y) {
    svg *is = (svg *)canvas;
    fputc(is->has_path_begun ? 'L' : 'M', is->out);
    is->has_path_begun = true;
    svg_pair(is->out, x, y);
}

static void svg_arc(render_canvas *canvas, double x, double y, double radius, double from, double to) {
    svg *is = (svg *)canvas;
    svg_line_to(canvas, x + radius * cos(from), y + radius * sin(from));
    // Pieces of at most half a turn, so that none is mistaken for what is left of its circle.
    const int pieces = (int)ceil(fabs(to - from) / CANVAS_PI - 1e-6);
    for (int i = 1; i <= pieces; ++i) {
        const double angle = from + (to - from) * i / pieces;
        fputc('A', is->out);
        svg_pair(is->out, radius, radius);
        fprintf(is->out, " 0 0 %d ", to > from);
        svg_pair(is->out, x + radius * cos(angle), y + radius * sin(angle));
    }
}

static void svg_end(render_canvas *canvas, bool closed) {
    fputs(closed ? "Z\"/>\n" : "\"/>\n", ((svg *)canvas)->out);
}

static void svg_text(render_canvas *canvas, double x, double y, double size, canvas_align align, uint32_t colour,
                     const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    svg *is = (svg *)canvas;
    svg_end_group(is);
    fputs("<text x=\"", is->out);
    svg_number(is->out, x);
    fputs("\" y=\"", is->out);
    svg_number(is->out, y);
    fprintf(is->out, "\" font-size=\"%.4g\" text-anchor=\"%s\" fill=\"#%06x\">", size, anchors[align], colour >> 8);
    svg_escaped(is->out, text);
    fputs("</text>\n", is->out);
}

static void svg_clip(render_canvas *canvas, double x, double y, double width, double height) {
    svg *is = (svg *)canvas;
    svg_end_group(is);
    ++is->clips;
    fprintf(is->out, "<clipPath id=\"clip%u\"><path d=\"M", is->clips);
    svg_pair(is->out, x, y);
    fputc('h', is->out);
    svg_number(is->out, width);
    fputc('v', is->out);
    svg_number(is->out, height);
    fputc('h', is->out);
    svg_number(is->out, -width);
    fprintf(is->out, "z\"/></clipPath>\n<g clip-path=\"url(#clip%u)\">\n", is->clips);
}

static void svg_unclip(render_canvas *canvas) {
    svg *is = (svg *)canvas;
    svg_end_group(is);
    fputs("</g>\n", is->out);
}

static const char *svg_finish(render_canvas *canvas, char **bytes, size_t *size) {
    svg *is = (svg *)canvas;
    svg_end_group(is);
    fputs("</svg>\n", is->out);
    const bool failed = ferror(is->out) != 0;
    const bool drawn = fclose(is->out) == 0 && !failed;
    if (drawn) {
        *bytes = is->text;
        *size = is->size;
    } else {
        free(is->text);
    }
    free(is);
    return drawn ? NULL : strerror(ENOMEM);
}

render_canvas *iso__replay_canvas_open_svg(int width, int height, const char *title, const char **fault) {
    static const canvas_format format = {svg_use,  svg_circle, svg_begin, svg_line_to, svg_arc,   svg_end,
                                         svg_text, NULL,       svg_clip,  svg_unclip,  svg_finish};
    svg *is = calloc(1, sizeof *is);
    if (is != NULL) {
        is->base = (render_canvas){&format};
        is->out = open_memstream(&is->text, &is->size);
    }
    if (is == NULL || is->out == NULL) {
        *fault = strerror(ENOMEM);
        free(is);
        return NULL;
    }
    fprintf(is->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\" "
            "stroke-linecap=\"round\" role=\"img\">\n<title>",
            width, height, width, height);
    svg_escaped(is->out, title);
    fputs("</title>\n", is->out);
    return &is->base;
}
