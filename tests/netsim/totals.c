/// What runs have seen: added up, kept in a file between the slices of a run, and held against floors.
#include <string.h>

#include "sim.h"

typedef struct total_row {
    const char *name;
    const char *text;
    uint64_t floor; // for TOTALS_FLOOR_SEEDS seeds
} total_row;

static const total_row rows[] = {
#define TOTAL_ROW(name, text, floor) {#name, text, floor},
    SIM_TOTAL_LIST(TOTAL_ROW)
#undef TOTAL_ROW
};

#define TOTAL_COUNT (sizeof rows / sizeof rows[0])

_Static_assert(sizeof(sim_totals) == TOTAL_COUNT * sizeof(uint64_t), "all members are counters of one type");

void totals_add(sim_totals *sum, const sim_totals *one) {
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < TOTAL_COUNT; ++i) {
        to[i] += from[i];
    }
}

bool totals_save(const sim_totals *totals, const char *path) {
    const uint64_t *values = (const uint64_t *)totals;
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < TOTAL_COUNT; ++i) {
        fprintf(file, "%s %llu\n", rows[i].name, (unsigned long long)values[i]);
    }
    return fclose(file) == 0;
}

bool totals_load(sim_totals *totals, const char *path) {
    uint64_t *values = (uint64_t *)totals;
    FILE *file = fopen(path, "r");
    size_t count = 0;
    while (file != NULL && count < TOTAL_COUNT) {
        char name[64];
        unsigned long long value;
        if (fscanf(file, "%63s %llu", name, &value) != 2 || strcmp(name, rows[count].name) != 0) {
            break;
        }
        values[count++] = value;
    }
    if (file != NULL) {
        fclose(file);
    }
    return count == TOTAL_COUNT;
}

static uint64_t floor_of(const total_row *row, uint64_t seeds) {
    return row->floor * seeds / TOTALS_FLOOR_SEEDS;
}

void totals_print(const sim_totals *totals) {
    const uint64_t *values = (const uint64_t *)totals;
    printf("%-32s %12s %12s\n", "seen", "count", "floor");
    for (size_t i = 0; i < TOTAL_COUNT; ++i) {
        const uint64_t least = floor_of(&rows[i], totals->seeds);
        printf("%-32s %12llu ", rows[i].text, (unsigned long long)values[i]);
        printf(least > 0 ? "%12llu%s\n" : "%12.0llu%s\n", (unsigned long long)least,
               values[i] < least ? "  not reached" : "");
    }
}

bool totals_reach_floors(const sim_totals *totals) {
    const uint64_t *values = (const uint64_t *)totals;
    bool reached = true;
    for (size_t i = 0; i < TOTAL_COUNT; ++i) {
        reached &= values[i] >= floor_of(&rows[i], totals->seeds);
    }
    return reached;
}
