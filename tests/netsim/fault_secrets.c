/// Somebody who has an old secret of a member's, one that was voided when its owner used a newer one: it must not get
/// in.
#include <string.h>

#include "sim.h"

void secrets_shown(sim *s, uint32_t link, const iso_message_welcome *welcome) {
    sim_client *c = &s->clients[s->links[link].client];
    if (welcome->slot == ISO_SLOT_NONE) {
        return;
    }
    sim_secret *secret = &c->secrets[c->secret_count++ % SIM_SECRETS_MAX];
    *secret = (sim_secret){.link = link, .slot = welcome->slot, .generation = welcome->slot_generation};
    memcpy(secret->bytes, welcome->secret, sizeof secret->bytes);
}

static const sim_secret *secrets_of_link(const sim_client *c, uint32_t link) {
    const uint32_t count = c->secret_count < SIM_SECRETS_MAX ? c->secret_count : SIM_SECRETS_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        if (c->secrets[i].link == link) {
            return &c->secrets[i];
        }
    }
    return NULL;
}

void secrets_used(sim *s, uint32_t link) {
    if (!s->links[link].is_activated) {
        return;
    }
    sim_client *c = &s->clients[s->links[link].client];
    const sim_secret *used = secrets_of_link(c, link);
    for (uint32_t i = 0; i < SIM_SECRETS_MAX && used != NULL; ++i) {
        // One that was not used yet is given again.
        sim_secret *secret = &c->secrets[i];
        const bool other = secret->slot == used->slot && secret->generation == used->generation &&
                           memcmp(secret->bytes, used->bytes, sizeof used->bytes) != 0;
        secret->voided_by = secret->link < link && other ? s->server.incarnation : secret->voided_by;
    }
}

/// @return a secret that the present server knows to be void, of a member that is there; NULL: there is none
static const sim_secret *secrets_find_old(const sim *s, const sim_client *c) {
    const sim_member *m = c->member == SIM_NONE ? NULL : &s->members[c->member];
    const uint32_t count = c->secret_count < SIM_SECRETS_MAX ? c->secret_count : SIM_SECRETS_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const sim_secret *secret = &c->secrets[i];
        if (m != NULL && m->is_present && secret->voided_by == s->server.incarnation && secret->slot == m->slot &&
            secret->generation == m->generation) {
            return secret;
        }
    }
    return NULL;
}

static uint32_t secrets_make_thief(sim *s) {
    if (s->client_count == SIM_CLIENTS_MAX) {
        return SIM_NONE;
    }
    sim_client *thief = &s->clients[s->client_count];
    thief->is_used = thief->is_connected = true;
    thief->bot = SIM_BOT_THIEF;
    thief->member = thief->spare = thief->seat = SIM_NONE;
    return s->client_count++;
}

static void secrets_try(sim *s, const sim_client *victim, const sim_secret *secret) {
    const uint32_t thief = secrets_make_thief(s);
    if (thief == SIM_NONE || s->link_count == SIM_LINKS_MAX) {
        return;
    }
    iso_message message = {.kind = ISO_MESSAGE_HELLO, .as.hello = victim->hello};
    iso_resume *resume = &message.as.hello.resume;
    message.as.hello.has_resume = true;
    *resume = (iso_resume){.slot = secret->slot,
                           .slot_generation = secret->generation,
                           .epoch = s->epoch,
                           .tick = s->shown_tick,
                           .root = s->ticks[s->shown_tick].root};
    memcpy(resume->uid, s->config.uid, sizeof resume->uid);
    memcpy(resume->secret, secret->bytes, sizeof resume->secret);
    sim_log(s, "client %u comes with an old secret of client %u", thief, (uint32_t)(victim - s->clients));
    s->clients[thief].link = net_open(s, thief);
    client_put(s, thief, s->clients[thief].link, &message);
}

void secrets_steal(sim *s) {
    if (!s->server.is_up || s->server.is_shutting_down || s->server.is_closed) {
        return;
    }
    for (uint32_t i = 0; i < s->client_count; ++i) {
        const sim_client *c = &s->clients[i];
        const sim_secret *secret = client_is_wild(c) ? NULL : secrets_find_old(s, c);
        if (secret != NULL) {
            secrets_try(s, c, secret);
            return;
        }
    }
}

/// What the session answers to such a one.
void secrets_answered(sim *s, uint32_t link, const iso_message *message) {
    const uint32_t client = s->links[link].client;
    SIM_CHECK(s, message->kind != ISO_MESSAGE_WELCOME, "client %u gets in with an old secret", client);
    s->totals.old_secrets += message->kind == ISO_MESSAGE_REFUSAL && message->as.refusal.code == ISO_ERR_NO_RESUME;
}

void secrets_plan(sim *s) {
    const uint64_t tries = sim_random_one_in(&s->trouble, 3) ? sim_random_below(&s->trouble, 4) : 0;
    for (uint64_t i = 0; i < tries; ++i) {
        sim_schedule(s, sim_random_below(&s->trouble, s->shutdown_ns), (sim_event){.kind = SIM_STEAL});
    }
}
