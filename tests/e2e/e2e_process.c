/// Servers and programs as processes: starting, waiting, ending, and reading what they have printed.
#include "e2e.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t e2e_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * E2E_S + (uint64_t)now.tv_nsec;
}

void e2e_sleep_ms(uint64_t ms) {
    poll(NULL, 0, (int)ms);
}

/// A test that is killed must not leave its programs behind: they end after as long as the longest test may last.
static unsigned program_seconds = 120;

void e2e_limit_seconds(unsigned seconds) {
    alarm(seconds);
    program_seconds = seconds > program_seconds ? seconds : program_seconds;
}

/// Starts a program with its output going to `out` and `err`.
static pid_t spawn(const char *program, const char *const *arguments, int out, int err) {
    const char *argv[64] = {program};
    size_t count = 1;
    for (; arguments != NULL && *arguments != NULL && count < 63; ++arguments) {
        argv[count++] = *arguments;
    }
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        alarm(program_seconds);
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    return pid;
}

static const char *read_log(const e2e_server *server) {
    static char log[1 << 20];
    int fd = open(server->log_path, O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, log, sizeof log - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    log[size > 0 ? size : 0] = '\0';
    return log;
}

bool e2e_server_has_logged(const e2e_server *server, const char *text) {
    return strstr(read_log(server), text) != NULL;
}

unsigned e2e_server_count_logged(const e2e_server *server, const char *text) {
    unsigned count = 0;
    for (const char *at = strstr(read_log(server), text); at != NULL; at = strstr(at + 1, text)) {
        ++count;
    }
    return count;
}

/// Reads what has come of the line `ready`. @return whether it is whole
static bool read_ready_line(e2e_server *server) {
    size_t size = strlen(server->ready);
    ssize_t count = 1;
    while (size + 1 < sizeof server->ready && (count = read(server->ready_fd, server->ready + size, 1)) == 1 &&
           server->ready[size] != '\n') {
        ++size;
    }
    const bool whole = server->ready[size] == '\n';
    server->ready[size] = '\0';
    if (!whole && (count == 0 || size + 1 == sizeof server->ready)) {
        fail_msg("the server did not get ready: '%s'; it says: %s", server->ready, read_log(server));
    }
    return whole;
}

bool e2e_server_is_ready(e2e_server *server, uint64_t timeout_us) {
    uint64_t now = e2e_now_ns(), deadline = now + timeout_us * 1000;
    while (server->ready_fd >= 0 && !read_ready_line(server)) {
        now = e2e_now_ns();
        if (now >= deadline) {
            return false;
        }
        struct pollfd wait = {.fd = server->ready_fd, .events = POLLIN};
        const struct timespec left = {.tv_sec = (time_t)((deadline - now) / E2E_S),
                                      .tv_nsec = (long)((deadline - now) % E2E_S)};
        ppoll(&wait, 1, &left, NULL);
    }
    if (server->ready_fd < 0) {
        return true;
    }
    close(server->ready_fd);
    server->ready_fd = -1;
    unsigned port = 0;
    if (sscanf(server->ready, "ready tcp=127.0.0.1:%u session=", &port) != 1) {
        fail_msg("the server did not get ready: '%s'; it says: %s", server->ready, read_log(server));
    }
    server->port = (uint16_t)port;
    return true;
}

static void spawn_server(e2e_server *server, const char *program, const char *shell, const char *const *arguments) {
    char script[640];
    snprintf(script, sizeof script, "%s; exec \"$0\" \"$@\"", shell);
    const char *all[64] = {"-c", script, program, "--tcp", "127.0.0.1:0", "--scene", E2E_SCENE};
    size_t count = 7;
    for (; arguments != NULL && *arguments != NULL && count < 63; ++arguments) {
        all[count++] = *arguments;
    }
    memset(server, 0, sizeof *server);
    strcpy(server->log_path, "/tmp/isostep-e2e-XXXXXX");
    int log = mkstemp(server->log_path);
    int pipes[2];
    assert_true(log >= 0);
    assert_int_equal(pipe(pipes), 0);
    fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    server->pid = spawn("/bin/sh", all, pipes[1], log);
    server->ready_fd = pipes[0];
    close(pipes[1]);
    close(log);
}

void e2e_server_spawn(e2e_server *server, const char *program, const char *const *arguments) {
    spawn_server(server, program, ":", arguments);
}

void e2e_server_start(e2e_server *server, const char *const *arguments) {
    e2e_server_start_within(server, ":", arguments);
}

void e2e_server_start_within(e2e_server *server, const char *shell, const char *const *arguments) {
    spawn_server(server, E2E_SERVER, shell, arguments);
    if (!e2e_server_is_ready(server, 30 * 1000 * 1000)) {
        fail_msg("the server did not get ready within 30 s: '%s'; it says: %s", server->ready, read_log(server));
    }
}

/// Kills it when it takes longer. @param code  its exit code, -1 for one that a signal has ended @return whether in
/// time
static bool has_ended_within(pid_t pid, uint64_t timeout_ms, int *code) {
    uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    int status = 0;
    bool is_late = false;
    while (!is_late && waitpid(pid, &status, WNOHANG) == 0) {
        is_late = e2e_now_ns() > deadline;
        e2e_sleep_ms(5);
    }
    if (is_late) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return !is_late;
}

static int wait_for(pid_t pid, uint64_t timeout_ms) {
    int code;
    if (!has_ended_within(pid, timeout_ms, &code)) {
        fail_msg("process %d did not end within %u ms", (int)pid, (unsigned)timeout_ms);
    }
    return code;
}

int e2e_server_stop(e2e_server *server, int signal) {
    char log[1];
    return e2e_server_stop_and_read(server, signal, log, sizeof log);
}

int e2e_server_stop_and_read(e2e_server *server, int signal, char *log, size_t capacity) {
    kill(server->pid, signal);
    int code;
    const bool is_in_time = has_ended_within(server->pid, 12000, &code);
    const char *text = read_log(server);
    if (!is_in_time) {
        fail_msg("the server did not end within 12 s; it says: %s", text);
    }
    size_t size = strnlen(text, capacity - 1);
    memcpy(log, text, size);
    log[size] = '\0';
    unlink(server->log_path);
    if (server->ready_fd >= 0) {
        close(server->ready_fd);
    }
    server->ready_fd = -1;
    return code;
}

int e2e_run(const char *program, const char *const *arguments, char *output, size_t capacity) {
    return e2e_run_within(program, arguments, output, capacity, 30000);
}

int e2e_run_within(const char *program, const char *const *arguments, char *output, size_t capacity,
                   uint64_t timeout_ms) {
    char path[] = "/tmp/isostep-e2e-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    int code = wait_for(spawn(program, arguments, file, file), timeout_ms);
    ssize_t size = pread(file, output, capacity - 1, 0);
    output[size > 0 ? size : 0] = '\0';
    close(file);
    unlink(path);
    return code;
}

uint16_t e2e_port_reserve(void) {
    // Two sockets may be bound to one port if both say so and only one listens; who asks for any free port is not given
    // it.
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

void e2e_folder_make(char *path) {
    strcpy(path, "/tmp/isostep-e2e-XXXXXX");
    assert_non_null(mkdtemp(path));
}

bool e2e_folder_find(const char *folder, const char *end, char *path, size_t capacity) {
    DIR *dir = opendir(folder);
    unsigned found = 0;
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
        size_t size = strlen(entry->d_name), end_size = strlen(end);
        if (size < end_size || strcmp(entry->d_name + size - end_size, end) != 0) {
            continue;
        }
        snprintf(path, capacity, "%s/%s", folder, entry->d_name);
        ++found;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return found == 1;
}

void e2e_folder_remove(const char *folder) {
    char path[512];
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            unlink(path);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    rmdir(folder);
}

void e2e_skip_without_memory(void) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip(); // its shadow is terabytes of memory to look through, and it keeps what was freed
#endif
}

unsigned e2e_server_count_in_memory(const e2e_server *server, const char *text) {
    return e2e_server_count_bytes(server, text, strlen(text));
}

unsigned e2e_server_count_bytes(const e2e_server *server, const void *what, size_t size) {
    const pid_t pid = server->pid;
    static char bytes[1 << 20];
    char path[64], line[512];
    unsigned count = 0, place_count = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    const int memory = open(path, O_RDONLY);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    if (memory < 0 || maps == NULL) {
        print_message("skipped: the memory of another process cannot be read here; that takes root\n");
        skip();
    }
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin = 0, end = 0;
        if (sscanf(line, "%lx-%lx rw", &begin, &end) != 2 || strstr(line, " rw") == NULL) {
            continue;
        }
        // Pieces that overlap by what is looked for.
        for (unsigned long at = begin; at < end; at += sizeof bytes - size) {
            const size_t wanted = end - at < sizeof bytes ? end - at : sizeof bytes;
            const ssize_t got = pread(memory, bytes, wanted, (off_t)at);
            place_count += got > 0;
            for (const char *hit = bytes;
                 got > 0 && (hit = memmem(hit, (size_t)(bytes + got - hit), what, size)) != NULL; hit += size) {
                ++count;
            }
        }
    }
    fclose(maps);
    close(memory);
    assert_true(place_count > 4);
    return count;
}
