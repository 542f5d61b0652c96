/// Includes all public headers of libisostep.
#ifndef ISOSTEP_H
#define ISOSTEP_H

#include "isostep/allocator.h"
#include "isostep/body.h"
#include "isostep/command.h"
#include "isostep/compound.h"
#include "isostep/constraint.h"
#include "isostep/contact.h"
#include "isostep/draw.h"
#include "isostep/event.h"
#include "isostep/field.h"
#include "isostep/fixed.h"
#include "isostep/game.h"
#include "isostep/id.h"
#include "isostep/joint.h"
#include "isostep/joint_def.h"
#include "isostep/literal.h"
#include "isostep/parallel.h"
#include "isostep/program.h"
#include "isostep/query.h"
#include "isostep/shape.h"
#include "isostep/simd.h"
#include "isostep/snapshot.h"
#include "isostep/status.h"
#include "isostep/sync_test.h"
#include "isostep/tick.h"
#include "isostep/vec2.h"
#include "isostep/vec3.h"
#include "isostep/world.h"

#endif
