/// What a confined process can still do, tried: each case is a child that confines itself as a server does, then tries
/// what is allowed and what is not, and says the first thing that went otherwise.
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/sandbox.h"
#include "host/start/sandbox_calls.h"
#include "host/start/sandbox_files.h"

static char folder[64]; // with rec/, scenes/ with two files, and other/ with one
static int said;        // a child's pipe

static const char *at(const char *name) {
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put(const char *name) {
    const int file = open(at(name), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "x", 1), 1);
    close(file);
}

static int setup(void **state) {
    (void)state;
    strcpy(folder, "/tmp/isostep-sandbox-XXXXXX");
    assert_non_null(mkdtemp(folder));
    mkdir(at("in"), 0700);
    mkdir(at("in/rec"), 0700);
    mkdir(at("scenes"), 0700);
    mkdir(at("other"), 0700);
    put("in/rec/old");
    put("scenes/one.json");
    put("scenes/two.json");
    put("other/secret");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : -1;
}

/// Runs one in a child. @param said_text  what it says @return as waitpid says
static int in_child(void (*run)(void), char *text, size_t size) {
    int pipes[2], status = 0;
    assert_int_equal(pipe(pipes), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGSYS, SIG_DFL);
        close(pipes[0]);
        said = pipes[1];
        dup2(said, STDERR_FILENO);
        run();
        _exit(0);
    }
    close(pipes[1]);
    size_t filled = 0;
    for (ssize_t got = 1; got > 0 && filled<size - 1; filled += got> 0 ? (size_t)got : 0) {
        got = read(pipes[0], text + filled, size - 1 - filled);
    }
    text[filled] = '\0';
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void run_whole(void (*run)(void)) {
    char text[1000];
    const int status = in_child(run, text, sizeof text);
    if (status != 0 || text[0] != '\0') {
        fail_msg("status %d: %s", status, text);
    }
}

/// In a child: says what went otherwise, and ends.
static void expect(const char *what, long result, int expected) {
    const int error = errno;
    if (expected == 0 ? result >= 0 : result < 0 && error == expected) {
        return;
    }
    dprintf(said, "%s: %s, expected %s\n", what, result >= 0 ? "done" : strerror(error),
            expected == 0 ? "done" : strerror(expected));
    _exit(1);
}

#define DONE(call)          expect(#call, (call), 0)
#define REFUSED(call, with) expect(#call, (call), with)

static iso__options options(void) {
    iso__options all;
    memset(&all, 0, sizeof all);
    all.record_dir = strdup(at("in/rec"));
    all.scene = strdup(at("scenes/one.json"));
    all.events_path = "-";
    all.sessions[0].scene = all.scene;
    all.session_count = 1;
    return all;
}

static void confine_files(void) {
    static iso__options all;
    iso__sandbox sandbox = {0};
    all = options();
    if (!iso__sandbox_confine_files(&sandbox, &all) || sandbox.lacks_files) {
        expect("landlock", -1, 0);
    }
}

// ---- files -----------------------------------------------------------------------------------------------

static void use_named_files(void) {
    const int opened = open(at("in/rec"), O_RDONLY | O_DIRECTORY);
    confine_files();
    DONE(openat(opened, "new", O_WRONLY | O_CREAT | O_EXCL, 0600));
    DONE(renameat2(opened, "new", opened, "renamed", RENAME_NOREPLACE));
    DONE(linkat(opened, "renamed", opened, "linked", 0));
    DONE(unlinkat(opened, "renamed", 0));
    DONE(open(at("in/rec/old"), O_RDWR | O_TRUNC));
    DONE(open(at("in/rec"), O_RDONLY | O_DIRECTORY));
    DONE(open(at("scenes/two.json"), O_RDONLY));
    DONE(open("/dev/null", O_RDWR));
    DONE(open("/dev/urandom", O_RDONLY));
}

static void named_files_can_be_used(void **state) {
    (void)state;
    run_whole(use_named_files);
}

static void try_other_files(void) {
    confine_files();
    REFUSED(open(at("other/secret"), O_RDONLY), EACCES);
    REFUSED(open(at("scenes/one.json"), O_RDWR), EACCES);
    REFUSED(open(at("scenes/new"), O_WRONLY | O_CREAT, 0600), EACCES);
    REFUSED(unlink(at("scenes/two.json")), EACCES);
    REFUSED(truncate(at("other/secret"), 0), EACCES);
    REFUSED(open("/etc/passwd", O_RDONLY), EACCES);
    REFUSED(open("/proc/self/mem", O_RDWR), EACCES);
    REFUSED(open("/", O_RDONLY | O_DIRECTORY), EACCES);
    REFUSED(open("/tmp/isostep-sandbox-new", O_WRONLY | O_CREAT, 0600), EACCES);
    REFUSED(mkdir(at("in/rec/folder"), 0700), EACCES);
    REFUSED(symlink("/etc/passwd", at("in/rec/link")), EACCES);
    REFUSED(rename(at("in/rec/old"), at("scenes/old")), EACCES);
    REFUSED(execl("/bin/true", "true", NULL), EACCES);
}

