/// Which system calls the process can make when it serves: seccomp.
///
/// Others fail with EPERM. They do not end the process: a library's next version may try something new, and does
/// without it when it is refused, while a process that ends takes the sessions of all members with it. Code that an
/// attacker has brought in gains nothing from an error. Only what no library does by itself ends the process, since it
/// can only be such code: running another program, and reaching into another process. The kernel's audit log names the
/// call in both cases.
#include "host/start/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

/// The table: names, by what they are for. Those that a processor's kernel does not have are passed over: what ends in
/// 64 or 32 is of 32-bit ones.
static const char *const allowed[] = {
    // Connections that are there and those that are accepted. None is made, nothing is bound any more.
    "accept accept4 getpeername getsockname getsockopt recv recvfrom recvmmsg recvmsg setsockopt shutdown",
    // Waiting.
    "clock_nanosleep clock_nanosleep_time64 epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd2 "
    "nanosleep pause poll ppoll ppoll_time64 pselect6 pselect6_time64 restart_syscall select _newselect "
    "timerfd_create timerfd_gettime timerfd_settime",
    // Files; which ones is landlock's.
    "_llseek access close close_range dup dup2 dup3 faccessat faccessat2 fallocate fchmod fchown "
    "fdatasync flock fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 getdents "
    "getdents64 linkat lseek lstat lstat64 newfstatat open openat pipe pipe2 pread64 preadv preadv2 pwrite64 "
    "pwritev pwritev2 read readlink readlinkat readv rename renameat renameat2 stat stat64 statfs statfs64 statx "
    "sync_file_range umask unlink unlinkat utimensat utimensat_time64 write writev",
    // Memory, but for what can be run (below).
    "brk madvise membarrier mincore mremap munmap",
    // Threads that are there.
    "exit exit_group futex futex_time64 futex_waitv get_robust_list getcpu getpriority gettid rseq "
    "sched_getaffinity sched_getparam sched_getscheduler sched_yield set_robust_list set_tid_address",
    // Signals, the clock, and what the process is.
    "clock_getres clock_getres_time64 clock_gettime clock_gettime64 getegid getegid32 geteuid geteuid32 getgid "
    "getgid32 getpgid getpgrp getpid getppid getrandom getrlimit getrusage getsid gettimeofday getuid getuid32 "
    "rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 "
    "sigaltstack sigreturn sysinfo time times ugetrlimit uname",
};

static const char fatal[] =
    "execve execveat kexec_file_load kexec_load pidfd_getfd process_vm_readv process_vm_writev ptrace";

/// @return 0 or a negative errno value
static int add(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned count,
               const struct scmp_arg_cmp *arguments) {
    const int call = seccomp_syscall_resolve_name(name);
    return call < 0 ? 0 : seccomp_rule_add_array(filter, action, call, count, arguments);
}

/// @param names  with a space between them @return as above
static int add_all(scmp_filter_ctx filter, uint32_t action, const char *names) {
    char name[32];
    int error = 0;
    for (int size; error == 0 && sscanf(names, "%31s%n", name, &size) == 1; names += size) {
        error = add(filter, action, name, 0, NULL);
    }
    return error;
}

