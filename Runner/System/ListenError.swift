import Glibc
package import Platform

/// Why the gateway cannot listen.
package struct ListenError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

extension ListeningSocket {
  /// Listens on a numeric address; the error names who else listens there.
  package static func open(host: String, port: UInt16) throws(ListenError) -> ListeningSocket {
    guard let address = SocketAddress(host: host, port: port) else {
      throw ListenError("\(host) is not a numeric address to listen on.")
    }
    guard let socket = ListeningSocket(on: address, backlog: 4_096) else {
      let (reason, isTaken) = (systemMessage(errno), errno == EADDRINUSE)
      let holder = isTaken ? PortHolder.find(port).map { " by \($0)" } ?? "" : ""
      throw ListenError(
        "The runner cannot listen on port \(port) of \(host): \(reason)\(holder)."
          + (isTaken ? " Choose another with --port N; 0 takes a free one." : ""))
    }
    return socket
  }
}
