/// Resuming, the state of a session, notices and the list of sessions between plain structs and protobuf-c's.
#include <string.h>

#include "codec/internal.h"

#define PACK(snake)                                                                             \
    iso_status iso__codec_##snake##_pack(iso__codec_arena *arena, const iso_message_##snake *m, \
                                         Isostep__V1__Envelope *envelope)
#define UNPACK(snake)                                                                                      \
    iso_status iso__codec_##snake##_unpack(iso__codec_arena *arena, const Isostep__V1__Envelope *envelope, \
                                           iso_message_##snake *m)

PACK(rewind) {
    ISO__ASSERT_KIND(envelope, REWIND);
    ISO__NEW(arena, Rewind, rewind, p);
    p->tick = m->tick;
    p->root = m->root;
    p->epoch = m->epoch;
    envelope->rewind = p;
    return ISO_OK;
}

UNPACK(rewind) {
    ISO__ASSERT_KIND(envelope, REWIND);
    (void)arena;
    const Isostep__V1__Rewind *p = envelope->rewind;
    *m = (iso_message_rewind){.tick = p->tick, .root = p->root, .epoch = p->epoch};
    return ISO_OK;
}

PACK(rewind_answer) {
    ISO__ASSERT_KIND(envelope, REWIND_ANSWER);
    ISO__NEW(arena, RewindAnswer, rewind_answer, p);
    p->restored = m->is_restored;
    envelope->rewind_answer = p;
    return ISO_OK;
}

UNPACK(rewind_answer) {
    ISO__ASSERT_KIND(envelope, REWIND_ANSWER);
    (void)arena;
    m->is_restored = envelope->rewind_answer->restored != 0;
    return ISO_OK;
}

PACK(state_notice) {
    ISO__ASSERT_KIND(envelope, STATE_NOTICE);
    ISO__NEW(arena, StateNotice, state_notice, p);
    p->state = (Isostep__V1__SessionState)m->state;
    p->tick = m->tick;
    p->late_policy = (Isostep__V1__LatePolicy)m->late_policy;
    envelope->state_notice = p;
    return iso__codec_code_pack(m->code, &p->code);
}

UNPACK(state_notice) {
    ISO__ASSERT_KIND(envelope, STATE_NOTICE);
    (void)arena;
    const Isostep__V1__StateNotice *p = envelope->state_notice;
    ISO__TRY(iso__codec_enum_unpack((int)p->state, &m->state));
    ISO__TRY(iso__codec_enum_unpack((int)p->late_policy, &m->late_policy));
    m->tick = p->tick;
    return iso__codec_code_unpack(p->code, &m->code);
}

PACK(notice) {
    ISO__ASSERT_KIND(envelope, NOTICE);
    ISO__NEW(arena, Notice, notice, p);
    p->deadline_ms = m->deadline_ms;
    envelope->notice = p;
    return iso__codec_text_pack(m->text, sizeof(m->text), &p->text);
}

UNPACK(notice) {
    ISO__ASSERT_KIND(envelope, NOTICE);
    (void)arena;
    m->deadline_ms = envelope->notice->deadline_ms;
    return iso__codec_text_unpack(envelope->notice->text, m->text, sizeof(m->text));
}

PACK(list) {
    ISO__ASSERT_KIND(envelope, LIST);
    (void)m;
    ISO__NEW(arena, List, list, p);
    envelope->list = p;
    return ISO_OK;
}

UNPACK(list) {
    ISO__ASSERT_KIND(envelope, LIST);
    (void)arena;
    (void)envelope;
    m->unused = 0;
    return ISO_OK;
}

static iso_status session_info_pack(iso__codec_arena *arena, const iso_session_info *info,
                                    Isostep__V1__SessionInfo **packed) {
    ISO__NEW(arena, SessionInfo, session_info, p);
    p->state = (Isostep__V1__SessionState)info->state;
    p->members = info->members;
    p->slots = info->slots;
    p->spectators = info->spectators;
    p->tick = info->tick;
    p->tick_rate_hz = info->tick_rate_hz;
    *packed = p;
    ISO__TRY(iso__codec_text_pack(info->name, sizeof(info->name), &p->name));
    return iso__codec_text_pack(info->game, sizeof(info->game), &p->game);
}

static iso_status session_info_unpack(const Isostep__V1__SessionInfo *p, iso_session_info *info) {
    if (p->tick_rate_hz > UINT16_MAX) {
        return ISO_ERR_RANGE;
    }
    *info = (iso_session_info){
        .members = p->members,
        .slots = p->slots,
        .spectators = p->spectators,
        .tick = p->tick,
        .tick_rate_hz = (uint16_t)p->tick_rate_hz,
    };
    ISO__TRY(iso__codec_enum_unpack((int)p->state, &info->state));
    ISO__TRY(iso__codec_text_unpack(p->name, info->name, sizeof(info->name)));
    return iso__codec_text_unpack(p->game, info->game, sizeof(info->game));
}

PACK(session_list) {
    ISO__ASSERT_KIND(envelope, SESSION_LIST);
    ISO__NEW(arena, SessionList, session_list, p);
    p->sessions = iso__codec_arena_take(arena, m->count * sizeof(*p->sessions));
    if (p->sessions == NULL) {
        return ISO_ERR_BUFFER;
    }
    p->n_sessions = m->count;
    for (uint32_t i = 0; i < m->count; ++i) {
        ISO__TRY(session_info_pack(arena, &m->sessions[i], &p->sessions[i]));
    }
    envelope->session_list = p;
    return ISO_OK;
}

UNPACK(session_list) {
    ISO__ASSERT_KIND(envelope, SESSION_LIST);
    const Isostep__V1__SessionList *p = envelope->session_list;
    if (p->n_sessions > ISO_SESSION_LIST_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_session_info *sessions = iso__codec_arena_take(arena, p->n_sessions * sizeof(*sessions));
    if (sessions == NULL) {
        return ISO_ERR_BUFFER;
    }
    for (size_t i = 0; i < p->n_sessions; ++i) {
        ISO__TRY(session_info_unpack(p->sessions[i], &sessions[i]));
    }
    *m = (iso_message_session_list){.sessions = sessions, .count = (uint32_t)p->n_sessions};
    return ISO_OK;
}