static void other_files_cannot_be_opened(void **state) {
    (void)state;
    run_whole(try_other_files);
}

static int turn[2][2]; // two pipes: to the child, and back

static void wait_for_new_folder(void) {
    char byte = 0;
    confine_files();
    DONE(write(turn[1][1], "c", 1));
    DONE(read(turn[0][0], &byte, 1));
    DONE(open(at("in/rec/new"), O_WRONLY | O_CREAT | O_EXCL, 0600));
    // The one that was there is known by itself.
    DONE(open(at("moved/new"), O_WRONLY | O_CREAT | O_EXCL, 0600));
}

/// What a shell does to the folder meanwhile.
static void *replace_folder(void *argument) {
    char byte = 0;
    (void)argument;
    if (read(turn[1][0], &byte, 1) == 1 && rename(at("in/rec"), at("moved")) == 0 && mkdir(at("in/rec"), 0700) == 0 &&
        write(turn[0][1], "n", 1) == 1) {
        return folder;
    }
    return NULL;
}

static void a_folder_that_is_made_again_can_be_used(void **state) {
    (void)state;
    pthread_t thread;
    void *is_done = NULL;
    assert_int_equal(pipe(turn[0]), 0);
    assert_int_equal(pipe(turn[1]), 0);
    assert_int_equal(pthread_create(&thread, NULL, replace_folder, NULL), 0);
    run_whole(wait_for_new_folder);
    pthread_join(thread, &is_done);
    assert_non_null(is_done);
}

static void use_events(void) {
    static iso__options all;
    iso__sandbox sandbox = {0};
    all.events_path = at("in/events.jsonl");
    all.scene = "sandbox";
    if (!iso__sandbox_confine_files(&sandbox, &all)) {
        _exit(1);
    }
    DONE(open(at("in/events.jsonl"), O_WRONLY | O_CREAT | O_APPEND, 0600)); // as after a rotation
    REFUSED(unlink(at("in/events.jsonl")), EACCES);
    REFUSED(open(at("in/rec"), O_RDONLY | O_DIRECTORY), EACCES);
}

static void a_log_can_be_opened_again_and_not_removed(void **state) {
    (void)state;
    run_whole(use_events);
}

static void use_device(void) {
    static iso__options all;
    iso__sandbox sandbox = {0};
    all.events_path = "/dev/null";
    all.record_dir = "/isostep-in-the-root-folder";
    all.scene = "sandbox";
    if (!iso__sandbox_confine_files(&sandbox, &all)) {
        _exit(1);
    }
    DONE(open("/dev/null", O_WRONLY | O_APPEND));
    REFUSED(open("/dev/zero", O_RDONLY), EACCES);
    REFUSED(open("/etc/passwd", O_RDONLY), EACCES);
}

static void a_device_or_the_root_gives_no_right_on_its_folder(void **state) {
    (void)state;
    run_whole(use_device);
}

// ---- calls -----------------------------------------------------------------------------------------------

static atomic_int stage;
static iso__sandbox sandbox_of_calls;

static void try_calls(void) {
    int status = 0;
    DONE(open("/dev/null", O_RDONLY));
    DONE(syscall(SYS_getrandom, &status, sizeof status, 0));
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect("mmap", page != MAP_FAILED ? 0 : -1, 0);
    DONE(munmap(page, 4096));
    DONE(ioctl(said, FIONREAD, &status));
    REFUSED(ioctl(said, TIOCSTI, "x"), EPERM);
    REFUSED(socket(AF_INET, SOCK_STREAM, 0), EPERM);
    REFUSED(socket(AF_UNIX, SOCK_STREAM, 0), EPERM);
    REFUSED(connect(said, NULL, 0), EPERM);
    REFUSED(syscall(SYS_bind, said, NULL, 0), EPERM);
    REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM);
    REFUSED(syscall(SYS_clone3, NULL, 0), ENOSYS);
    REFUSED(kill(getppid(), 0), EPERM);
    REFUSED(syscall(SYS_tgkill, getppid(), getppid(), 0), EPERM);
    REFUSED(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), EPERM);
    REFUSED(syscall(SYS_io_uring_setup, 1, NULL), EPERM);
    REFUSED(syscall(SYS_unshare, 0), EPERM);
    REFUSED(mprotect((void *)((uintptr_t)&stage & ~(uintptr_t)4095), 4096, PROT_READ | PROT_EXEC), EPERM);
    page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect("mmap for code", page != MAP_FAILED ? 0 : -1, EPERM);
}

