import Glibc

/// The service manager that started this process and wants to hear how it is, such as systemd with `Type=notify`.
///
/// It is told by datagrams to the socket that `NOTIFY_SOCKET` names: sd_notify(3), sd_watchdog_enabled(3).
package struct ServiceManager: Sendable {
  private let socket: String
  /// After this time without a sign of life it ends the process; `nil` if it does not watch.
  package let watchdog: Duration?

  /// `nil` if nobody wants to hear anything.
  ///
  /// - Parameter variable: the value of an environment variable of this process.
  package init?(_ variable: (String) -> String?) {
    guard let socket = variable("NOTIFY_SOCKET"), socket.hasPrefix("/") || socket.hasPrefix("@"), socket.count > 1
    else {
      return nil
    }
    self.socket = socket
    let isForThis = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let limit = variable("WATCHDOG_USEC").flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
    watchdog = isForThis ? limit.map { .microseconds($0) } : nil
  }

  /// How often a sign of life is due: twice within the limit.
  package var beat: Duration { min(watchdog.map { $0 / 2 } ?? .seconds(5), .seconds(5)) }

  /// Sends one datagram with these lines, such as `READY=1`.
  ///
  /// A datagram that cannot be sent is dropped: a service manager that does not listen must not stop what it started.
  @discardableResult
  package func tell(_ lines: String...) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    // An abstract address begins with a zero byte, and its length is a part of it.
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = MemoryLayout<sa_family_t>.size + name.count + (socket.hasPrefix("@") ? 0 : 1)
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // A status is one line.
    let text = lines.map { $0.replacing("\n", with: " ") }.joined(separator: "\n")
    let bytes = Array(text.utf8)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length)) == bytes.count
      }
    }
  }
}
