/* spawn RUNS CODE STDIN PROGRAM [ARGUMENT...]
 *
 * Runs a program RUNS times with a file as its stdin and a pipe as its stdout, which is read to its end, and prints a line
 * for each run: nanoseconds from start to exit, nanoseconds of processor time, and the peak of its memory in KiB. Any
 * failure ends it, and so does an exit code above CODE. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long nanoseconds(struct timeval t) { return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL; }

int main(int argc, char **argv) {
  static char buffer[1 << 16];
  if (argc < 5) return 2;
  int highest = atoi(argv[2]);
  for (long run = atol(argv[1]); run > 0; run--) {
    pid_t child;
    int status, output[2];
    ssize_t count;
    struct rusage used;
    posix_spawn_file_actions_t files;
    if (pipe(output) != 0) return 1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, argv[3], O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output[1], 1);
    posix_spawn_file_actions_addclose(&files, output[0]);
    posix_spawn_file_actions_addclose(&files, output[1]);
    long long start = now();
    if (posix_spawnp(&child, argv[4], &files, NULL, argv + 4, environ) != 0) return 1;
    close(output[1]);
    while ((count = read(output[0], buffer, sizeof buffer)) > 0) continue;
    if (count < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) > highest)
      return 1;
    printf("%lld %lld %ld\n", now() - start, nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime), used.ru_maxrss);
    close(output[0]);
    posix_spawn_file_actions_destroy(&files);
  }
  return 0;
}
