/// Put in front of a server with LD_PRELOAD: a disk whose faults a test switches on and off.
///
/// The first byte of the file that E2E_DISK names says what the disk does: '.' works, 'h' hangs in writes,
/// 'y' hangs in syncs, 's' fails in syncs, 'f' is full, 'r' fails in reads of regular files, 'l' knows no locks, 'n'
/// says that it is NFS. Each failing sync is told on standard error, and whether it is of a file of which one had
/// failed before.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset);
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset);
int fdatasync(int file);
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);
int fcntl64(int file, int command, ...);

static char fault(void) {
    char byte = '.';
    const char *path = getenv("E2E_DISK");
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        if (syscall(SYS_read, file, &byte, 1) != 1) {
            byte = '.';
        }
        close(file);
    }
    return byte;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    while (fault() == 'h') {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (fault() == 'f') {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) {
    return pwrite(file, bytes, size, offset);
}

int fdatasync(int file) {
    static const char told[] = "faulty disk: a sync fails\n", told_again[] = "faulty disk: a sync fails again\n";
    static ino_t failed[64];
    static unsigned failed_count;
    while (fault() == 'y') {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (fault() != 's') {
        return (int)syscall(SYS_fdatasync, file);
    }
    struct stat info = {0};
    bool again = false;
    fstat(file, &info);
    for (unsigned i = 0; i < failed_count && i < 64; ++i) {
        again = again || failed[i] == info.st_ino;
    }
    failed[failed_count++ % 64] = info.st_ino;
    ssize_t written =
        again ? write(STDERR_FILENO, told_again, sizeof told_again - 1) : write(STDERR_FILENO, told, sizeof told - 1);
    (void)written;
    errno = EIO;
    return -1;
}

ssize_t read(int file, void *bytes, size_t size) {
    struct stat info;
    if (fault() == 'r' && fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_read, file, bytes, size);
}

/// What read is called in a hardened build, when the compiler knows of how much room there is.
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room) {
    (void)room;
    return read(file, bytes, size);
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    if (command == F_OFD_SETLK && fault() == 'l') {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_fcntl, file, command, argument);
}

int fcntl64(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return fcntl(file, command, argument);
}

int fstatfs(int file, struct statfs *info) {
    int result = (int)syscall(SYS_fstatfs, file, info);
    if (fault() == 'n') {
        info->f_type = 0x6969;
    }
    return result;
}
