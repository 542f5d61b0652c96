/// Handshake, snapshot, activation, end and desyncs between plain structs and protobuf-c's.
#include <string.h>

#include "codec/internal.h"

#define PACK(snake)                                                                             \
    iso_status iso__codec_##snake##_pack(iso__codec_arena *arena, const iso_message_##snake *m, \
                                         Isostep__V1__Envelope *envelope)
#define UNPACK(snake)                                                                                      \
    iso_status iso__codec_##snake##_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope, \
                                           iso_message_##snake *m)

static iso_status fingerprint_pack(iso__codec_arena *arena, const iso_fingerprint *f,
                                   Isostep__V1__Fingerprint **packed) {
    ISO__NEW(arena, Fingerprint, fingerprint, p);
    p->simulation_version = f->simulation_version;
    p->schema = f->schema;
    p->arithmetic = f->arithmetic;
    p->game_version = f->game_version;
    p->game_params = f->game_params;
    *packed = p;
    return iso__codec_text_pack(f->game, sizeof(f->game), &p->game);
}

static iso_status fingerprint_unpack(const Isostep__V1__Fingerprint *p, iso_fingerprint *f) {
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    f->simulation_version = p->simulation_version;
    f->schema = p->schema;
    f->arithmetic = p->arithmetic;
    f->game_version = p->game_version;
    f->game_params = p->game_params;
    return iso__codec_text_unpack(p->game, f->game, sizeof(f->game));
}

static iso_status resume_pack(iso__codec_arena *arena, const iso_resume *r, Isostep__V1__Resume **packed) {
    ISO__NEW(arena, Resume, resume, p);
    p->uid.len = sizeof(r->uid);
    p->uid.data = (uint8_t *)(uintptr_t)r->uid;
    p->slot = r->slot;
    p->slot_generation = r->slot_generation;
    p->secret.len = sizeof(r->secret);
    p->secret.data = (uint8_t *)(uintptr_t)r->secret;
    p->epoch = r->epoch;
    p->tick = r->tick;
    p->root = r->root;
    *packed = p;
    return ISO_OK;
}

static iso_status resume_unpack(const Isostep__V1__Resume *p, iso_resume *r) {
    memset(r, 0, sizeof(*r));
    if (p == NULL) {
        return ISO_OK;
    }
    if (p->uid.len != sizeof(r->uid) || p->secret.len != sizeof(r->secret)) {
        return ISO_ERR_MALFORMED;
    }
    ISO__TRY(iso__codec_slot_fits(p->slot));
    memcpy(r->uid, p->uid.data, sizeof(r->uid));
    memcpy(r->secret, p->secret.data, sizeof(r->secret));
    r->slot = (uint8_t)p->slot;
    r->slot_generation = p->slot_generation;
    r->epoch = p->epoch;
    r->tick = p->tick;
    r->root = p->root;
    return ISO_OK;
}

PACK(hello) {
    ISO__ASSERT_KIND(envelope, HELLO);
    ISO__NEW(arena, Hello, hello, p);
    p->protocol_min = m->protocol_min;
    p->protocol_max = m->protocol_max;
    p->role = (Isostep__V1__Role)m->role;
    p->compressions = m->compressions;
    envelope->hello = p;
    ISO__TRY(fingerprint_pack(arena, &m->fingerprint, &p->fingerprint));
    if (m->has_resume) {
        ISO__TRY(resume_pack(arena, &m->resume, &p->resume));
    }
    ISO__TRY(iso__codec_text_pack(m->session, sizeof(m->session), &p->session));
    p->features = m->features;
    ISO__TRY(iso__codec_text_pack(m->password, sizeof(m->password), &p->password));
    ISO__TRY(iso__codec_text_pack(m->member, sizeof(m->member), &p->member));
    return iso__codec_text_pack(m->build, sizeof(m->build), &p->build);
}

