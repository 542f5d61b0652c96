/// See plane/world/compound.h.
#include "plane/world/compound.h"

void iso__plane_compound_lose(iso__plane *plane, uint32_t compound) {
    if (compound == 0) {
        return;
    }
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        if (plane->bodies[i].compound == compound) {
            return;
        }
    }
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        if (plane->joints[i].compound == compound) {
            return;
        }
    }
    plane->compounds[compound - 1] = (iso__plane_compound){0};
    iso__slot_release(&plane->world.compound_map, plane->world.compound_generations, compound - 1);
    iso__mark_dirty(&plane->world, ISO_SECTION_COMPOUNDS, compound - 1);
    iso__mark_section_dirty(&plane->world, ISO_SECTION_GENERATIONS);
}

bool iso_compound_is_valid(const iso_world *world, iso_compound_id compound) {
    return iso__compound_is_alive(world, compound);
}

iso_compound_id iso_compound_next(const iso_world *world, uint32_t index) {
    for (uint32_t i = index; i < world->globals->compound_count; ++i) {
        if (iso__generation_is_alive(world->compound_generations[i])) {
            return (iso_compound_id){i, world->compound_generations[i]};
        }
    }
    return (iso_compound_id){0, 0};
}

iso_body_id iso_compound_next_body(const iso_world *world, iso_compound_id compound, uint32_t index) {
    ISO__PLANE_ONLY(world, (iso_body_id){0, 0});
    const iso__plane *plane = iso__plane_of_const(world);
    for (uint32_t i = index; iso__compound_is_alive(world, compound) && i < world->globals->body_count; ++i) {
        if (plane->bodies[i].compound == compound.index + 1) {
            return (iso_body_id){i, world->body_generations[i]};
        }
    }
    return (iso_body_id){0, 0};
}

iso_joint_id iso_compound_next_joint(const iso_world *world, iso_compound_id compound, uint32_t index) {
    ISO__PLANE_ONLY(world, (iso_joint_id){0, 0});
    const iso__plane *plane = iso__plane_of_const(world);
    for (uint32_t i = index; iso__compound_is_alive(world, compound) && i < world->globals->joint_count; ++i) {
        if (plane->joints[i].compound == compound.index + 1) {
            return (iso_joint_id){i, world->joint_generations[i]};
        }
    }
    return (iso_joint_id){0, 0};
}

iso_body_id iso_compound_find_body(const iso_world *world, iso_compound_id compound, uint32_t part) {
    ISO__PLANE_ONLY(world, (iso_body_id){0, 0});
    const iso__plane *plane = iso__plane_of_const(world);
    iso_body_id body = iso_compound_next_body(world, compound, 0);
    while (body.generation != 0 && plane->bodies[body.index].part != part) {
        body = iso_compound_next_body(world, compound, body.index + 1);
    }
    return body;
}

iso_compound_id iso_joint_get_compound(const iso_world *world, iso_joint_id joint) {
    ISO__PLANE_ONLY(world, (iso_compound_id){0, 0});
    const iso__plane *plane = iso__plane_of_const(world);
    return iso__joint_is_alive(world, joint) ? iso__plane_compound_id_of(world, plane->joints[joint.index].compound)
                                             : (iso_compound_id){0, 0};
}
