/* Input assembly: a stream of vertex numbers becomes points, lines, triangles and rectangles.
 *
 * One row per primitive type of VGT_PRIMITIVE_TYPE. The order of a triangle's vertices keeps its
 * winding and puts the provoking vertex (first or last, PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST)
 * where the rule of the type says; the orders are those that OpenGL and Vulkan document for
 * their primitive topologies. Without a geometry shader the adjacency types draw what their
 * inner vertices make; with one it gets all vertices (odd triangles of a strip as Vulkan orders them,
 * whatever PROVOKING_VTX_LAST says: Mesa's OpenGL driver turns them in the shader). Patches are lists
 * of any size and are not assembled here.
 *
 * Use: raster_ia_begin(), then raster_ia_vertex() for each vertex, raster_ia_cut() at a restart
 * index and at the end. */
#include "raster/raster.h"

#define PT(name) V_VGT_DI_PRIM_TYPE__DI_PT_##name

/* How primitive k of a type is made when vertex number n (since the last cut) arrives. */
enum ia_kind {
    IA_NONE, IA_LIST, IA_LINE_STRIP, IA_LINE_LOOP, IA_FAN, IA_STRIP, IA_POLYGON, IA_QUAD_LIST,
    IA_QUAD_STRIP
};

static const struct ia_row {
    uint8_t type, kind;
    uint8_t size;       /* vertices of a list's primitive */
    uint8_t verts;      /* of what comes out */
    uint8_t pick[3];    /* which of a list's vertices */
    bool rect, adjacency;
} rows[] = {
    { PT(POINTLIST), IA_LIST, 1, 1, { 0 }, false, false },
    { PT(LINELIST), IA_LIST, 2, 2, { 0, 1 }, false, false },
    { PT(LINESTRIP), IA_LINE_STRIP, 0, 2, { 0 }, false, false },
    { PT(LINELOOP), IA_LINE_LOOP, 0, 2, { 0 }, false, false },
    { PT(TRILIST), IA_LIST, 3, 3, { 0, 1, 2 }, false, false },
    { PT(TRIFAN), IA_FAN, 0, 3, { 0 }, false, false },
    { PT(TRISTRIP), IA_STRIP, 0, 3, { 0 }, false, false },
    { PT(LINELIST_ADJ), IA_LIST, 4, 2, { 1, 2 }, false, true },
    { PT(LINESTRIP_ADJ), IA_LINE_STRIP, 0, 2, { 0 }, false, true },
    { PT(TRILIST_ADJ), IA_LIST, 6, 3, { 0, 2, 4 }, false, true },
    { PT(TRISTRIP_ADJ), IA_STRIP, 0, 3, { 0 }, false, true },
    { PT(RECTLIST), IA_LIST, 3, 3, { 0, 1, 2 }, true, false },
    { PT(QUADLIST), IA_QUAD_LIST, 4, 3, { 0 }, false, false },
    { PT(QUADSTRIP), IA_QUAD_STRIP, 0, 3, { 0 }, false, false },
    { PT(POLYGON), IA_POLYGON, 0, 3, { 0 }, false, false },
};

static const struct ia_row *find_row(uint32_t type)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

bool raster_ia_known(uint32_t prim_type)
{
    return find_row(prim_type) != NULL;
}

unsigned raster_ia_verts(uint32_t prim_type)
{
    const struct ia_row *r = find_row(prim_type);

    return r ? r->verts : 0;
}

void raster_ia_begin(struct raster_ia *ia, uint32_t prim_type, bool provoking_last, bool adjacency)
{
    const struct ia_row *r = find_row(prim_type);

    memset(ia, 0, sizeof *ia);
    ia->type = prim_type;
    ia->provoking_last = provoking_last;
    ia->adjacency = adjacency && r && r->adjacency;
}

static struct raster_ia_prim prim(const struct raster_ia *ia, unsigned verts, uint64_t a,
                                  uint64_t b, uint64_t c, unsigned provoking)
{
    struct raster_ia_prim p = { .v = { a, b, c }, .verts = verts, .provoking = provoking, .edges = 7,
                                .prim_id = ia->prim_id };
    return p;
}

