/// Which threads come first when processor time is scarce.
#ifndef ISO_BASE_PRIORITY_H
#define ISO_BASE_PRIORITY_H

/// Gives ticks priority over traffic: the workers and the recordings' writer come before the calling thread. On Linux
/// this affects only that thread and those that it creates from now on.
void iso__priority_stand_back(void);

#endif
