/// How often a test repeats something that it has drawn or made.
#ifndef ISO_TEST_MANY_H
#define ISO_TEST_MANY_H

/// COUNT, or a tenth of it in an emulator, which is some ten times as slow (determinism/proto.sh).
#ifdef ISO_TEST_EMULATED
#define ISO_TEST_MANY(count) ((count) / 10)
#else
#define ISO_TEST_MANY(count) (count)
#endif

#endif
