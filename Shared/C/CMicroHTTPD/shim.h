#include <microhttpd.h>

// MHD_start_daemon, MHD_get_daemon_info and MHD_get_connection_info are variadic, which Swift cannot call.

// The library times nothing: it knows only of inactivity, which a client that sends a byte now and then avoids.
static inline struct MHD_Daemon *shim_start_daemon(int listening_socket, MHD_NotifyConnectionCallback connected,
                                                   void *(*begun)(void *, const char *, struct MHD_Connection *),
                                                   MHD_AccessHandlerCallback received,
                                                   MHD_RequestCompletedCallback completed, void *context,
                                                   unsigned int connections, size_t memory) {
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, 0, 0, received, context,
                          MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening_socket,
                          MHD_OPTION_NOTIFY_CONNECTION, connected, context,
                          MHD_OPTION_URI_LOG_CALLBACK, begun, context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_CONNECTION_TIMEOUT, 0u,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
                          MHD_OPTION_END);
}

static inline int shim_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

static inline int shim_connection_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline void *shim_connection_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : 0;
}
