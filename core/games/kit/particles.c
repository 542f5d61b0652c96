/// Particle systems: what they are made of, and one tick of them.
///
/// Ranges: a tick begins by clamping every place to ±2^15 m and every displacement to ±4 m in each component, whatever
/// the block holds, and ends with the same clamp of places. Within the tick a pass moves a particle of a link by at
/// most the link's error and one of a ring by at most a metre, all saturating, so nothing is undefined.
#include "isostep/particles.h"

#include "isostep/world.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"

#define PLACE_MAX     (ISO_PARTICLE_PLACE_MAX_M * ISO_WIDE_ONE)
#define STEP_MAX      (ISO_PARTICLE_STEP_MAX_M * ISO_WIDE_ONE)
#define RING_MOVE_MAX ISO_WIDE_ONE // of one particle in one pass
#define CONTACTS_MAX  2            // shapes that push a particle in a tick, one after the other

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// A block that came from a snapshot may hold any counts.
static uint32_t count_particles(const iso_particles *particles) {
    return least(particles->particle_count, ISO_PARTICLES_MAX);
}

static uint32_t count_links(const iso_particles *particles) {
    return least(particles->link_count, ISO_PARTICLE_LINKS_MAX);
}

static iso_vec2_wide place_of(const iso_particles *particles, uint32_t index) {
    return (iso_vec2_wide){particles->x[index], particles->y[index]};
}

static bool place_is_valid(iso_vec2_wide place) {
    return place.x >= -PLACE_MAX && place.x <= PLACE_MAX && place.y >= -PLACE_MAX && place.y <= PLACE_MAX;
}

static bool share_is_valid(fix16_t share) {
    return share >= 0 && share <= ISO_FIX16_ONE;
}

static iso_wide along(iso_wide length, int32_t unit) {
    return iso__mul_shift(length, unit, ISO__UNIT_FRACTION);
}

// ---- building ------------------------------------------------------------------------------------

iso_particle_params iso_particle_params_default(void) {
    return (iso_particle_params){.rate_hz = 60,
                                 .iteration_count = 8,
                                 .gravity = {0, -10 * ISO_FIX16_ONE},
                                 .damping = ISO_FIX16_ONE / 5,
                                 .radius = ISO_FIX16_ONE / 25,
                                 .friction = ISO_FIX16_ONE / 2,
                                 .filter = iso_query_filter_default()};
}

iso_status iso_particle_params_check(const iso_particle_params *params) {
    const fix16_t gravity_max = 1000 * ISO_FIX16_ONE;
    const bool is_valid = params->rate_hz >= 10 && params->rate_hz <= 128 && params->iteration_count >= 1 &&
                          params->iteration_count <= ISO_PARTICLE_ITERATIONS_MAX && params->gravity.x >= -gravity_max &&
                          params->gravity.x <= gravity_max && params->gravity.y >= -gravity_max &&
                          params->gravity.y <= gravity_max && params->damping >= 0 &&
                          params->damping <= 1000 * ISO_FIX16_ONE &&
                          (params->tear_stretch == 0 || params->tear_stretch >= ISO_FIX16_ONE) &&
                          params->radius >= ISO_FIX16_ONE / 1000 && params->radius <= ISO_FIX16_ONE &&
                          params->friction >= 0 && params->friction <= 8 * ISO_FIX16_ONE;
    return is_valid ? ISO_OK : ISO_ERR_RANGE;
}

iso_status iso_particles_add(iso_particles *particles, iso_vec2_wide place, bool pinned, uint32_t *index) {
    if (!place_is_valid(place)) {
        return ISO_ERR_RANGE;
    }
    if (particles->particle_count >= ISO_PARTICLES_MAX) {
        return ISO_ERR_CAPACITY;
    }
    *index = particles->particle_count++;
    particles->pinned[*index] = pinned;
    return iso_particles_move(particles, *index, place);
}

