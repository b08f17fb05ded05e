// Functions of libraries that are not in the static binaries, see link-static and build-bus.
#include <math.h>
#include <stddef.h>
#include <sys/random.h>

// libsystemd, called by libdbus-1 where a bus takes its sockets from systemd: there are none.
int sd_listen_fds(int unset_environment);
int sd_is_socket(int fd, int family, int type, int listening);

int sd_listen_fds(int unset_environment) {
  (void)unset_environment;
  return 0;
}

int sd_is_socket(int fd, int family, int type, int listening) {
  (void)fd, (void)family, (void)type, (void)listening;
  return 0;
}

// glibc 2.35 has a new version of this function, which older releases lack.
float hypotf(float x, float y) { return (float)sqrt((double)x * x + (double)y * y); }

// glibc 2.36; called by expat for the seed of its hash tables.
void arc4random_buf(void *bytes, size_t count);

void arc4random_buf(void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    ssize_t got = getrandom(next, count < 256 ? count : 256, 0);
    if (got > 0) {
      next += got;
      count -= (size_t)got;
    }
  }
}
