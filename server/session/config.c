/// The range of a session's configuration, and the memory that it needs.
#include "config.h"

#include "isostep/assert.h"

#include "state.h"

iso_session_config iso_session_config_default(void) {
    return (iso_session_config){
        .name = "main",
        .epoch = 1,
        .late_policy = ISO_LATE_MOVE,
        .desync_policy = ISO_DESYNC_HEAL,
        .empty_policy = ISO_EMPTY_PAUSE,
        .empty_ms = 10000,
        .hold_ms = 45000,
        .memory_max = 64u << 20,
        .connection_capacity = 256,
        .spectator_capacity = 64,
        .ring_ticks = 4096,
        .ring_bytes = 8u << 20,
        .keyframe_interval = ISO_RECORDING_KEYFRAME_INTERVAL,
        .hello_timeout_ms = 5000,
        .silence_timeout_ms = 30000,
        .client_silence_ms = 3000,
        .join_timeout_ms = 20000,
        .shutdown_timeout_ms = 5000,
        .status_interval_ms = 200,
        .commands_per_tick = 4,
        .commands_burst = 32,
        .bytes_per_second = 16384,
        .late_ticks_max = 8,
        .future_ticks_max = 120,
        .unacked_ticks_max = 300,
        .queued_bytes_max = 256u << 10,
        .catch_up_ticks_max = 4,
    };
}

static bool config_within(uint32_t value, uint32_t min, uint32_t max) {
    return value >= min && value <= max;
}

static bool config_name_is_good(const char *name) {
    uint32_t length = 0;
    for (; length <= ISO_SESSION_NAME_MAX && name[length] != 0; ++length) {
        const char c = name[length];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
            return false;
        }
    }
    return config_within(length, 1, ISO_SESSION_NAME_MAX);
}

static bool config_policies_are_good(const iso_session_config *config) {
    return config_within(config->late_policy, ISO_LATE_MOVE, ISO_LATE_STRICT) &&
           config_within(config->desync_policy, ISO_DESYNC_HEAL, ISO_DESYNC_IGNORE) &&
           config->empty_policy <= ISO_EMPTY_CLOSE && config->epoch > 0 && config->run <= ISO_SESSION_RUN_MAX &&
           config->run_before <= ISO_RECORDING_RUN_MAX;
}

static bool config_times_are_good(const iso_session_config *config) {
    const uint32_t hour_ms = 3600u * 1000u;
    return config_within(config->empty_ms, 1, hour_ms) && config_within(config->hold_ms, 1, hour_ms) &&
           config_within(config->hello_timeout_ms, 1, hour_ms) &&
           config_within(config->silence_timeout_ms, 1, hour_ms) &&
           config_within(config->client_silence_ms, 1, hour_ms) && config_within(config->join_timeout_ms, 1, hour_ms) &&
           config_within(config->shutdown_timeout_ms, 1, hour_ms) &&
           config_within(config->status_interval_ms, 100, 250);
}

bool iso__config_is_good(const iso_session_config *config) {
    ISO_ASSERT(config != NULL);
    return config_name_is_good(config->name) && config_policies_are_good(config) && config_times_are_good(config) &&
           config_within(config->connection_capacity, 1, 1024) && config->spectator_capacity <= 1024 &&
           config->player_max <= ISO_SLOT_COUNT_MAX && config_within(config->ring_ticks, 256, 1u << 20) &&
           (config->ring_ticks & (config->ring_ticks - 1u)) == 0 &&
           config_within(config->ring_bytes, 1u << 20, 1u << 30) &&
           config_within(config->keyframe_interval, 1, 1u << 20) && config_within(config->commands_per_tick, 1, 64) &&
           config_within(config->commands_burst, 1, 1024) && config_within(config->bytes_per_second, 4096, 1u << 24) &&
           config->late_ticks_max <= 64 && config_within(config->future_ticks_max, 1, 1024) &&
           config_within(config->unacked_ticks_max, 1, config->ring_ticks - 1u) &&
           config->queued_bytes_max >= 4u * ISO_SNAPSHOT_CHUNK_SIZE && config_within(config->catch_up_ticks_max, 1, 64);
}

uint64_t iso_session_image_memory(const iso_world_def *def, const iso_game *game) {
    ISO_ASSERT(def != NULL);
    const uint64_t world = iso_world_size(def, game);
    // A snapshot contains the world's block without derived data; compressed it is a little larger at most.
    return ISO__IMAGES * (2u * world + world / 128u + 8192u);
}

uint64_t iso_session_memory(const iso_session_config *config, const iso_world_def *def, const iso_game *game) {
    ISO_ASSERT(config != NULL && def != NULL);
    const uint64_t world = iso_world_size(def, game);
    if (!iso__config_is_good(config) || world == 0) {
        return 0;
    }
    const uint64_t places = config->connection_capacity + ISO__REFUSED_MAX;
    const uint64_t per_place = sizeof(iso__connection) + 2u * sizeof(uint32_t) + sizeof(uint64_t);
    if (world > UINT64_MAX / 8u) {
        return world; // no machine has so much, and the sum below would wrap
    }
    return sizeof(iso_session) + places * per_place + def->slot_capacity * sizeof(iso__member) +
           ISO_TICK_COMMANDS_MAX * (sizeof(iso_sealed_command) + sizeof(iso__canonical)) + ISO__CANONICAL_MAX +
           config->ring_bytes + config->ring_ticks * sizeof(iso__sealed_tick) + iso_session_image_memory(def, game) +
           world;
}