iso_status iso_particles_link(iso_particles *particles, uint32_t a, uint32_t b, fix16_t stiffness) {
    const uint32_t count = count_particles(particles);
    if (a >= count || b >= count || a == b || !share_is_valid(stiffness)) {
        return ISO_ERR_RANGE;
    }
    const iso_wide rest =
        iso_wide_hypot(iso_wide_sub(particles->x[b], particles->x[a]), iso_wide_sub(particles->y[b], particles->y[a]));
    if (rest == 0) {
        return ISO_ERR_RANGE;
    }
    if (particles->link_count >= ISO_PARTICLE_LINKS_MAX) {
        return ISO_ERR_CAPACITY;
    }
    const uint32_t link = particles->link_count++;
    particles->link_a[link] = (uint16_t)a;
    particles->link_b[link] = (uint16_t)b;
    particles->link_rest[link] = rest;
    particles->link_stiffness[link] = stiffness;
    return ISO_OK;
}

/// Half the sum of the cross products of neighbours, as seen from the first particle.
static iso_wide ring_measure(const iso_particles *particles, uint32_t first, uint32_t size) {
    iso_wide area = 0;
    for (uint32_t i = 1; i + 1 < size; ++i) {
        const iso_wide ax = iso_wide_sub(particles->x[first + i], particles->x[first]);
        const iso_wide ay = iso_wide_sub(particles->y[first + i], particles->y[first]);
        const iso_wide bx = iso_wide_sub(particles->x[first + i + 1], particles->x[first]);
        const iso_wide by = iso_wide_sub(particles->y[first + i + 1], particles->y[first]);
        area = iso_wide_add(area, iso__dot_shift(ax, by, iso__neg64(ay), bx, ISO__WIDE_FRACTION + 1));
    }
    return area;
}

static bool ring_is_valid(const iso_particles *particles, uint32_t first, uint32_t size) {
    const uint32_t count = count_particles(particles);
    return size >= 3 && first < count && size <= count - first;
}

iso_status iso_particles_ring(iso_particles *particles, uint32_t first, uint32_t size, fix16_t stiffness) {
    if (!ring_is_valid(particles, first, size) || !share_is_valid(stiffness)) {
        return ISO_ERR_RANGE;
    }
    const iso_wide area = ring_measure(particles, first, size);
    if (area <= 0) {
        return ISO_ERR_RANGE;
    }
    if (particles->ring_count >= ISO_PARTICLE_RINGS_MAX) {
        return ISO_ERR_CAPACITY;
    }
    const uint32_t ring = particles->ring_count++;
    particles->ring_first[ring] = (uint16_t)first;
    particles->ring_size[ring] = (uint16_t)size;
    particles->ring_area[ring] = area;
    particles->ring_stiffness[ring] = stiffness;
    return ISO_OK;
}

iso_status iso_particles_pin(iso_particles *particles, uint32_t index, bool pinned) {
    if (index >= count_particles(particles)) {
        return ISO_ERR_RANGE;
    }
    particles->pinned[index] = pinned;
    return ISO_OK;
}

iso_status iso_particles_move(iso_particles *particles, uint32_t index, iso_vec2_wide place) {
    if (index >= count_particles(particles) || !place_is_valid(place)) {
        return ISO_ERR_RANGE;
    }
    particles->x[index] = particles->x_before[index] = place.x;
    particles->y[index] = particles->y_before[index] = place.y;
    return ISO_OK;
}

// ---- finding and cutting -------------------------------------------------------------------------

bool iso_particles_find(const iso_particles *particles, iso_vec2_wide place, iso_wide reach, uint32_t *index) {
    bool found = false;
    for (uint32_t i = 0; i < count_particles(particles); ++i) {
        const iso_wide far =
            iso_wide_hypot(iso_wide_sub(particles->x[i], place.x), iso_wide_sub(particles->y[i], place.y));
        if (far < reach || (far == reach && !found)) {
            reach = far;
            *index = i;
            found = true;
        }
    }
    return found;
}

/// On which side of the line from a to b the place c is: 1, 0 or -1. Exact within ±2^30 m.
static int side_of(iso_vec2_wide a, iso_vec2_wide b, iso_vec2_wide c) {
    return iso__int128_sign(iso__int128_sub(iso__int128_mul(iso_wide_sub(b.x, a.x), iso_wide_sub(c.y, a.y)),
                                            iso__int128_mul(iso_wide_sub(b.y, a.y), iso_wide_sub(c.x, a.x))));
}

