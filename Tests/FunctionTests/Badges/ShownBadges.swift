import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import Synchronization
import Testing

@testable import PushDelivery

/// The numbers on people's devices, whatever the provider answers, beside their badges.
final class ShownBadges: Sendable {
  let scene: BadgeScene
  private let state = Mutex(State())

  private struct State {
    var now = BadgeScene.now
    /// The answers to the next pushes; after them, all are accepted.
    var answers: [Answer] = []
    /// The last number that came to each device, by the first two letters of its token.
    var shown: [String: Int] = [:]
    /// The losses that the function was told of.
    var told: Set<String> = []
  }

  /// A provider's answer to a push.
  struct Answer: Sendable {
    let verdict: PushVerdict
    /// Whether the push reached the device all the same.
    var arrives = false
    /// The device that it is meant for, by the first two letters of its token; `nil` for any.
    var device: String?

    static let failed = Answer(verdict: .retryLater(atLeast: nil))
    static let throttled = Answer(verdict: .holdDevice(atLeast: nil))
    static let refused = Answer(verdict: .rejected)
    static let lost = Answer(verdict: .unknown, arrives: true)
    static let dropped = Answer(verdict: .unknown)
  }

  init() async throws { scene = try await BadgeScene() }

  var now: Date { state.withLock { $0.now } }
  var shown: [String: Int] { state.withLock { $0.shown } }

  func wait(_ seconds: Double) { state.withLock { $0.now += seconds } }

  /// Sets the answers to the next pushes.
  func answer(_ answers: [Answer]) { state.withLock { $0.answers = answers } }

  private var queue: DeliveryStore { scene.demo.queue() }

  /// Sends what is due.
  func send() async throws {
    let client = ScriptedClient { [self] push in
      let answer = state.withLock { state in
        let index = state.answers.firstIndex { $0.device.map(push.device.token.hasPrefix) ?? true }
        return index.map { state.answers.remove(at: $0) } ?? Answer(verdict: .accepted, arrives: true)
      }
      if answer.arrives { show(push) }
      return .test(answer.verdict, environment: push.device.environment ?? .sandbox)
    }
    _ = try await PushDelivery(store: queue, client: client.client, jitter: { 0 }).handle(.wakeUp, .test(now: now))
  }

  /// Takes what is due out of the queue, to be sent at some time.
  func claim() async throws -> DeliveryBatch { try await queue.claim(500, PushProvider.allCases, now) }

  /// Sends a batch that was claimed, and perhaps writes the answers.
  func send(_ batch: DeliveryBatch, writes: Bool = true) async throws {
    for push in batch.pushes { show(push) }
    if writes { try await queue.settle(batch.lease, batch.pushes.map { .accepted($0, now) }, now) }
  }

  private func show(_ push: QueuedPush) {
    if let badge = push.badge { show(badge, on: String(push.device.token.prefix(2))) }
  }

  /// A device shows a number, which its app may have set.
  func show(_ badge: Int, on device: String) { state.withLock { $0.shown[device] = badge } }

  /// Changes rows, and tells the function of it.
  func change(_ table: String, _ row: String, _ assignments: SQL) async throws {
    let event = try await scene.change(table, row, assignments, UUID().uuidString)
    try await scene.tell(event, at: now)
  }

  /// A person marks everything in LockItIn as read.
  func readAll(_ person: Person) async throws {
    let inbox = InboxStore(scene.demo.connection(of: "inbox"))
    let reader = PersonLive.Person(id: try #require(UUID(uuidString: person.id)))
    _ = try await inbox.markAllRead(in: .lockItIn, of: reader, EventContext(.wakeUp, .test(now: now)))
  }

  /// Tells the function of what was noted; answers with how much it was.
  @discardableResult
  func tellLosses() async throws -> Int {
    let rows = try await scene.demo.connection.query(
      "SELECT id::text, to_jsonb(l)::text AS row FROM badge_losses l ORDER BY id")
    var count = 0
    for row in rows {
      let id: String = try row.decode("id")
      guard state.withLock({ $0.told.insert(id).inserted }) else { continue }
      try await scene.tell(
        RowEvent.event("INSERT", "badge_losses", record: try row.decode("row"), id: id), at: now)
      count += 1
    }
    return count
  }

  /// Everything comes to its end: what was noted is told, and what waits is sent when it is due.
  func rest() async throws {
    for _ in 0..<400 {
      try await send()
      let told = try await tellLosses()
      guard let due = try await queue.nextDue(PushProvider.allCases, now) else {
        if told == 0 { return }
        continue
      }
      state.withLock { $0.now = max($0.now, due) }
    }
    Issue.record("It does not come to rest.")
  }

  /// Ada's inbox gets an entry with an alert to her devices, which is never too old to be asked about again.
  func alert(until end: Double = 86_400) async throws {
    try await scene.demo.connection.script(
      """
      WITH entry AS (
        INSERT INTO notifications (user_id, app, type, title, body, origin, function, payload, created_at, pushed_at,
          expires_at)
        VALUES ('\(Person.ada.id)', 'feedbackkit', 'new_vote', 'New Vote', 'x', 'function', 'vote-cast',
          '{"aps":{"alert":{"title":"New Vote"}},"type":"new_vote"}', '\(now)', '\(now)', '2040-01-01')
        RETURNING *
      )
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT e.id, t.id, t.user_id, t.app, e.created_at, e.created_at + \(end) * interval '1 second', '2040-01-01',
        e.created_at
      FROM entry e JOIN device_tokens t ON t.user_id = e.user_id AND t.app = e.app
      """)
  }

  /// A person's badge.
  func badge(of person: Person, _ app: App) async throws -> Int {
    try await scene.demo.number("SELECT push_badge(\(person.id)::uuid, \(app.rawValue), \(now))")
  }
}
