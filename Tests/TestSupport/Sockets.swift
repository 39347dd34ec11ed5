import Foundation

/// The few calls on sockets that a link needs; all of them block.
package enum Sockets {
  /// Listens on a free port of the loopback.
  package static func listen() throws -> (socket: Int32, port: UInt16) {
    let (listener, port) = try boundSocket()
    guard Glibc.listen(listener, 64) == 0 else { throw SystemError("listen") }
    return (listener, UInt16(port))
  }

  /// The next connection; nil when there will be none.
  package static func accept(_ listener: Int32) -> Int32? {
    while true {
      let client = acceptConnection(listener)
      if client >= 0 {
        var yes: Int32 = 1
        // Small data must not wait for the acknowledgement of earlier data.
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return client
      }
      if errno != EINTR, errno != ECONNABORTED { return nil }
    }
  }

  /// Connects to a unix socket.
  package static func connect(to path: String) -> Int32? {
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if isConnected { return connection }
    close(connection)
    return nil
  }

  /// The bytes that have come, as soon as there are some; nil when the other side has gone.
  package static func receive(_ source: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Sends all of it; `false` when the other side has gone.
  package static func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