static bool ranges_meet(iso_wide a, iso_wide b, iso_wide c, iso_wide d) {
    return iso__max64(a, b) >= iso__min64(c, d) && iso__max64(c, d) >= iso__min64(a, b);
}

/// Whether two pieces of lines have a point in common.
static bool lines_meet(iso_vec2_wide a, iso_vec2_wide b, iso_vec2_wide c, iso_vec2_wide d) {
    return ranges_meet(a.x, b.x, c.x, d.x) && ranges_meet(a.y, b.y, c.y, d.y) &&
           side_of(a, b, c) * side_of(a, b, d) <= 0 && side_of(c, d, a) * side_of(c, d, b) <= 0;
}

/// Whether a link's particles exist and it holds them.
static bool link_is_whole(const iso_particles *particles, uint32_t link) {
    const uint32_t count = count_particles(particles);
    return particles->link_rest[link] > 0 && particles->link_a[link] < count && particles->link_b[link] < count;
}

static void tear(iso_particles *particles, uint32_t link) {
    particles->link_rest[link] = 0;
    particles->links_torn += 1;
}

uint32_t iso_particles_cut(iso_particles *particles, iso_vec2_wide from, iso_vec2_wide to) {
    uint32_t cut = 0;
    for (uint32_t link = 0; link < count_links(particles); ++link) {
        if (link_is_whole(particles, link) && lines_meet(from, to, place_of(particles, particles->link_a[link]),
                                                         place_of(particles, particles->link_b[link]))) {
            tear(particles, link);
            cut += 1;
        }
    }
    return cut;
}

// ---- one tick ------------------------------------------------------------------------------------

/// Places follow their velocities, x' = x + (x - x_before) k + g h^2 with k = 1 / (1 + h c).
static void integrate(iso_particles *particles, const iso_particle_params *params) {
    const iso_wide rate = iso_wide_from_int((int32_t)params->rate_hz);
    const iso_wide keep = iso_wide_div(rate, rate + iso_wide_from_fix16(params->damping));
    const iso_wide per_tick = (iso_wide)params->rate_hz * params->rate_hz;
    const iso_wide fall_x = iso__div_round64(iso_wide_from_fix16(params->gravity.x), per_tick);
    const iso_wide fall_y = iso__div_round64(iso_wide_from_fix16(params->gravity.y), per_tick);
    for (uint32_t i = 0; i < count_particles(particles); ++i) {
        const iso_wide x = iso__clamp64(particles->x[i], -PLACE_MAX, PLACE_MAX);
        const iso_wide y = iso__clamp64(particles->y[i], -PLACE_MAX, PLACE_MAX);
        const iso_wide step_x = iso_wide_mul(iso_wide_sub(x, particles->x_before[i]), keep);
        const iso_wide step_y = iso_wide_mul(iso_wide_sub(y, particles->y_before[i]), keep);
        const bool moves = !particles->pinned[i];
        particles->x[i] = particles->x_before[i] = x;
        particles->y[i] = particles->y_before[i] = y;
        particles->x[i] += moves ? iso__clamp64(iso_wide_add(step_x, fall_x), -STEP_MAX, STEP_MAX) : 0;
        particles->y[i] += moves ? iso__clamp64(iso_wide_add(step_y, fall_y), -STEP_MAX, STEP_MAX) : 0;
    }
}

static void shift(iso_particles *particles, uint32_t index, iso_wide x, iso_wide y) {
    particles->x[index] = iso_wide_add(particles->x[index], x);
    particles->y[index] = iso_wide_add(particles->y[index], y);
}

/// Moves both ends of a link along it by their shares of its error: halves, or all when the other end is pinned.
static void solve_link(iso_particles *particles, uint32_t link) {
    const uint32_t a = particles->link_a[link], b = particles->link_b[link];
    const bool a_moves = !particles->pinned[a], b_moves = !particles->pinned[b];
    if (!a_moves && !b_moves) {
        return;
    }
    int32_t nx, ny;
    const iso_wide length = iso__normalize(iso_wide_sub(particles->x[b], particles->x[a]),
                                           iso_wide_sub(particles->y[b], particles->y[a]), &nx, &ny);
    if (length == 0) {
        nx = ISO__UNIT_ONE; // any direction parts them, but it must be the same one everywhere
    }
    iso_wide error = iso__mul_shift(iso_wide_sub(length, particles->link_rest[link]), particles->link_stiffness[link],
                                    ISO__FIX16_FRACTION);
    error = a_moves && b_moves ? iso__round_shift(iso__min64(error, ISO_WIDE_MAX - 1), 1) : error;
    const iso_wide x = along(error, nx), y = along(error, ny);
    if (a_moves) {
        shift(particles, a, x, y);
    }
    if (b_moves) {
        shift(particles, b, iso__neg64(x), iso__neg64(y));
    }
}

