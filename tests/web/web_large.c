/// Writes snapshots whose definitions need more memory than a browser has: web_large DIMENSIONS PART FILE
#include <stdio.h>

#include "large_snapshot.h"

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: web_large DIMENSIONS PART FILE\n");
        return 2;
    }
    size_t size = 0;
    uint8_t *bytes = large_snapshot_make((uint16_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), &size);
    FILE *file = bytes != NULL ? fopen(argv[3], "wb") : NULL;
    const bool written = file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0;
    free(bytes);
    return written ? 0 : 1;
}
