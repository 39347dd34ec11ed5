import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport

@testable import LiveActivities
@testable import ProposalCreated
@testable import ProposalVoteCast
@testable import PushDelivery

/// The demo's proposal, whose votes end at 20:00, and phones with tokens of ActivityKit; Eva is asked for her vote.
struct ActivityScene {
  static let deadline = Demo.dayBefore + 86_400
  static let type = "ProposalActivityAttributes"
  /// Seven hours before votes end.
  static let start = deadline - 7 * 3_600
  static let proposal = UUID(uuidString: Demo.proposal) ?? UUID()

  let demo: Demo
  let client: ScriptedClient

  init(_ client: ScriptedClient = ScriptedClient(.accepted, status: 200)) async throws {
    demo = try await Demo()
    self.client = client
  }

  /// Eva's phone has a token that starts activities, and she is asked for her vote.
  init(asked client: ScriptedClient) async throws {
    try await self.init(client)
    try await register(.eva, "5eed5eed")
    try await propose()
  }

  /// Eva's phone shows the proposal, and the app has registered the activity.
  static func shown() async throws -> ActivityScene {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    _ = try await scene.check(at: start)
    _ = try await scene.send(at: start)
    try await scene.register(.eva, "e0a0e0a0", about: proposal)
    return scene
  }

  func propose(_ id: String = "e1") async throws {
    _ = try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT", id), at: Self.start - 20)
  }

  /// Registers a token for a person's phone, as the API does.
  func register(_ person: Person, _ token: String, about subject: UUID? = nil, at now: Date = start) async throws {
    let (device, user) = ("dd000000-0000-4000-8000-00000000002\(person.rawValue)", UUID(uuidString: person.id))
    let registration = ActivityRegistration(
      device: UUID(uuidString: device) ?? UUID(), app: .lockItIn, attributesType: Self.type, token: token,
      subject: subject)
    let registered = try await DeviceStore(demo.connection).register(
      registration, for: PersonLive.Person(id: user ?? UUID()), at: now)
    guard registered != nil else { throw NotRegistered() }
  }

  struct NotRegistered: Error {}

  func vote(_ vote: String = "maybe", by person: Person, _ id: String, at now: Date) async throws {
    let event = try await demo.cast(vote, by: person, on: Demo.saturday, id)
    _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: now)
  }

  /// Takes what has changed, as the function does.
  @discardableResult
  func check(at now: Date) async throws -> LiveActivityStore.Result {
    let connection = demo.connection(of: "live-activities", [("jit", "off")])
    return try await LiveActivities(store: LiveActivityStore(connection)).handle(.wakeUp, .test(now: now))
  }

  /// Sends what is due; answers with the pushes to Live Activities.
  @discardableResult
  func send(at now: Date) async throws -> [SentActivity] {
    let before = client.pushes.count
    let store = demo.queue()
    _ = try await PushDelivery(store: store, client: client.client, jitter: { 0 }).handle(.wakeUp, .test(now: now))
    return try client.pushes.dropFirst(before).filter { $0.pushType == "liveactivity" }.map { try SentActivity($0) }
  }

  /// Takes what has changed, and sends it.
  func tell(at now: Date) async throws -> [SentActivity] {
    try await check(at: now)
    return try await send(at: now)
  }

  /// The fate of the pushes to activities: `state reason`, in their order.
  func states() async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT concat_ws(' ', state, reason) AS line FROM deliveries WHERE activity_id IS NOT NULL ORDER BY created_at, id
      """
    ).decode("line")
  }

  /// Why the activities with a token of their own ended; empty for one that runs.
  func ends() async throws -> [String] {
    try await demo.connection.query(
      "SELECT coalesce(ended_reason, '') AS end FROM live_activities WHERE subject_id <> '' ORDER BY created_at"
    ).decode("end")
  }
}

/// A push to a Live Activity, as the phone reads it.
struct SentActivity {
  let push: QueuedPush
  private let aps: RawJSON

  init(_ push: QueuedPush) throws {
    self.push = push
    aps = try RawJSON(validating: Array(push.payload.utf8)[...])["aps"] ?? .null
  }

  var event: String? { self["event"]?.stringValue }
  var status: String? { self["content-state"]?["status"]?.stringValue }
  var votes: Int? { self["content-state"]?["votes"]?.intValue }

  subscript(name: String) -> RawJSON? { aps[name] }
}
