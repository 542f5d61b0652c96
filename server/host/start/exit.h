/// The exit codes of the server.
#ifndef ISO_HOST_EXIT_H
#define ISO_HOST_EXIT_H

#define ISO__EXIT_DONE      0
#define ISO__EXIT_TROUBLE   1 // something failed, or a recording is incomplete
#define ISO__EXIT_USAGE     2 // an option is wrong, or what it names cannot be used
#define ISO__EXIT_SCENE     3 // a scene is unreadable, invalid, or of a game that this program does not have
#define ISO__EXIT_RECORDING 3 // a recording cannot be continued; it is unchanged

#endif