/* The two triangles of a quad, and those of a polygon, have edges that nobody asked for. */
static struct raster_ia_prim part(struct raster_ia_prim p, unsigned edges)
{
    p.edges = edges;
    return p;
}

/* The quad a, b, c, d (in order around) as two triangles that share the provoking vertex, which
 * is a (first) or c or d (last: `last_is_c`). */
static unsigned quad(struct raster_ia *ia, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                     bool last_is_c, struct raster_ia_prim out[2])
{
    enum { AB = 1, BC = 2, CA = 4 };

    if (!ia->provoking_last) {
        out[0] = part(prim(ia, 3, a, b, c, 0), AB | BC);
        out[1] = part(prim(ia, 3, a, c, d, 0), BC | CA);
    } else if (last_is_c) {
        out[0] = part(prim(ia, 3, a, b, c, 2), AB | BC);
        out[1] = part(prim(ia, 3, d, a, c, 2), AB | CA);
    } else {
        out[0] = part(prim(ia, 3, a, b, d, 2), AB | CA);
        out[1] = part(prim(ia, 3, b, c, d, 2), AB | BC);
    }
    ia->prim_id++;
    return 2;
}

static unsigned one(struct raster_ia *ia, struct raster_ia_prim p, struct raster_ia_prim *out)
{
    *out = p;
    out->starts = !ia->going;
    ia->going = true;
    ia->prim_id++;
    return 1;
}

/* Vertex number n since the cut of a list: kept in v[] until the primitive is whole. Adjacency
 * lists need six vertices but only pick three, so only those are kept. */
static unsigned list_vertex(struct raster_ia *ia, const struct ia_row *r, uint64_t v,
                            struct raster_ia_prim *out)
{
    uint32_t n = ia->have++;
    struct raster_ia_prim p;

    for (unsigned i = 0; i < r->verts; i++)
        if (r->pick[i] == n)
            ia->v[i] = v;
    if (ia->have < r->size)
        return 0;
    ia->have = 0;
    p = prim(ia, r->verts, ia->v[0], ia->v[1], ia->v[2],
             ia->provoking_last ? r->verts - 1 : 0);
    p.rect = r->rect;
    return one(ia, p, out);
}

/* A primitive with its adjacent vertices, n of them taken from the last 16 by their numbers. */
static unsigned with_adjacent(struct raster_ia *ia, unsigned n, const uint32_t at[6],
                              struct raster_ia_prim *out)
{
    *out = prim(ia, n, 0, 0, 0, ia->provoking_last ? n / 2 : n == 4 ? 1 : 0);
    for (unsigned k = 0; k < n; k++)
        out->v[k] = ia->v[at[k] & 15];
    return one(ia, *out, out);
}

/* Triangle t (from 0) of a strip with adjacency, whose vertices start at number 2t. A triangle knows its
 * neighbour across its second edge (or that it is the last) only when the next one is there. */
static unsigned strip_adjacent(struct raster_ia *ia, uint32_t t, bool last, struct raster_ia_prim *out)
{
    const uint32_t b = 2 * t, before = t ? b - 2 : b + 1, after = last ? b + 5 : b + 6;

    if (t & 1) {
        const uint32_t odd[6] = { b, b + 3, b + 4, after, b + 2, before };
        return with_adjacent(ia, 6, odd, out);
    }
    const uint32_t even[6] = { b, before, b + 2, after, b + 4, b + 3 };
    return with_adjacent(ia, 6, even, out);
}

static unsigned adjacency_vertex(struct raster_ia *ia, const struct ia_row *r, uint64_t v,
                                 struct raster_ia_prim *out)
{
    const uint32_t n = ia->have++;
    static const uint32_t all[6] = { 0, 1, 2, 3, 4, 5 };

    ia->v[n & 15] = v;
    if (r->kind == IA_LIST) {
        if (ia->have < r->size)
            return 0;
        ia->have = 0;
        return with_adjacent(ia, r->size, all, out);
    }
    if (r->kind == IA_LINE_STRIP) {
        const uint32_t at[6] = { n - 3, n - 2, n - 1, n };
        return n >= 3 ? with_adjacent(ia, 4, at, out) : 0;
    }
    return n >= 7 && (n & 1) ? strip_adjacent(ia, (n - 7) / 2, false, out) : 0;
}

