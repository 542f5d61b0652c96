/// The module's memory: what the client library allocates, and what JavaScript lends it.
///
/// A list of free blocks by rising address; the first that is large enough is taken, and neighbours are joined again.
/// Blocks are few and large (worlds, snapshots, images) and come with a client, never in a tick, so the list is short.
#include "memory.h"

#include "isostep/assert.h"

#define ALIGNMENT  64u // of every block; the largest that an iso_allocator is asked for
#define PAGE_SIZE  65536u
#define MEMORY_MAX ((uintptr_t)INT32_MAX - PAGE_SIZE) // JavaScript sees addresses with a sign

typedef struct free_block {
    size_t size; // [bytes] with this head, a multiple of ALIGNMENT
    struct free_block *next;
} free_block;

extern unsigned char __heap_base;

static free_block *first_free;
static uintptr_t end; // of what the list has ever held; 0: nothing yet

static size_t rounded(size_t size) {
    return (size + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
}

/// Takes `size` bytes behind `end`. @return 0 when there is no memory
static uintptr_t memory_extend(size_t size) {
    if (end == 0) {
        end = rounded((uintptr_t)&__heap_base);
    }
    const uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE_SIZE;
    if (size > MEMORY_MAX - end) {
        return 0;
    }
    const uintptr_t need = end + size;
    if (need > have && __builtin_wasm_memory_grow(0, (need - have + PAGE_SIZE - 1) / PAGE_SIZE) == (size_t)-1) {
        return 0;
    }
    const uintptr_t at = end;
    end = need;
    return at;
}

__attribute__((export_name("iso_web_take"))) void *iso__web_take(size_t size) {
    if (size > MEMORY_MAX) {
        return NULL;
    }
    const size_t need = size == 0 ? ALIGNMENT : rounded(size);
    for (free_block **at = &first_free; *at != NULL; at = &(*at)->next) {
        free_block *block = *at;
        if (block->size < need) {
            continue;
        }
        if (block->size == need) {
            *at = block->next;
        } else {
            free_block *rest = (free_block *)((uintptr_t)block + need);
            *rest = (free_block){.size = block->size - need, .next = block->next};
            *at = rest;
        }
        return block;
    }
    return (void *)memory_extend(need);
}

__attribute__((export_name("iso_web_give"))) void iso__web_give(void *memory, size_t size) {
    if (memory == NULL) {
        return;
    }
    free_block *block = memory;
    free_block *before = NULL;
    free_block *after = first_free;
    while (after != NULL && after < block) {
        before = after;
        after = after->next;
    }
    *block = (free_block){.size = size == 0 ? ALIGNMENT : rounded(size), .next = after};
    // What is given twice, or with a wrong size, overlaps a free block.
    ISO_ASSERT((uintptr_t)block + block->size <= (after == NULL ? end : (uintptr_t)after));
    if (after != NULL && (uintptr_t)block + block->size == (uintptr_t)after) {
        block->size += after->size;
        block->next = after->next;
    }
    if (before == NULL) {
        first_free = block;
        return;
    }
    ISO_ASSERT((uintptr_t)before + before->size <= (uintptr_t)block);
    before->next = block;
    if ((uintptr_t)before + before->size == (uintptr_t)block) {
        before->size += block->size;
        before->next = block->next;
    }
}

static void *memory_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    ISO_ASSERT(alignment <= ALIGNMENT);
    return iso__web_take(size);
}

static void memory_release(void *user, void *memory, size_t size) {
    (void)user;
    iso__web_give(memory, size);
}

iso_allocator iso__web_allocator(void) {
    return (iso_allocator){.allocate = memory_allocate, .release = memory_release};
}
