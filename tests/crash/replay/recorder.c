/* Records every change to the files below one folder, in the order of the calls (LD_PRELOAD).

   RECORD_ROOT   the folder; files whose name ends in -shm are left out: SQLite makes them anew
   RECORD_TRACE  where records are appended; trace.py tells their form
   RECORD_ACKS   what is written to this path is recorded as an acknowledgement, and not written
   RECORD_KILL   if set: the process dies (SIGKILL) after so many records of its own

   What is written to RECORD_ACKS as "!A B" is an order: of the calls that this process makes below
   the folder from now on, those after the first A and before B fail: the disk is full.

   One lock, over all threads and processes, is held from a call's begin to the end of its record.
   So the trace is one sequence, and a flush covers what stands before it and nothing else. Flushes
   are recorded and not done: the disk is modelled, the real one need not wait. A call that changes
   files and is not modelled is recorded as '?', which makes the replay fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct __attribute__((packed)) {
    char kind;
    uint16_t path_size, other_size;
    uint64_t inode, offset, data_size;
} header;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *acks;
static size_t root_size;
static int trace = -1;
static long records, kill_after, calls, full_from, full_to;

__attribute__((constructor)) static void start(void) {
    root = getenv("RECORD_ROOT");
    acks = getenv("RECORD_ACKS");
    const char *path = getenv("RECORD_TRACE"), *count = getenv("RECORD_KILL");
    if (!root || !acks || !path) return;
    root_size = strlen(root);
    kill_after = count ? atol(count) : 0;
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Counts a call, and says whether it is to fail. The lock is held. */
static int is_full(void) {
    long call = calls++;
    if (call < full_from || call >= full_to) return 0;
    errno = ENOSPC;
    return 1;
}

static void order(const char *text, size_t size) {
    char copy[64] = "";
    memcpy(copy, text, size < sizeof copy ? size : sizeof copy - 1);
    long from = 0, to = 0;
    sscanf(copy, "!%ld %ld", &from, &to);
    full_from = calls + from;
    full_to = calls + to;
}

static void lock(void) {
    pthread_mutex_lock(&mutex);
    if (trace >= 0) flock(trace, LOCK_EX);
}

static void unlock(void) {
    int kept = errno;
    if (trace >= 0) flock(trace, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = kept;
}

static void record(char kind, const char *path, const char *other, uint64_t inode, uint64_t offset,
                   const void *data, size_t size) {
    int kept = errno;
    header head = {kind, (uint16_t)strlen(path), (uint16_t)strlen(other), inode, offset, size};
    struct iovec parts[4] = {{&head, sizeof head},
                             {(void *)path, head.path_size},
                             {(void *)other, head.other_size},
                             {(void *)data, size}};
    size_t whole = sizeof head + head.path_size + head.other_size + size;
    if (syscall(SYS_writev, trace, parts, 4) != (long)whole) abort();
    if (++records == kill_after) syscall(SYS_kill, getpid(), SIGKILL);
    errno = kept;
}

static int ends_in_shm(const char *path) {
    size_t size = strlen(path);
    return size > 4 && !strcmp(path + size - 4, "-shm");
}

static int is_below(const char *path) {
    return trace >= 0 && !strncmp(path, root, root_size) && path[root_size] == '/' &&
           !ends_in_shm(path);
}

/* The absolute path of `path`, seen from a folder's descriptor. */
static const char *absolute(int folder, const char *path, char *buffer) {
    if (trace < 0 || path[0] == '/') return path;
    char link[64];
    if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, buffer, PATH_MAX / 2);
    if (size < 0) return path;
    snprintf(buffer + size, PATH_MAX - (size_t)size, "/%s", path);
    return buffer;
}

static int path_of(int descriptor, char *buffer) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int kept = errno;
    ssize_t size = trace < 0 ? -1 : readlink(link, buffer, PATH_MAX - 1);
    errno = kept;
    if (size < 0) return 0;
    buffer[size] = 0;
    return 1;
}

static int is_file_below(int descriptor) {
    char path[PATH_MAX];
    return path_of(descriptor, path) && is_below(path);
}

static int is_acks(int descriptor) {
    char path[PATH_MAX];
    return path_of(descriptor, path) && !strcmp(path, acks);
}

static uint64_t inode_of(int descriptor) {
    struct stat found;
    int kept = errno;
    uint64_t inode = fstat(descriptor, &found) ? 0 : found.st_ino;
    errno = kept;
    return inode;
}

static uint64_t inode_at(const char *path) {
    struct stat found;
    int kept = errno;
    uint64_t inode = lstat(path, &found) ? 0 : found.st_ino;
    errno = kept;
    return inode;
}