UNPACK(hello) {
    ISO__ASSERT_KIND(envelope, HELLO);
    (void)arena;
    const Isostep__V1__Hello *p = envelope->hello;
    m->protocol_min = p->protocol_min;
    m->protocol_max = p->protocol_max;
    ISO__TRY(iso__codec_enum_unpack((int)p->role, &m->role));
    m->compressions = p->compressions;
    ISO__TRY(fingerprint_unpack(p->fingerprint, &m->fingerprint));
    m->has_resume = p->resume != NULL;
    ISO__TRY(resume_unpack(p->resume, &m->resume));
    ISO__TRY(iso__codec_text_unpack(p->session, m->session, sizeof(m->session)));
    m->features = p->features;
    ISO__TRY(iso__codec_text_unpack(p->password, m->password, sizeof(m->password)));
    ISO__TRY(iso__codec_text_unpack(p->member, m->member, sizeof(m->member)));
    return iso__codec_text_unpack(p->build, m->build, sizeof(m->build));
}

static iso_status limits_pack(iso__codec_arena *arena, const iso_member_limits *limits, Isostep__V1__Limits **packed) {
    ISO__NEW(arena, Limits, limits, p);
    p->commands_per_tick = limits->commands_per_tick;
    p->command_burst = limits->command_burst;
    p->ahead_ticks_max = limits->ahead_ticks_max;
    p->late_ticks_max = limits->late_ticks_max;
    p->input_bytes_per_second = limits->input_bytes_per_second;
    *packed = p;
    return ISO_OK;
}

static iso_status limits_unpack(const Isostep__V1__Limits *p, iso_member_limits *limits) {
    if (p == NULL) {
        return ISO_ERR_MALFORMED;
    }
    *limits = (iso_member_limits){
        .commands_per_tick = p->commands_per_tick,
        .command_burst = p->command_burst,
        .ahead_ticks_max = p->ahead_ticks_max,
        .late_ticks_max = p->late_ticks_max,
        .input_bytes_per_second = p->input_bytes_per_second,
    };
    return ISO_OK;
}

PACK(welcome) {
    ISO__ASSERT_KIND(envelope, WELCOME);
    ISO__NEW(arena, Welcome, welcome, p);
    p->protocol = m->protocol;
    p->uid.len = sizeof(m->uid);
    p->uid.data = (uint8_t *)(uintptr_t)m->uid;
    p->epoch = m->epoch;
    p->role = (Isostep__V1__Role)m->role;
    p->slot = m->slot;
    p->tick = m->tick;
    p->tick_rate_hz = m->tick_rate_hz;
    p->scene_hash = m->scene_hash;
    if (m->role == ISO_ROLE_PLAYER) {
        p->secret.len = sizeof(m->secret);
        p->secret.data = (uint8_t *)(uintptr_t)m->secret;
    }
    p->hold_ms = m->hold_ms;
    p->late_policy = (Isostep__V1__LatePolicy)m->late_policy;
    p->state = (Isostep__V1__SessionState)m->state;
    p->resumed = (Isostep__V1__Resumed)m->resumed;
    p->last_sequence = m->last_sequence;
    p->slot_generation = m->slot_generation;
    p->silence_ms = m->silence_ms;
    p->features = m->features;
    envelope->welcome = p;
    ISO__TRY(limits_pack(arena, &m->limits, &p->limits));
    ISO__TRY(fingerprint_pack(arena, &m->fingerprint, &p->fingerprint));
    ISO__TRY(iso__codec_text_pack(m->session, sizeof(m->session), &p->session));
    return iso__codec_text_pack(m->control_layout, sizeof(m->control_layout), &p->control_layout);
}

/// The fields for resuming. Only a player has a secret.
static iso_status welcome_unpack_resume(const Isostep__V1__Welcome *p, iso_message_welcome *m) {
    memset(m->secret, 0, sizeof(m->secret));
    if (p->secret.len != (p->role == ISOSTEP__V1__ROLE__ROLE_PLAYER ? sizeof(m->secret) : 0)) {
        return ISO_ERR_MALFORMED;
    }
    if (p->secret.len > 0) {
        memcpy(m->secret, p->secret.data, sizeof(m->secret));
    }
    if ((uint32_t)p->late_policy > UINT8_MAX || (uint32_t)p->state > UINT8_MAX || (uint32_t)p->resumed > UINT8_MAX) {
        return ISO_ERR_BAD_ENUM;
    }
    m->hold_ms = p->hold_ms;
    m->late_policy = (uint8_t)p->late_policy;
    m->state = (uint8_t)p->state;
    m->resumed = (uint8_t)p->resumed;
    m->last_sequence = p->last_sequence;
    m->slot_generation = p->slot_generation;
    m->silence_ms = p->silence_ms;
    m->features = p->features;
    return ISO_OK;
}

