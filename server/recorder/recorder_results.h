/// What became of actions on the disk.
#ifndef ISO_RECORDER_RESULTS_H
#define ISO_RECORDER_RESULTS_H

#include "recorder_state.h"

/// A DONE. @return ISO_OK; ISO_ERR_STATE: there is no such action
iso_status iso__recorder_take_result(iso_recorder *recorder, const iso_recorder_event *event);

#endif
