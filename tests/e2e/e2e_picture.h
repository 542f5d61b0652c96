/// What tests of pictures share: a picture that was read, as text, and what to expect in it.
#ifndef ISO_TESTS_E2E_PICTURE_H
#define ISO_TESTS_E2E_PICTURE_H

#include <stddef.h>

#define PICTURE_SIZE (4u << 20)

extern char picture[PICTURE_SIZE]; // the last one read; a zero follows it
extern size_t picture_size;

/// Reads a file of the tool's folder; of proto.
void read_picture(const char *name);
void read_document(const char *name);

/// Writes a file of the tool's folder.
void write_text(const char *name, const char *text);

/// With the leak sanitizer: what cairo's fonts leave behind is not ours.
void ignore_leaks_of_fonts(void);

/// How often the picture holds a text.
unsigned count_shown(const char *text);
/// How many paths and circles stand in the groups of this class.
unsigned count_drawn(const char *name);
void assert_shows(const char *text);

/// Every element that is opened is closed, one within the other, and nothing follows the last one.
void assert_well_formed(void);

#endif
