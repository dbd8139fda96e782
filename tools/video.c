/* Videos: raw RGB frames go through a pipe to ffmpeg. ffmpeg is started without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

struct tool_video {
    pid_t process;
    int pipe;
    size_t bytes;
    const char *path;
};

static bool ffmpeg_is_there(void) {
    const char *folders = getenv("PATH");
    char text[4096];
    snprintf(text, sizeof text, "%s", folders ? folders : "/usr/bin");
    char *next = NULL;
    for (char *folder = strtok_r(text, ":", &next); folder; folder = strtok_r(NULL, ":", &next)) {
        char path[4200];
        snprintf(path, sizeof path, "%s/ffmpeg", folder);
        if (access(path, X_OK) == 0) return true;
    }
    return false;
}

bool tool_video_check(const char *path) {
    static const char *const endings[] = {".mp4", ".mkv", ".mov", ".webm"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; ++i)
        if (strcasecmp(dot, endings[i]) == 0) return true;
    tool_fail(0, "%s: a video cannot have this ending; allowed are .mp4, .mkv, .mov and .webm", path);
    return false;
}

tool_video *tool_video_open(const char *path, int width, int height, double rate) {
    if (!ffmpeg_is_there()) {
        tool_fail(0, "%s: a video needs ffmpeg, which is not on the PATH (Debian: apt install ffmpeg)", path);
        return NULL;
    }
    int ends[2];
    tool_video *video = calloc(1, sizeof *video);
    if (!video || pipe(ends)) {
        free(video);
        tool_fail(0, "%s: no pipe to ffmpeg: %s", path, strerror(errno));
        return NULL;
    }
    char size[32], frames[32];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(frames, sizeof frames, "%.6g", rate);
    video->process = fork();
    if (video->process == 0) {
        setpgid(0, 0); /* Ctrl-C goes to the run, which ends the video */
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24",
               "-video_size", size, "-framerate", frames, "-i", "-", "-pix_fmt", "yuv420p", "-crf", "18", path,
               (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN); /* when ffmpeg dies, a write fails; the signal would end this program */
    video->pipe = ends[1];
    video->bytes = 3 * (size_t)width * (size_t)height;
    video->path = path;
    return video;
}

bool tool_video_frame(tool_video *video, const unsigned char *rgb) {
    for (size_t done = 0; done < video->bytes;) {
        const ssize_t wrote = write(video->pipe, rgb + done, video->bytes - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

bool tool_video_close(tool_video *video) {
    int status = -1;
    close(video->pipe);
    while (waitpid(video->process, &status, 0) < 0 && errno == EINTR) continue;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) tool_fail(0, "%s: ffmpeg failed to write the video", video->path);
    free(video);
    return good;
}
