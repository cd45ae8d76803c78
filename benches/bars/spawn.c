/* spawn RUNS STDIN PROGRAM [ARGUMENT...]
 *
 * Runs a program so many times with a file as its stdin and /dev/null as its stdout, and prints a line for each run:
 * nanoseconds from start to exit, and the peak of its memory in KiB. Any failure ends it. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, argv[2], O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  for (long run = atol(argv[1]); run > 0; run--) {
    pid_t child;
    int status;
    struct rusage used;
    long long start = now();
    if (posix_spawnp(&child, argv[3], &files, NULL, argv + 3, environ) != 0) return 1;
    if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    printf("%lld %ld\n", now() - start, used.ru_maxrss);
  }
  return 0;
}