/// Half of the vector between a particle's neighbours in the ring, turned outwards: the gradient of the area.
static iso_vec2_wide ring_gradient(const iso_particles *particles, uint32_t first, uint32_t size, uint32_t i) {
    const uint32_t before = first + (i + size - 1) % size, after = first + (i + 1) % size;
    return (iso_vec2_wide){iso_wide_sub(particles->y[after], particles->y[before]) >> 1,
                           iso_wide_sub(particles->x[before], particles->x[after]) >> 1};
}

/// x_i += lambda grad_i with lambda = (A0 - A) / sum |grad_i|^2 over the particles that move.
static void solve_ring(iso_particles *particles, uint32_t ring) {
    const uint32_t first = particles->ring_first[ring], size = particles->ring_size[ring];
    if (!ring_is_valid(particles, first, size)) {
        return;
    }
    const iso_wide missing = iso_wide_sub(particles->ring_area[ring], ring_measure(particles, first, size));
    iso_wide squares = 0;
    iso_vec2_wide gradients[ISO_PARTICLES_MAX];
    for (uint32_t i = 0; i < size; ++i) {
        gradients[i] = ring_gradient(particles, first, size, i);
        if (!particles->pinned[first + i]) {
            squares = iso_wide_add(squares, iso__dot_shift(gradients[i].x, gradients[i].x, gradients[i].y,
                                                           gradients[i].y, ISO__WIDE_FRACTION));
        }
    }
    const iso_wide lambda =
        iso_wide_div(iso__mul_shift(missing, particles->ring_stiffness[ring], ISO__FIX16_FRACTION), squares);
    for (uint32_t i = 0; i < size && squares > 0; ++i) {
        if (!particles->pinned[first + i]) {
            shift(particles, first + i,
                  iso__clamp64(iso_wide_mul(lambda, gradients[i].x), -RING_MOVE_MAX, RING_MOVE_MAX),
                  iso__clamp64(iso_wide_mul(lambda, gradients[i].y), -RING_MOVE_MAX, RING_MOVE_MAX));
        }
    }
}

static void solve(iso_particles *particles) {
    for (uint32_t link = 0; link < count_links(particles); ++link) {
        if (link_is_whole(particles, link)) {
            solve_link(particles, link);
        }
    }
    for (uint32_t ring = 0; ring < least(particles->ring_count, ISO_PARTICLE_RINGS_MAX); ++ring) {
        solve_ring(particles, ring);
    }
}

static void tear_links(iso_particles *particles, fix16_t stretch) {
    for (uint32_t link = 0; link < count_links(particles); ++link) {
        if (!link_is_whole(particles, link)) {
            continue;
        }
        const uint32_t a = particles->link_a[link], b = particles->link_b[link];
        const iso_wide length = iso_wide_hypot(iso_wide_sub(particles->x[b], particles->x[a]),
                                               iso_wide_sub(particles->y[b], particles->y[a]));
        if (length > iso__mul_shift(particles->link_rest[link], stretch, ISO__FIX16_FRACTION)) {
            tear(particles, link);
        }
    }
}

// ---- shapes --------------------------------------------------------------------------------------

/// Stops what moved far where it enters a shape.
static void stop_at_shape(iso_particles *particles, uint32_t i, const iso_particle_params *params,
                          const iso_world *world) {
    const iso_vec2_wide before = {particles->x_before[i], particles->y_before[i]};
    const iso_vec2_wide path = {particles->x[i] - before.x, particles->y[i] - before.y};
    const iso_wide radius = iso_wide_from_fix16(params->radius);
    iso_ray_hit hit;
    uint32_t count = 0;
    if (iso_wide_hypot(path.x, path.y) <= radius ||
        iso_query_ray_closest(world, before, path, params->filter, &hit, &count) != ISO_OK || count == 0) {
        return;
    }
    particles->x[i] = hit.point.x + along(radius, hit.normal.x);
    particles->y[i] = hit.point.y + along(radius, hit.normal.y);
}

