/* An app in C on `blepera system` (docs/applink.md), with the database of perf.h: what the phone costs by itself, and the
 * fastest that an app can send updates.
 *
 *   app BLEPERA [--services N] [--window N] [OPTION...]
 *
 * Starts `BLEPERA system OPTION...`, which ends with the app. --window is how many updates may wait for the phone's
 * reply (16). The app's transmit queue has room for a million updates, so none is turned away. */
#include "perf.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_VALUE 512
#define MOST_WORDS 32

static FILE *to_phone;
static int services = 1;
static uint32_t window = 16;
static char dynamic[4 * MOST_VALUE] = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19";
static uint32_t updates, updates_sent, updates_queued;
static int services_added;

static void __attribute__((noreturn, format(printf, 1, 2))) stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("app: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

/* MARK: The phone */

static int connect_phone(pid_t system) {
  const char *folder = getenv("BLEPERA_RUNTIME_DIR");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/default.socket", folder ? folder : ".");
  int phone = socket(AF_UNIX, SOCK_STREAM, 0);
  for (int tries = 0; tries < 20000; tries++) {
    if (connect(phone, (struct sockaddr *)&address, sizeof address) == 0) return phone;
    if (waitpid(system, NULL, WNOHANG) == system) stop("the phone has ended");
    usleep(500);
  }
  stop("no phone listens at %s", address.sun_path);
}

static pid_t start_system(char **arguments) {
  pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGINT);
  execvp(arguments[0], arguments);
  _exit(127);
}

/* MARK: Messages to the phone */

/* A call of the app's only manager. */
#define CALL "{\"peripheral\":{\"id\":0,\"call\":"
#define END "}}\n"

static void publish(int service) {
  static const struct {
    int kind;
    const char *properties, *permissions;
  } rows[] = {
      {CACHED, "\"read\"", "\"readable\""},
      {DYNAMIC, "\"read\",\"write\"", "\"readable\",\"writeable\""},
      {NOTIFY, "\"read\",\"notify\"", "\"readable\""},
      {CONTROL, "\"write\"", "\"writeable\""},
      {ECHO, "\"write\",\"notify\"", "\"writeable\""},
  };
  char uuid[37];
  perf_uuid(uuid, (uint32_t)service, SERVICE);
  for (char *letter = uuid; *letter; letter++) *letter = *letter >= 'a' ? *letter - 'a' + 'A' : *letter;
  fprintf(to_phone, CALL "{\"addService\":{\"id\":%d,\"service\":{\"uuid\":\"%s\",\"isPrimary\":true,\"includedServices\":[],"
          "\"characteristics\":[", service, uuid);
  for (size_t row = 0; row < (service ? 1 : sizeof rows / sizeof *rows); row++) {
    snprintf(uuid + 34, sizeof uuid - 34, "%02X", (unsigned)rows[row].kind);
    fprintf(to_phone, "%s{\"uuid\":\"%s\",\"properties\":[%s],\"permissions\":[%s],\"descriptors\":[]", row ? "," : "",
            uuid, rows[row].properties, rows[row].permissions);
    if (rows[row].kind == CACHED) fprintf(to_phone, ",\"value\":[%s]", dynamic);
    fputc('}', to_phone);
  }
  fputs("]}}}" END, to_phone);
}

static void respond(long request, const char *value) {
  fprintf(to_phone, CALL "{\"respond\":{\"request\":%ld,\"value\":[%s]}}" END, request, value);
}

static void send_updates(void) {
  for (; updates_sent < updates && updates_sent - updates_queued < window; updates_sent++)
    fprintf(to_phone, CALL "{\"updateValue\":{\"characteristic\":{\"service\":0,\"index\":%d},\"value\":[%u,%u,%u,%u"
            ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}" END, NOTIFY - CACHED, updates_sent & 255, updates_sent >> 8 & 255,
            updates_sent >> 16 & 255, updates_sent >> 24);
}

/* MARK: Messages from the phone */

static bool begins(const char *line, const char *message) {
  size_t length = strlen(message);
  return strncmp(line, "{\"", 2) == 0 && strncmp(line + 2, message, length) == 0 && line[2 + length] == '"';
}

