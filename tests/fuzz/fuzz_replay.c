/// Runs a fuzz program without libFuzzer: each file of a folder, then mutants of it from a fixed seed.
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "unit/many.h"
#include "unit/random.h"

#define INPUT_MAX (1u << 20)
#ifndef MUTANTS
#define MUTANTS 10000 // of each file; fewer where one takes long
#endif
#define FOLDER_NAME_MAX 4096

/// In memory of exactly this size, so that a read beyond it is seen.
static void run(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + (size == 0));
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, bytes, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_mutants(uint8_t *bytes, size_t size) {
    uint64_t seed = size;
    uint8_t *mutant = malloc(size + 8);
    FUZZ_CHECK(mutant != NULL);
    for (int i = 0; i < ISO_TEST_MANY(MUTANTS) && size > 0; ++i) {
        memcpy(mutant, bytes, size);
        size_t mutant_size = size;
        for (uint64_t n = 1 + random_u64(&seed) % 4; n > 0 && mutant_size > 0; --n) {
            const size_t at = (size_t)(random_u64(&seed) % mutant_size);
            switch (random_u64(&seed) % 4) {
            case 0:
                mutant[at] = (uint8_t)random_u64(&seed);
                break;
            case 1:
                mutant[at] = (uint8_t)(mutant[at] ^ (UINT64_C(1) << (random_u64(&seed) % 8)));
                break;
            case 2:
                mutant_size = at;
                break;
            default:
                memmove(mutant + at, mutant + at + 1, mutant_size - at - 1);
                --mutant_size;
                break;
            }
        }
        run(mutant, mutant_size);
    }
    free(mutant);
}

static void run_file(const char *path) {
    static uint8_t bytes[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run(bytes, size);
    run_mutants(bytes, size);
}

int main(int argc, char **argv) {
    int files = 0;
    for (int i = 1; i < argc; ++i) {
        DIR *folder = opendir(argv[i]);
        FUZZ_CHECK(folder != NULL);
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            char path[FOLDER_NAME_MAX];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            struct stat status;
            if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
                run_file(path);
                ++files;
            }
        }
        closedir(folder);
    }
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
