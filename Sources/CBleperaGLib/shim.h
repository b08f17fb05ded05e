#include <glib-unix.h>
#include <glib.h>

// Casts a callback as GLib's typed source callbacks require.
static inline void blepera_fd_source_set_callback(GSource *source, GUnixFDSourceFunc function, gpointer data,
                                                  GDestroyNotify notify) {
  g_source_set_callback(source, (GSourceFunc)(void (*)(void))function, data, notify);
}

static inline void blepera_child_source_set_callback(GSource *source, GChildWatchFunc function, gpointer data,
                                                     GDestroyNotify notify) {
  g_source_set_callback(source, (GSourceFunc)(void (*)(void))function, data, notify);
}
