import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct NotificationTests {
  @Test func anotherSessionsNotificationEndsTheWait() async throws {
    let (listener, notifier, _) = try await connections()
    try await listener.listen("bell; \"x")

    async let received = patiently { try await listener.notifications(waitingUpTo: .seconds(86_400)) }
    _ = try await notifier.query("select pg_notify(\("bell; \"x"), \("ring"))")

    let first = try await received.first
    #expect(first?.payload == "ring")
    #expect(first?.channel == "bell; \"x")
  }

  @Test func whatCameBetweenTwoWaitsIsKept() async throws {
    let (listener, notifier, _) = try await connections()
    try await listener.listen("bell")
    for number in 1...3 { _ = try await notifier.query("select pg_notify('bell', \("\(number)"))") }

    var payloads: [String] = []
    while payloads.count < 3 {
      let received = try await listener.notifications(waitingUpTo: .seconds(120))
      payloads += received.map(\.payload)
    }

    #expect(payloads == ["1", "2", "3"])
  }

  @Test func returnsEmptyAtTheLimit() async throws {
    let (listener, _, _) = try await connections()
    try await listener.listen("bell")

    #expect(try await listener.notifications(waitingUpTo: .milliseconds(10)).isEmpty)
    #expect(try await listener.notifications(waitingUpTo: .zero).isEmpty)
  }

  @Test func aWakeUpEndsTheWait() async throws {
    let (listener, _, _) = try await connections()
    try await listener.listen("bell")

    async let received = patiently { try await listener.notifications(waitingUpTo: .seconds(86_400)) }
    listener.wake()

    #expect(try await received.isEmpty)
  }

  @Test func aWakeUpBeforeTheWaitIsNotForgotten() async throws {
    let (listener, _, _) = try await connections()
    try await listener.listen("bell")
    listener.wake()
    _ = try await listener.query("select 1")

    #expect(try await patiently { try await listener.notifications(waitingUpTo: .seconds(86_400)).isEmpty })
  }

  @Test func cancellingEndsTheWait() async throws {
    let (listener, _, _) = try await connections()
    try await listener.listen("bell")
    let task = Task { try await listener.notifications(waitingUpTo: .seconds(120)) }

    task.cancel()

    let error = await #expect(throws: PostgresError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func listensAgainAfterALoss() async throws {
    let (listener, notifier, url) = try await connections()
    try await listener.listen("bell")
    try await terminate(listener, of: url)

    #expect(try await listener.notifications(waitingUpTo: .seconds(120)).isEmpty)
    _ = try await notifier.query("select pg_notify('bell', 'again')")

    #expect(try await listener.notifications(waitingUpTo: .seconds(120)).map(\.payload) == ["again"])
  }

  @Test func aLossDuringTheWaitIsAnError() async throws {
    let (listener, notifier, _) = try await connections()
    try await listener.listen("bell")
    let pid = try await processID(of: listener)

    async let received = listener.notifications(waitingUpTo: .seconds(120))
    _ = try await notifier.query("select pg_terminate_backend(\(Int32(pid)))")

    do {
      // The loss may also come before the wait has begun, which then opens a new session.
      #expect(try await received.isEmpty)
    } catch {
      #expect((error as? PostgresError)?.code == .connection)
    }
  }

  /// The server says that it ends a session before it closes the connection.
  @Test func aListenerDoesNotWaitForTheConnectionToClose() async throws {
    let url = try await TemporaryPostgres.database()
    let link = try DatabaseLink(to: url)
    let listener = Connection(url: link.linkedURL, applicationName: "listener")
    try await listener.listen("bell")
    let pid = try await processID(of: listener)
    link.holdEnds()

    async let received = patiently { try await listener.notifications(waitingUpTo: .seconds(600)) }
    let notifier = Connection(url: url, applicationName: "notifier")
    _ = try await notifier.query("select pg_terminate_backend(\(Int32(pid)))")

    do {
      // The loss may also come before the wait has begun, which then opens a new session.
      #expect(try await received.isEmpty)
    } catch {
      #expect("\(error)".contains("terminating connection due to administrator command"))
    }
  }

  private func connections() async throws -> (listener: Connection, notifier: Connection, url: String) {
    let url = try await TemporaryPostgres.database()
    return (Connection(url: url, applicationName: "listener"), Connection(url: url, applicationName: "notifier"), url)
  }
}
