/// For the digests as WebAssembly: printf, which digest_wasm.mjs brings.
#ifndef DIGEST_WASM_STDIO_H
#define DIGEST_WASM_STDIO_H

int printf(const char *format, ...);

#endif
