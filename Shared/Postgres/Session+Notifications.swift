import CPostgres
import Glibc

extension Session {
  /// The notifications that have come; waits for the first until the limit or a wake-up.
  func notifications() throws(PostgresError) -> [Notification] {
    while true {
      guard PQconsumeInput(raw) == 1, isUsable else { throw lost() }
      let received = received()
      guard !received.isEmpty || isUsable else { throw lost() }
      if !received.isEmpty { heard = .now }
      if !received.isEmpty || signal.takeWakeUp() { return received }
      if wait(for: POLLIN) == .late { return [] }
      if Task.isCancelled { throw .cancelled }
    }
  }

  private func received() -> [Notification] {
    var received: [Notification] = []
    while let notification = PQnotifies(raw) {
      received.append(
        Notification(
          channel: String(cString: notification.pointee.relname), payload: String(cString: notification.pointee.extra),
          processID: notification.pointee.be_pid))
      PQfreemem(notification)
    }
    return received
  }
}
