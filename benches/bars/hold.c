/* hold
 *
 * Reads standard input to its end into memory, as it must who looks at all of it before the first byte leaves, and writes it. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  struct stat input;
  if (fstat(0, &input) != 0) return 1;
  char *bytes = malloc(input.st_size);
  off_t held = 0, written = 0;
  ssize_t count;
  while (held < input.st_size && (count = read(0, bytes + held, input.st_size - held)) > 0) held += count;
  while (written < held && (count = write(1, bytes + written, held - written)) > 0) written += count;
  return held == input.st_size && written == held ? 0 : 1;
}