UNPACK(welcome) {
    ISO__ASSERT_KIND(envelope, WELCOME);
    (void)arena;
    const Isostep__V1__Welcome *p = envelope->welcome;
    if (p->uid.len != sizeof(m->uid)) {
        return ISO_ERR_MALFORMED;
    }
    memcpy(m->uid, p->uid.data, sizeof(m->uid));
    ISO__TRY(iso__codec_enum_unpack((int)p->role, &m->role));
    ISO__TRY(welcome_unpack_resume(p, m));
    ISO__TRY(iso__codec_slot_fits(p->slot));
    if (p->tick_rate_hz > UINT16_MAX) {
        return ISO_ERR_RANGE;
    }
    m->protocol = p->protocol;
    m->epoch = p->epoch;
    m->slot = (uint8_t)p->slot;
    m->tick = p->tick;
    m->tick_rate_hz = (uint16_t)p->tick_rate_hz;
    m->scene_hash = p->scene_hash;
    ISO__TRY(limits_unpack(p->limits, &m->limits));
    ISO__TRY(fingerprint_unpack(p->fingerprint, &m->fingerprint));
    ISO__TRY(iso__codec_text_unpack(p->session, m->session, sizeof(m->session)));
    return iso__codec_text_unpack(p->control_layout, m->control_layout, sizeof(m->control_layout));
}

PACK(refusal) {
    ISO__ASSERT_KIND(envelope, REFUSAL);
    ISO__NEW(arena, Refusal, refusal, p);
    envelope->refusal = p;
    ISO__TRY(iso__codec_code_pack(m->code, &p->code));
    ISO__TRY(iso__codec_text_pack(m->text, sizeof(m->text), &p->text));
    return iso__codec_text_pack(m->expected, sizeof(m->expected), &p->expected);
}

UNPACK(refusal) {
    ISO__ASSERT_KIND(envelope, REFUSAL);
    (void)arena;
    const Isostep__V1__Refusal *p = envelope->refusal;
    ISO__TRY(iso__codec_code_unpack(p->code, &m->code));
    ISO__TRY(iso__codec_text_unpack(p->text, m->text, sizeof(m->text)));
    return iso__codec_text_unpack(p->expected, m->expected, sizeof(m->expected));
}

PACK(snapshot_begin) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_BEGIN);
    ISO__NEW(arena, SnapshotBegin, snapshot_begin, p);
    p->tick = m->tick;
    p->epoch = m->epoch;
    p->raw_size = m->raw_size;
    p->size = m->size;
    p->compression = (Isostep__V1__Compression)m->compression;
    p->chunk_count = m->chunk_count;
    p->chunk_size = m->chunk_size;
    p->root = m->root;
    envelope->snapshot_begin = p;
    return ISO_OK;
}

UNPACK(snapshot_begin) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_BEGIN);
    (void)arena;
    const Isostep__V1__SnapshotBegin *p = envelope->snapshot_begin;
    if ((uint32_t)p->compression > UINT8_MAX) {
        return ISO_ERR_BAD_ENUM;
    }
    *m = (iso_message_snapshot_begin){
        .tick = p->tick,
        .epoch = p->epoch,
        .raw_size = p->raw_size,
        .size = p->size,
        .compression = (uint8_t)p->compression,
        .chunk_count = p->chunk_count,
        .chunk_size = p->chunk_size,
        .root = p->root,
    };
    return ISO_OK;
}

PACK(snapshot_chunk) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_CHUNK);
    ISO__NEW(arena, SnapshotChunk, snapshot_chunk, p);
    p->index = m->index;
    p->payload.len = m->size;
    p->payload.data = (uint8_t *)(uintptr_t)m->bytes;
    envelope->snapshot_chunk = p;
    return ISO_OK;
}

UNPACK(snapshot_chunk) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_CHUNK);
    (void)arena;
    const Isostep__V1__SnapshotChunk *p = envelope->snapshot_chunk;
    *m = (iso_message_snapshot_chunk){
        .index = p->index,
        .bytes = p->payload.data,
        .size = (uint32_t)p->payload.len,
    };
    return ISO_OK;
}

PACK(snapshot_ack) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_ACK);
    ISO__NEW(arena, SnapshotAck, snapshot_ack, p);
    p->index = m->index;
    envelope->snapshot_ack = p;
    return ISO_OK;
}

