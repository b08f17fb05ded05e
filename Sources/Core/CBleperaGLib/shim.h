#include <glib-unix.h>
#include <glib.h>
#include <signal.h>
#include <sys/prctl.h>

// prctl has variable arguments, which Swift cannot call.
static inline int blepera_clear_ambient_capabilities(void) {
  return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
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
