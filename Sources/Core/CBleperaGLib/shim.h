#include <glib-unix.h>
#include <glib.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// prctl has variable arguments, which Swift cannot call.
static inline int blepera_clear_ambient_capabilities(void) {
  return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

// Leaves the calling thread no capability but one of its own (or none for -1), and the programs that it becomes or starts
// none that it has not.
static inline int blepera_keep_capability(int kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct all[2] = {{0}}, rest[2] = {{0}};
  if (syscall(SYS_capget, &header, all) != 0) return -1;
  if (kept >= 0) rest[0].effective = rest[0].permitted = all[0].permitted & 1U << kept;
  if (syscall(SYS_capset, &header, rest) != 0) return -1;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static inline int blepera_end_with_parent_thread(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

// Casts a callback as GLib's typed source callbacks require.
static inline void blepera_fd_source_set_callback(GSource *source, GUnixFDSourceFunc function, gpointer data,
                                                  GDestroyNotify notify) {
  g_source_set_callback(source, (GSourceFunc)(void (*)(void))function, data, notify);
}

static inline void blepera_child_source_set_callback(GSource *source, GChildWatchFunc function, gpointer data,
                                                     GDestroyNotify notify) {
  g_source_set_callback(source, (GSourceFunc)(void (*)(void))function, data, notify);
}