UNPACK(snapshot_ack) {
    ISO__ASSERT_KIND(envelope, SNAPSHOT_ACK);
    (void)arena;
    m->index = envelope->snapshot_ack->index;
    return ISO_OK;
}

PACK(caught_up) {
    ISO__ASSERT_KIND(envelope, CAUGHT_UP);
    ISO__NEW(arena, CaughtUp, caught_up, p);
    p->tick = m->tick;
    p->root = m->root;
    envelope->caught_up = p;
    return ISO_OK;
}

UNPACK(caught_up) {
    ISO__ASSERT_KIND(envelope, CAUGHT_UP);
    (void)arena;
    *m = (iso_message_caught_up){.tick = envelope->caught_up->tick, .root = envelope->caught_up->root};
    return ISO_OK;
}

PACK(activate) {
    ISO__ASSERT_KIND(envelope, ACTIVATE);
    ISO__NEW(arena, Activate, activate, p);
    p->slot = m->slot;
    p->slot_generation = m->slot_generation;
    p->join_tick = m->join_tick;
    envelope->activate = p;
    return ISO_OK;
}

UNPACK(activate) {
    ISO__ASSERT_KIND(envelope, ACTIVATE);
    (void)arena;
    const Isostep__V1__Activate *p = envelope->activate;
    ISO__TRY(iso__codec_slot_fits(p->slot));
    *m = (iso_message_activate){
        .slot = (uint8_t)p->slot,
        .slot_generation = p->slot_generation,
        .join_tick = p->join_tick,
    };
    return ISO_OK;
}

PACK(leave) {
    ISO__ASSERT_KIND(envelope, LEAVE);
    (void)m;
    ISO__NEW(arena, Leave, leave, p);
    envelope->leave = p;
    return ISO_OK;
}

UNPACK(leave) {
    ISO__ASSERT_KIND(envelope, LEAVE);
    (void)arena;
    (void)envelope;
    m->unused = 0;
    return ISO_OK;
}

PACK(bye) {
    ISO__ASSERT_KIND(envelope, BYE);
    ISO__NEW(arena, Bye, bye, p);
    envelope->bye = p;
    ISO__TRY(iso__codec_code_pack(m->code, &p->code));
    return iso__codec_text_pack(m->text, sizeof(m->text), &p->text);
}

UNPACK(bye) {
    ISO__ASSERT_KIND(envelope, BYE);
    (void)arena;
    ISO__TRY(iso__codec_code_unpack(envelope->bye->code, &m->code));
    return iso__codec_text_unpack(envelope->bye->text, m->text, sizeof(m->text));
}

PACK(desync_report) {
    ISO__ASSERT_KIND(envelope, DESYNC_REPORT);
    ISO__NEW(arena, DesyncReport, desync_report, p);
    p->tick = m->tick;
    p->root = m->root;
    envelope->desync_report = p;
    return ISO_OK;
}

UNPACK(desync_report) {
    ISO__ASSERT_KIND(envelope, DESYNC_REPORT);
    (void)arena;
    *m = (iso_message_desync_report){.tick = envelope->desync_report->tick, .root = envelope->desync_report->root};
    return ISO_OK;
}

PACK(desync_notice) {
    ISO__ASSERT_KIND(envelope, DESYNC_NOTICE);
    ISO__NEW(arena, DesyncNotice, desync_notice, p);
    p->slot = m->slot;
    p->tick = m->tick;
    p->expected_root = m->expected_root;
    p->actual_root = m->actual_root;
    p->action = (Isostep__V1__DesyncAction)m->action;
    envelope->desync_notice = p;
    return ISO_OK;
}

UNPACK(desync_notice) {
    ISO__ASSERT_KIND(envelope, DESYNC_NOTICE);
    (void)arena;
    const Isostep__V1__DesyncNotice *p = envelope->desync_notice;
    ISO__TRY(iso__codec_slot_fits(p->slot));
    if ((uint32_t)p->action > UINT8_MAX) {
        return ISO_ERR_BAD_ENUM;
    }
    *m = (iso_message_desync_notice){
        .slot = (uint8_t)p->slot,
        .tick = p->tick,
        .expected_root = p->expected_root,
        .actual_root = p->actual_root,
        .action = (uint8_t)p->action,
    };
    return ISO_OK;
}
