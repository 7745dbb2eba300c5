/* Kills the process at its Nth call that changes a file, for tests of interruption: N is in KILL_AT. At a write the
 * first half of the bytes is written before, so that what is found is torn. Calls on standard output and error do not
 * count. Preloaded, so it replaces the C library's functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static int is_last(void) {
  const char *at = getenv("KILL_AT");
  return at && atomic_fetch_add(&calls, 1) + 1 == atol(at);
}

static void end(void) { kill(getpid(), SIGKILL); }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define COUNTED(name, parameters, arguments) \
  int name parameters { if (is_last()) end(); return NEXT(name) arguments; }

COUNTED(rename, (const char *from, const char *to), (from, to))
COUNTED(renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
COUNTED(link, (const char *from, const char *to), (from, to))
COUNTED(linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
COUNTED(unlink, (const char *path), (path))
COUNTED(mkdir, (const char *path, mode_t mode), (path, mode))
COUNTED(fsync, (int file), (file))
COUNTED(fdatasync, (int file), (file))
COUNTED(ftruncate, (int file, off_t length), (file, length))
COUNTED(ftruncate64, (int file, off64_t length), (file, length))
COUNTED(chmod, (const char *path, mode_t mode), (path, mode))
COUNTED(fchmod, (int file, mode_t mode), (file, mode))

COUNTED(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))

ssize_t writev(int file, const struct iovec *parts, int count) {
  if (file > 2 && is_last()) {
    NEXT(write)(file, parts[0].iov_base, parts[0].iov_len / 2);
    end();
  }
  return NEXT(writev)(file, parts, count);
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (file > 2 && is_last()) {
    NEXT(write)(file, bytes, length / 2);
    end();
  }
  return NEXT(write)(file, bytes, length);
}

#define OPENED(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (flags & (O_CREAT | O_TRUNC) && is_last()) end(); \
    return NEXT(name)(path, flags, mode); \
  }
OPENED(open)
OPENED(open64)