/// Memory that is both written and run is how code is brought in. @return as above
static int add_memory(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp cannot_be_run = {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
    int error = add(filter, SCMP_ACT_ALLOW, "mmap", 1, &cannot_be_run);
    error = error != 0 ? error : add(filter, SCMP_ACT_ALLOW, "mmap2", 1, &cannot_be_run);
    return error != 0 ? error : add(filter, SCMP_ACT_ALLOW, "mprotect", 1, &cannot_be_run);
}

/// abort() signals the process itself. @return as above
static int add_own(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp self = {0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0};
    const struct scmp_arg_cmp reads_limits = {2, SCMP_CMP_EQ, 0, 0};
    const struct scmp_arg_cmp own_priority[] = {{0, SCMP_CMP_EQ, PRIO_PROCESS, 0}, {1, SCMP_CMP_EQ, 0, 0}};
    int error = add(filter, SCMP_ACT_ALLOW, "tgkill", 1, &self);
    error = error != 0 ? error : add(filter, SCMP_ACT_ALLOW, "setpriority", 2, own_priority);
    error = error != 0 ? error : add(filter, SCMP_ACT_ALLOW, "prlimit64", 1, &reads_limits);
    // As of a kernel that does not have it: the C library then falls back, to what is refused in turn.
    return error != 0 ? error : add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
}

/// Sending connects with MSG_FASTOPEN: a listener that was shut down would do as the socket that cannot be made.
/// @return as above
static int add_sending(scmp_filter_ctx filter) {
    static const struct {
        const char *name;
        unsigned flags; // where the flags stand
    } calls[] = {{"send", 3}, {"sendto", 3}, {"sendmsg", 2}, {"sendmmsg", 3}};
    int error = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0] && error == 0; ++i) {
        const struct scmp_arg_cmp only_sends = SCMP_CMP(calls[i].flags, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0);
        error = add(filter, SCMP_ACT_ALLOW, calls[i].name, 1, &only_sends);
    }
    return error;
}

/// What is asked of files. F_SETOWN and F_SETSIG would send any signal to any process of this user. @return as above
static int add_file_controls(scmp_filter_ctx filter) {
    static const int controls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,  F_SETFD,     F_GETFL,     F_SETFL,
                                   F_GETLK, F_SETLK,         F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
    int error = 0;
    for (size_t i = 0; i < sizeof controls / sizeof controls[0] && error == 0; ++i) {
        const struct scmp_arg_cmp one = {1, SCMP_CMP_EQ, (scmp_datum_t)controls[i], 0};
        error = add(filter, SCMP_ACT_ALLOW, "fcntl", 1, &one);
        error = error != 0 ? error : add(filter, SCMP_ACT_ALLOW, "fcntl64", 1, &one);
    }
    return error;
}

/// What is asked of sockets and terminals. Others would type into the terminal that the server was started from.
/// @return as above
static int add_controls(scmp_filter_ctx filter) {
    static const unsigned long controls[] = {FIONBIO, FIONREAD, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ};
    int error = 0;
    for (size_t i = 0; i < sizeof controls / sizeof controls[0] && error == 0; ++i) {
        const struct scmp_arg_cmp one = {1, SCMP_CMP_EQ, controls[i], 0};
        error = add(filter, SCMP_ACT_ALLOW, "ioctl", 1, &one);
    }
    return error;
}

/// @return as above
static int fill(scmp_filter_ctx filter) {
    int error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    // Without these it confines as well.
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_LOG, 1);
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    (void)seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0] && error == 0; ++i) {
        error = add_all(filter, SCMP_ACT_ALLOW, allowed[i]);
    }
    error = error != 0 ? error : add_all(filter, SCMP_ACT_KILL_PROCESS, fatal);
    error = error != 0 ? error : add_memory(filter);
    error = error != 0 ? error : add_controls(filter);
    error = error != 0 ? error : add_file_controls(filter);
    error = error != 0 ? error : add_sending(filter);
    return error != 0 ? error : add_own(filter);
}

/// Whether the kernel has filters for all threads at once. An emulator may not, whatever is below it.
static bool has_filters(void) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) != 0 && errno == EFAULT;
}

bool iso__sandbox_confine_calls(iso__sandbox *sandbox) {
    ISO_ASSERT(!sandbox->lacks_calls); // once
    sandbox->lacks_calls = !has_filters();
    if (sandbox->lacks_calls) {
        return true;
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int error = filter == NULL ? -ENOMEM : fill(filter);
    if (error == 0) {
        error = seccomp_load(filter);
    }
    if (filter != NULL) {
        seccomp_release(filter);
    }
    if (error != 0) {
        iso__log_error("the process cannot be confined to its system calls by seccomp: %s; --no-sandbox runs without",
                       strerror(-error));
    }
    return error == 0;
}