static void *try_calls_beside(void *argument) {
    (void)argument;
    while (atomic_load(&stage) == 0) {
        usleep(1000);
    }
    try_calls();
    return NULL;
}

static void confine_calls(void) {
    if (!iso__sandbox_confine_calls(&sandbox_of_calls) || sandbox_of_calls.lacks_calls) {
        expect("seccomp", -1, 0);
    }
}

static void confine_all_threads(void) {
    pthread_t beside;
    pthread_create(&beside, NULL, try_calls_beside, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    confine_calls();
    try_calls();
    atomic_store(&stage, 1);
    pthread_join(beside, NULL);
}

static void other_calls_are_refused_in_all_threads(void **state) {
    (void)state;
    run_whole(confine_all_threads);
}

static void trace(void) {
    confine_calls();
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void run_another(void) {
    confine_calls();
    execl("/bin/true", "true", NULL);
}

static void running_or_tracing_a_program_ends_the_process(void **state) {
    (void)state;
    char text[1000];
    void (*const tries[])(void) = {trace, run_another};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; ++i) {
        const int status = in_child(tries[i], text, sizeof text);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSYS);
    }
}

static void fail_loudly(void) {
    confine_calls();
    abort();
}

static void a_confined_process_can_abort(void **state) {
    (void)state;
    char text[1000];
    const int status = in_child(fail_loudly, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void begin(void) {
    iso__sandbox_begin();
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) {
        _exit(1);
    }
}

static void memory_is_not_dumped(void **state) {
    (void)state;
    run_whole(begin);
}

// ---- what a kernel lacks -------------------------------------------------------------------------------

static void be_confined_and_report(void) {
    iso__sandbox sandbox = {0};
    static iso__options all;
    all = options();
    if (!iso__sandbox_confine_files(&sandbox, &all) || !iso__sandbox_confine_calls(&sandbox)) {
        _exit(1);
    }
    iso__sandbox_report(&sandbox);
}

/// A kernel without what the rules name. @param error  that landlock answers with, 0: it is there
static void lack(int files_error, bool lacks_calls) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    const struct scmp_arg_cmp is_filter = {0, SCMP_CMP_EQ, PR_SET_SECCOMP, 0};
    if (files_error != 0) {
        seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint16_t)files_error), SCMP_SYS(landlock_create_ruleset), 0);
    }
    if (lacks_calls) {
        seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(seccomp), 0);
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, &is_filter);
    }
    if (seccomp_load(filter) != 0) {
        _exit(1);
    }
    seccomp_release(filter);
    be_confined_and_report();
}

static void lack_files(void) {
    lack(EOPNOTSUPP, false);
}

static void lack_calls(void) {
    lack(0, true);
}

static void lack_both(void) {
    lack(ENOSYS, true);
}

static void what_the_kernel_lacks_is_said_in_one_line(void **state) {
    (void)state;
    char text[1000];
    if (in_child(be_confined_and_report, text, sizeof text) != 0) {
        fail_msg("%s", text);
    }
    assert_string_equal(text, "");
    const struct {
        void (*run)(void);
        const char *lacks;
    } cases[] = {
        {lack_files, "the kernel lacks landlock\n"},
        {lack_calls, "the kernel lacks filters of system calls (seccomp)\n"},
        {lack_both, "the kernel lacks landlock and filters of system calls (seccomp)\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (in_child(cases[i].run, text, sizeof text) != 0) {
            fail_msg("%s", text);
        }
        assert_non_null(strstr(text, cases[i].lacks));
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(named_files_can_be_used, setup, teardown),
        cmocka_unit_test_setup_teardown(other_files_cannot_be_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_that_is_made_again_can_be_used, setup, teardown),
        cmocka_unit_test_setup_teardown(a_log_can_be_opened_again_and_not_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_device_or_the_root_gives_no_right_on_its_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(other_calls_are_refused_in_all_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(running_or_tracing_a_program_ends_the_process, setup, teardown),
        cmocka_unit_test_setup_teardown(a_confined_process_can_abort, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_is_not_dumped, setup, teardown),
        cmocka_unit_test_setup_teardown(what_the_kernel_lacks_is_said_in_one_line, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