/// How far a point of a body has moved in the tick, to first order.
static iso_vec2_wide surface_step(const iso_world *world, const iso_point_hit *hit, uint32_t rate_hz) {
    iso_body_view body;
    if (iso_body_get(world, hit->body, &body) != ISO_OK || body.type == ISO_BODY_STATIC) {
        return (iso_vec2_wide){0, 0};
    }
    const iso_wide w = body.angular_velocity;
    const iso_wide x = iso_wide_sub(body.velocity.x, iso_wide_mul(w, iso_wide_sub(hit->point.y, body.centre.y)));
    const iso_wide y = iso_wide_add(body.velocity.y, iso_wide_mul(w, iso_wide_sub(hit->point.x, body.centre.x)));
    return (iso_vec2_wide){iso__div_round64(x, (int64_t)rate_hz), iso__div_round64(y, (int64_t)rate_hz)};
}

/// Takes back the way along the surface, at most `bound`, and forgets what would be a bounce.
static void rub(iso_particles *particles, uint32_t i, iso_unit2 normal, iso_vec2_wide surface, iso_wide bound) {
    const iso_wide x = iso_wide_sub(iso_wide_sub(particles->x[i], particles->x_before[i]), surface.x);
    const iso_wide y = iso_wide_sub(iso_wide_sub(particles->y[i], particles->y_before[i]), surface.y);
    const iso_wide slide = iso__dot_shift(x, iso__neg64(normal.y), y, normal.x, ISO__UNIT_FRACTION);
    const iso_wide back = iso__neg64(iso__clamp64(slide, -bound, bound));
    shift(particles, i, along(back, -normal.y), along(back, normal.x));
    const iso_wide away = iso__dot_shift(x, normal.x, y, normal.y, ISO__UNIT_FRACTION);
    if (away > 0) {
        particles->x_before[i] = iso_wide_add(particles->x_before[i], along(away, normal.x));
        particles->y_before[i] = iso_wide_add(particles->y_before[i], along(away, normal.y));
    }
}

static void push_out(iso_particles *particles, uint32_t i, const iso_particle_params *params, const iso_world *world) {
    const iso_wide radius = iso_wide_from_fix16(params->radius);
    for (int contact = 0; contact < CONTACTS_MAX; ++contact) {
        iso_point_hit hit;
        uint32_t count = 0;
        if (iso_query_point_closest(world, place_of(particles, i), radius, params->filter, &hit, &count) != ISO_OK ||
            count == 0) {
            return;
        }
        const iso_wide push = iso_wide_sub(radius, hit.distance);
        shift(particles, i, along(push, hit.normal.x), along(push, hit.normal.y));
        rub(particles, i, hit.normal, surface_step(world, &hit, params->rate_hz),
            iso__mul_shift(push, params->friction, ISO__FIX16_FRACTION));
    }
}

static void clamp_place(iso_particles *particles, uint32_t i) {
    particles->x[i] = iso__clamp64(particles->x[i], -PLACE_MAX, PLACE_MAX);
    particles->y[i] = iso__clamp64(particles->y[i], -PLACE_MAX, PLACE_MAX);
}

iso_status iso_particles_step(iso_particles *particles, const iso_particle_params *params, const iso_world *world) {
    const iso_status status = iso_particle_params_check(params);
    if (status != ISO_OK) {
        return status;
    }
    integrate(particles, params);
    for (uint32_t pass = 0; pass < params->iteration_count; ++pass) {
        solve(particles);
    }
    if (params->tear_stretch > 0) {
        tear_links(particles, params->tear_stretch);
    }
    for (uint32_t i = 0; i < count_particles(particles); ++i) {
        clamp_place(particles, i);
        if (world && !particles->pinned[i]) {
            stop_at_shape(particles, i, params, world);
            push_out(particles, i, params, world);
            clamp_place(particles, i);
        }
    }
    return ISO_OK;
}
