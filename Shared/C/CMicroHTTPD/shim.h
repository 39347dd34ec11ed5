#include <microhttpd.h>

// MHD_start_daemon and MHD_get_daemon_info are variadic, which Swift cannot call.
static inline struct MHD_Daemon *shim_start_daemon(int listening_socket, MHD_AccessHandlerCallback handler,
                                                   MHD_RequestCompletedCallback completed, void *context,
                                                   unsigned int idle_timeout, unsigned int connections,
                                                   size_t memory) {
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, 0, 0, handler, context,
                          MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening_socket,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
                          MHD_OPTION_END);
}

static inline int shim_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}
