/// How much a test does that draws, makes or changes something again and again. gcc's optimized build does all
/// of it. With clang, whose build computes the same bits (tests/golden), with sanitizers and in an emulator
/// (determinism/proto.sh), which are some ten times as slow, a tenth is enough: what they look for shows at the first
/// input of its kind.
#ifndef ISO_TEST_MANY_H
#define ISO_TEST_MANY_H

/// Of what stands in a row, every ISO_TEST_STEP-th is tried.
#if defined NDEBUG && !defined __clang__ && !defined ISO_TEST_EMULATED
#define ISO_TEST_STEP 1
#else
#define ISO_TEST_STEP 10
#endif

#define ISO_TEST_MANY(count) ((count) / ISO_TEST_STEP)

#endif