static void unmodelled(const char *name) { record('?', name, "", 0, 0, "", 0); }

/* ---- opening: what is made, what is emptied */

static int do_open(int folder, const char *given, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = absolute(folder, given, buffer);
    int changes = flags & (O_CREAT | O_TRUNC | O_SYNC | O_DSYNC);
    int nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (!(changes || nameless) || !is_below(path))
        return (int)syscall(SYS_openat, folder, given, flags, mode);
    lock();
    int existed = !nameless && inode_at(path) != 0;
    int refused = (!existed || flags & O_TRUNC) && is_full();
    int descriptor = refused ? -1 : (int)syscall(SYS_openat, folder, given, flags, mode);
    if (descriptor >= 0) {
        if (flags & (O_SYNC | O_DSYNC) & ~O_TMPFILE) unmodelled("open with O_SYNC");
        if (!existed) record('c', nameless ? "" : path, "", inode_of(descriptor), 0, "", 0);
        else if (flags & O_TRUNC) record('t', path, "", inode_of(descriptor), 0, "", 0);
    }
    unlock();
    return descriptor;
}

#define MODE_OF(flags)                                               \
    mode_t mode = 0;                                                 \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                           \
        va_list rest;                                                \
        va_start(rest, flags);                                       \
        mode = va_arg(rest, mode_t);                                 \
        va_end(rest);                                                \
    }

