/// A limit on heap memory: a session that needs too much is refused when it is created, not killed later.
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "isostep/assert.h"

#define HUGE_PAGE ((size_t)2 << 20)

static void *memory_allocate(void *user, size_t size, size_t alignment) {
    iso__memory *memory = user;
    if (size > memory->limit || atomic_fetch_add(&memory->used, size) > memory->limit - size) {
        if (size <= memory->limit) {
            atomic_fetch_sub(&memory->used, size);
        }
        atomic_store(&memory->limit_refused, true);
        return NULL;
    }
    void *block = NULL;
    if (alignment < sizeof(void *)) {
        alignment = sizeof(void *);
    }
    if (posix_memalign(&block, alignment, size > 0 ? size : 1) != 0) {
        atomic_fetch_sub(&memory->used, size);
        atomic_store(&memory->system_refused, true);
        return NULL;
    }
    return block;
}

static void memory_release(void *user, void *block, size_t size) {
    iso__memory *memory = user;
    if (block == NULL) {
        return;
    }
    atomic_fetch_sub(&memory->used, size);
    free(block);
}

const char *iso__memory_why(const iso__memory *memory, char *text, size_t capacity) {
    ISO_ASSERT(capacity > 0 && (memory->limit > 0 || atomic_load(&memory->system_refused)));
    if (atomic_load(&memory->system_refused)) {
        snprintf(text, capacity, "the system has no memory for it (ulimit -v)");
    } else {
        snprintf(text, capacity, "--memory allows %zu MiB", memory->limit >> 20);
    }
    return text;
}

iso_allocator iso__memory_allocator(iso__memory *memory) {
    return (iso_allocator){memory_allocate, memory_release, memory};
}

/// A kernel without huge pages refuses the advice, which changes nothing else.
static void *memory_allocate_world(void *user, size_t size, size_t alignment) {
    if (size < HUGE_PAGE) {
        return memory_allocate(user, size, alignment);
    }
    void *block = memory_allocate(user, size, HUGE_PAGE);
    if (block != NULL) {
        madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
    return block;
}

iso_allocator iso__memory_world_allocator(iso__memory *memory) {
    return (iso_allocator){memory_allocate_world, memory_release, memory};
}

// A compiler may omit an allocation that is not used, and assume that it succeeded.
bool iso__memory_is_there(size_t size) {
    void *volatile probe = malloc(size);
    free(probe);
    return probe != NULL;
}