/* The number behind a key; a central's identifier is a string. */
static long number(const char *line, const char *key) {
  for (const char *found = line; (found = strstr(found, key));) {
    found += strlen(key);
    if (*found >= '0' && *found <= '9') return atol(found);
  }
  return -1;
}

static void take_write(const char *line) {
  const char *start = strstr(line, "\"value\":["), *end = start ? strchr(start, ']') : NULL;
  if (!end) stop("no value: %s", line);
  char value[sizeof dynamic];
  snprintf(value, sizeof value, "%.*s", (int)(end - start - 9), start + 9);
  respond(number(line, "\"id\":"), "");
  switch (number(line, "\"index\":") + CACHED) {
    case DYNAMIC: strcpy(dynamic, value); break;
    case ECHO:
      fprintf(to_phone, CALL "{\"updateValue\":{\"characteristic\":{\"service\":0,\"index\":%d},\"value\":[%s]}}" END,
              ECHO - CACHED, value);
      break;
    case CONTROL: {
      unsigned byte[4] = {0};
      sscanf(value, "%u,%u,%u,%u", &byte[0], &byte[1], &byte[2], &byte[3]);
      updates = byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24;
      updates_sent = updates_queued = 0;
      break;
    }
    default: break;
  }
}

static void take(const char *line) {
  static const char callback[] = "{\"peripheral\":{\"callback\":";
  if (strncmp(line, callback, sizeof callback - 1) == 0) line += sizeof callback - 1;
  if (begins(line, "didReceiveRead")) {
    respond(number(line, "\"id\":"), dynamic);
  } else if (begins(line, "didReceiveWrite")) {
    take_write(line);
  } else if (begins(line, "didUpdateValue")) {
    if (strstr(line, "\"queued\":false")) stop("an update is turned away: %s", line);
    if (number(line, "\"index\":") == NOTIFY - CACHED) updates_queued++;
  } else if (begins(line, "didUpdateState") && strstr(line, "\"state\":5") && !services_added) {
    for (int service = 0; service < services; service++) publish(service);
  } else if (begins(line, "didAddService")) {
    char uuid[37];
    if (strstr(line, "\"error\"")) stop("%s", line);
    perf_uuid(uuid, 0, SERVICE);
    if (++services_added == services)
      fprintf(to_phone,
              CALL "{\"startAdvertising\":{\"advertisement\":{\"localName\":\"App\",\"serviceUUIDs\":[\"%s\"]}}}" END,
              uuid);
  } else if (begins(line, "refused") || begins(line, "willTerminate")) {
    stop("%s", line);
  }
  send_updates();
}

int main(int count, char **words) {
  char *system[MOST_WORDS] = {words[1], "system"};
  for (int index = 2, length = 2; index < count && length < MOST_WORDS - 1; index++) {
    if (strcmp(words[index], "--services") == 0 && index + 1 < count) services = atoi(words[++index]);
    else if (strcmp(words[index], "--window") == 0 && index + 1 < count) window = (uint32_t)atoi(words[++index]);
    else system[length++] = words[index];
  }
  if (count < 2) stop("which blepera?");
  int phone = connect_phone(start_system(system));
  to_phone = fdopen(dup(phone), "w");
  static char buffer[1 << 20];
  setvbuf(to_phone, NULL, _IOFBF, 1 << 16);
  fputs("{\"hello\":{\"version\":1,\"app\":{\"bundleIdentifier\":\"org.example.app\",\"name\":\"App\","
        "\"backgroundModes\":[\"bluetooth-peripheral\"],\"rules\":{\"transmitQueue\":1000000}}}}\n"
        "{\"create\":{\"id\":0,\"role\":\"peripheral\"}}\n", to_phone);
  for (size_t held = 0;;) {
    fflush(to_phone);
    ssize_t got = read(phone, buffer + held, sizeof buffer - held);
    if (got <= 0) stop("the link has ended");
    held += (size_t)got;
    char *line = buffer;
    for (char *end; (end = memchr(line, '\n', held - (size_t)(line - buffer))); line = end + 1) {
      *end = 0;
      take(line);
    }
    held -= (size_t)(line - buffer);
    memmove(buffer, line, held);
  }
}