unsigned raster_ia_vertex(struct raster_ia *ia, uint64_t v, struct raster_ia_prim out[2])
{
    const struct ia_row *r = find_row(ia->type);
    const bool last = ia->provoking_last;
    uint64_t *h = ia->v;
    uint32_t n;
    unsigned count = 0;

    if (!r)
        return 0;
    if (ia->adjacency)
        return adjacency_vertex(ia, r, v, out);
    if (r->kind == IA_LIST)
        return list_vertex(ia, r, v, out);

    n = ia->have++;
    switch (r->kind) {
    case IA_LINE_STRIP: /* h[0] the vertex before, h[1] the one before that */
        if (!r->adjacency && n >= 1)
            count = one(ia, prim(ia, 2, h[0], v, 0, last), out);
        else if (r->adjacency && n >= 3)
            count = one(ia, prim(ia, 2, h[1], h[0], 0, last), out);
        h[1] = h[0];
        h[0] = v;
        break;
    case IA_LINE_LOOP: /* h[1] the first vertex */
        if (n >= 1)
            count = one(ia, prim(ia, 2, h[0], v, 0, last), out);
        else
            h[1] = v;
        h[0] = v;
        break;
    case IA_FAN: /* h[0] the hub */
        if (n >= 2)
            count = one(ia, last ? prim(ia, 3, h[0], h[1], v, 2) : prim(ia, 3, h[1], v, h[0], 0),
                        out);
        h[n ? 1 : 0] = v;
        break;
    case IA_POLYGON: /* h[0] the hub, which provokes whatever PROVOKING_VTX_LAST says */
        /* A triangle waits for the next vertex: only the last one has the edge back to the first. */
        if (n >= 3) {
            *out = part(prim(ia, 3, h[0], h[1], h[2], 0), n == 3 ? 3 : 2);
            count = 1;
            h[1] = h[2];
        }
        h[MIN2(n, 2)] = v;
        break;
    case IA_STRIP: /* h[0] the vertex before the last, h[1] the last */
        if (r->adjacency) {
            /* Every second vertex is an adjacent one; triangle k is whole only when the vertex
             * after its last one has come. h[2] is the one that waits for it. */
            if (!(n & 1)) {
                h[2] = v;
                break;
            }
            v = h[2];
            n >>= 1;
        }
        if (n >= 2) {
            bool odd = n & 1;
            struct raster_ia_prim p;

            if (!odd)
                p = prim(ia, 3, h[0], h[1], v, last ? 2 : 0);
            else if (last)
                p = prim(ia, 3, h[1], h[0], v, 2);
            else
                p = prim(ia, 3, h[0], v, h[1], 0);
            count = one(ia, p, out);
        }
        h[0] = h[1];
        h[1] = v;
        break;
    case IA_QUAD_LIST:
        if (n < 3) {
            h[n] = v;
        } else {
            ia->have = 0;
            count = quad(ia, h[0], h[1], h[2], v, false, out);
        }
        break;
    case IA_QUAD_STRIP: /* h[0], h[1] the pair before, h[2] the first of this pair */
        if (n >= 3 && (n & 1)) {
            count = quad(ia, h[0], h[1], v, h[2], true, out);
            h[0] = h[2];
            h[1] = v;
        } else {
            h[n < 2 ? n : 2] = v;
        }
        break;
    }
    return count;
}

unsigned raster_ia_cut(struct raster_ia *ia, struct raster_ia_prim out[2])
{
    const struct ia_row *r = find_row(ia->type);
    unsigned count = 0;

    if (r && r->kind == IA_LINE_LOOP && ia->have >= 2)
        count = one(ia, prim(ia, 2, ia->v[0], ia->v[1], 0, ia->provoking_last), out);
    if (r && r->kind == IA_POLYGON && ia->have >= 3)
        count = one(ia, part(prim(ia, 3, ia->v[0], ia->v[1], ia->v[2], 0), ia->have == 3 ? 7 : 6), out);
    if (ia->adjacency && r->kind == IA_STRIP && ia->have >= 6)
        count = strip_adjacent(ia, (ia->have - 6) / 2, true, out);
    ia->have = 0;
    ia->going = false;
    return count;
}