int open(const char *path, int flags, ...) { MODE_OF(flags) return do_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return do_open(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE_OF(flags) return do_open(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE_OF(flags) return do_open(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char *path, int flags) { return do_open(folder, path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return do_open(folder, path, flags, 0); }
int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

/* ---- data */

ssize_t write(int descriptor, const void *data, size_t size) {
    int told = is_acks(descriptor);
    if (!told && !is_file_below(descriptor)) return syscall(SYS_write, descriptor, data, size);
    lock();
    ssize_t done = (ssize_t)size;
    if (!told) done = is_full() ? -1 : syscall(SYS_write, descriptor, data, size);
    if (told && size && *(const char *)data == '!') order(data, size);
    else if (told) record('a', "", "", 0, 0, data, size);
    else if (done > 0) {
        off_t end = lseek(descriptor, 0, SEEK_CUR);
        record('w', "", "", inode_of(descriptor), (uint64_t)(end - done), data, (size_t)done);
    }
    unlock();
    return done;
}

static ssize_t do_pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    if (!is_file_below(descriptor)) return syscall(SYS_pwrite64, descriptor, data, size, offset);
    lock();
    ssize_t done = is_full() ? -1 : syscall(SYS_pwrite64, descriptor, data, size, offset);
    if (done > 0) record('w', "", "", inode_of(descriptor), (uint64_t)offset, data, (size_t)done);
    unlock();
    return done;
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) { return do_pwrite(descriptor, data, size, offset); }
ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) { return do_pwrite(descriptor, data, size, offset); }

/* A write of fewer bytes than were given is allowed: the first part alone. */
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (count > 0 && is_file_below(descriptor)) return write(descriptor, parts[0].iov_base, parts[0].iov_len);
    return syscall(SYS_writev, descriptor, parts, count);
}

static int do_ftruncate(int descriptor, off_t size) {
    if (!is_file_below(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, size);
    lock();
    int failed = is_full() ? -1 : (int)syscall(SYS_ftruncate, descriptor, size);
    if (!failed) record('t', "", "", inode_of(descriptor), (uint64_t)size, "", 0);
    unlock();
    return failed;
}

int ftruncate(int descriptor, off_t size) { return do_ftruncate(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return do_ftruncate(descriptor, size); }

static int do_truncate(const char *given, off_t size) {
    char buffer[PATH_MAX];
    const char *path = absolute(AT_FDCWD, given, buffer);
    if (!is_below(path)) return (int)syscall(SYS_truncate, given, size);
    lock();
    int failed = is_full() ? -1 : (int)syscall(SYS_truncate, given, size);
    if (!failed) record('t', path, "", inode_at(path), (uint64_t)size, "", 0);
    unlock();
    return failed;
}

int truncate(const char *path, off_t size) { return do_truncate(path, size); }
int truncate64(const char *path, off64_t size) { return do_truncate(path, size); }

/* ---- names */

int linkat(int from, const char *old, int to, const char *given, int flags) {
    char buffer[PATH_MAX];
    const char *path = absolute(to, given, buffer);
    if (!is_below(path)) return (int)syscall(SYS_linkat, from, old, to, given, flags);
    lock();
    int failed = is_full() ? -1 : (int)syscall(SYS_linkat, from, old, to, given, flags);
    if (!failed) record('l', path, "", inode_at(path), 0, "", 0);
    unlock();
    return failed;
}

int link(const char *old, const char *path) { return linkat(AT_FDCWD, old, AT_FDCWD, path, 0); }

int renameat2(int from, const char *given_old, int to, const char *given, unsigned int flags) {
    char buffer[PATH_MAX], other[PATH_MAX];
    const char *old = absolute(from, given_old, other), *path = absolute(to, given, buffer);
    if (!is_below(path) && !is_below(old)) return (int)syscall(SYS_renameat2, from, given_old, to, given, flags);
    lock();
    int failed = is_full() ? -1 : (int)syscall(SYS_renameat2, from, given_old, to, given, flags);
    if (!failed && (flags & ~1u || !is_below(path) || !is_below(old))) unmodelled("renameat2");
    if (!failed) record('r', old, path, inode_at(path), 0, "", 0);
    unlock();
    return failed;
}

int renameat(int from, const char *old, int to, const char *path) { return renameat2(from, old, to, path, 0); }
int rename(const char *old, const char *path) { return renameat2(AT_FDCWD, old, AT_FDCWD, path, 0); }

int unlinkat(int folder, const char *given, int flags) {
    char buffer[PATH_MAX];
    const char *path = absolute(folder, given, buffer);
    if (!is_below(path)) return (int)syscall(SYS_unlinkat, folder, given, flags);
    lock();
    int failed = (int)syscall(SYS_unlinkat, folder, given, flags);
    if (!failed) record('u', path, "", 0, 0, "", 0);
    unlock();
    return failed;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *given, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = absolute(folder, given, buffer);
    if (!is_below(path)) return (int)syscall(SYS_mkdirat, folder, given, mode);
    lock();
    int failed = is_full() ? -1 : (int)syscall(SYS_mkdirat, folder, given, mode);
    if (!failed) record('d', path, "", inode_at(path), 0, "", 0);
    unlock();
    return failed;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

/* ---- flushes */

static int flush(int descriptor, long call) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return (int)syscall(call, descriptor);
    int itself = trace >= 0 && !strcmp(path, root);
    if (!itself && !is_below(path)) return (int)syscall(call, descriptor);
    lock();
    int failed = is_full() ? -1 : 0;
    if (!failed) record('s', path, "", inode_of(descriptor), 0, "", 0);
    unlock();
    return failed;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

/* ---- what is not modelled */

#define REFUSE(kind, name, types, arguments, descriptor)      \
    kind name types {                                                 \
        if (is_file_below(descriptor)) {                              \
            lock();                                                   \
            unmodelled(#name);                                        \
            unlock();                                                 \
        }                                                             \
        return (kind)syscall arguments;                               \
    }

REFUSE(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (SYS_sendfile, to, from, at, size), to)
REFUSE(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (SYS_sendfile, to, from, at, size), to)
REFUSE(ssize_t, copy_file_range, (int from, off64_t *a, int to, off64_t *b, size_t size, unsigned flags),
       (SYS_copy_file_range, from, a, to, b, size, flags), to)
REFUSE(int, fallocate, (int to, int mode, off_t at, off_t size), (SYS_fallocate, to, mode, at, size), to)
REFUSE(int, fallocate64, (int to, int mode, off64_t at, off64_t size), (SYS_fallocate, to, mode, at, size), to)
REFUSE(int, posix_fallocate, (int to, off_t at, off_t size), (SYS_fallocate, to, 0, at, size), to)
REFUSE(int, posix_fallocate64, (int to, off64_t at, off64_t size), (SYS_fallocate, to, 0, at, size), to)
REFUSE(ssize_t, pwritev, (int to, const struct iovec *v, int count, off_t at),
       (SYS_pwritev, to, v, count, at, 0), to)
REFUSE(ssize_t, pwritev2, (int to, const struct iovec *v, int count, off_t at, int flags),
       (SYS_pwritev2, to, v, count, at, 0, flags), to)

void *mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && descriptor >= 0 && is_file_below(descriptor)) {
        lock();
        unmodelled("mmap");
        unlock();
    }
    return (void *)syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(at, size, protection, flags, descriptor, offset);
}

int symlinkat(const char *target, int folder, const char *given) {
    char buffer[PATH_MAX];
    if (is_below(absolute(folder, given, buffer))) {
        lock();
        unmodelled("symlink");
        unlock();
    }
    return (int)syscall(SYS_symlinkat, target, folder, given);
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }
