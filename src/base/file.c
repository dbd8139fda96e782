/* See file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status failed(const char *path, sn_error *error) {
    return sn_fail(error, SN_IO, "%.300s: cannot be written: %s", path, strerror(errno ? errno : EIO));
}

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t wrote = write(file, bytes, size);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        bytes += wrote, size -= (size_t)wrote;
    }
    return true;
}

/* Closes in any case; keeps the errno of the first failure. */
static bool write_and_close(int file, const void *bytes, size_t size, bool whole) {
    errno = 0;
    const bool written = write_all(file, bytes, size) && (!whole || fsync(file) == 0);
    const int first = errno;
    const bool closed = close(file) == 0;
    if (!written) errno = first;
    return written && closed;
}

/* Makes the new name of the file safe too. A file system that cannot do this is no failure. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const int file = open(folder[0] ? folder : "/", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
}

sn_status sn_file_replace(const char *path, const void *bytes, size_t size, sn_error *error) {
    struct stat about;
    char place[PATH_MAX], temporary[PATH_MAX + 32];
    const bool old = stat(path, &about) == 0;
    errno = 0;
    if (old && !S_ISREG(about.st_mode)) {
        const int file = open(path, O_WRONLY | O_CLOEXEC);
        return file >= 0 && write_and_close(file, bytes, size, false) ? SN_OK : failed(path, error);
    }
    /* A link keeps pointing to its file: the file is replaced, not the link. */
    if (!old || !realpath(path, place)) snprintf(place, sizeof place, "%s", path);
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", place, (long)getpid());
    const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return failed(path, error);
    if (old) (void)!fchmod(file, about.st_mode & 07777);
    if (write_and_close(file, bytes, size, true) && rename(temporary, place) == 0) {
        sync_folder(place);
        return SN_OK;
    }
    const sn_status status = failed(path, error);
    unlink(temporary);
    return status;
}
