/* tracer REPORT MARK STEP ACTION PROGRAM [ARGUMENT...]
 *
 * Runs a program and performs ACTION at one of its steps. A step is a system call for a file or a stream; steps are counted from 1, starting
 * with the first opened file whose path ends with MARK. ACTION is
 *
 *   kill=SIGNAL    sends the signal before the call
 *   fail=ERRNO     skips the call and returns this error; close is not a step then, because it does not fail
 *   run=COMMAND    runs a shell command before the call
 *   none           does nothing
 *
 * REPORT gets the number of the call, or -1 if the program ended before that step. The exit code is the program's, 128 plus the signal's
 * number if it was killed, or 125 if it cannot be traced. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const long reaching[] = {
  SYS_open, SYS_openat, SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_pwrite64, SYS_writev, SYS_close, SYS_fsync, SYS_fdatasync,
  SYS_rename, SYS_renameat, SYS_renameat2, SYS_unlink, SYS_unlinkat, SYS_link, SYS_linkat, SYS_fchmod, SYS_fchmodat, SYS_fchown,
  SYS_fchownat, SYS_ftruncate, SYS_flock, SYS_mkdir, SYS_mkdirat, SYS_stat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_readlink,
  SYS_readlinkat, SYS_getdents64, SYS_lseek, SYS_copy_file_range, SYS_sendfile, SYS_access, SYS_faccessat, SYS_faccessat2,
};

static int reaches(long call) {
  for (size_t i = 0; i < sizeof reaching / sizeof *reaching; i++)
    if (reaching[i] == call) return 1;
  return 0;
}

/* True if the text at this address of the process ends with the mark. */
static int opens(pid_t process, unsigned long address, const char *mark) {
  char path[4096];
  struct iovec to = {path, sizeof path}, from = {(void *)address, sizeof path};
  size_t page = 4096 - address % 4096;
  from.iov_len = page;
  ssize_t got = process_vm_readv(process, &to, 1, &from, 1, 0);
  if (got <= 0) return 0;
  if (!memchr(path, 0, got)) {
    struct iovec more = {path + got, sizeof path - got}, next = {(void *)(address + got), sizeof path - got};
    ssize_t rest = process_vm_readv(process, &more, 1, &next, 1, 0);
    if (rest > 0) got += rest;
  }
  if (!memchr(path, 0, got)) return 0;
  size_t length = strlen(path), wanted = strlen(mark);
  return length >= wanted && strcmp(path + length - wanted, mark) == 0;
}

int main(int argc, char **argv) {
  if (argc < 6) return 125;
  const char *mark = argv[2], *action = argv[4];
  long wanted = atol(argv[3]), step = 0, reached = -1;
  int begun = 0, status;
  pid_t failing = 0, child = fork();
  if (child < 0) return 125;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(125);
    raise(SIGSTOP);
    execvp(argv[5], argv + 5);
    _exit(125);
  }
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 125;
  if (ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0) return 125;
  ptrace(PTRACE_SYSCALL, child, 0, 0);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return 125;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == child) break;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info call;
      signal = 0;
      if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) <= 0) continue;
      if (call.op == PTRACE_SYSCALL_INFO_EXIT && thread == failing) {
        ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, rax), -atol(action + 5));
        failing = 0;
      } else if (call.op == PTRACE_SYSCALL_INFO_ENTRY && reaches(call.entry.nr)) {
        if (!begun && call.entry.nr == SYS_openat) begun = opens(thread, call.entry.args[1], mark);
        if (begun && !(call.entry.nr == SYS_close && strncmp(action, "fail=", 5) == 0) && ++step == wanted) {
          reached = call.entry.nr;
          if (strncmp(action, "kill=", 5) == 0) {
            kill(child, atoi(action + 5));
          } else if (strncmp(action, "fail=", 5) == 0) {
            ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, orig_rax), -1L);
            failing = thread;
          } else if (strncmp(action, "run=", 4) == 0 && system(action + 4) != 0) {
            return 125;
          }
        }
      }
    } else if (status >> 16 != 0 || signal == SIGSTOP || signal == SIGTRAP) {
      signal = 0;
    }
    ptrace(PTRACE_SYSCALL, thread, 0, signal);
  }
  FILE *report = fopen(argv[1], "w");
  if (!report || fprintf(report, "%ld\n", reached) < 0 || fclose(report) != 0) return 125;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
