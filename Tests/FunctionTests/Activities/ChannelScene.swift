import DeliveryLive
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import Postgres
import PushLive
import Synchronization
import TestSupport

@testable import ActivityChannels

/// A channel's row of the demo's proposal, and an APNs that answers as a script says.
struct ChannelScene {
  static let now = ActivityScene.start
  static let row = UUID(uuidString: "fc000000-0000-4000-8000-000000000001") ?? UUID()
  static let content =
    #"{"deadline":1893873600,"leader":null,"members":30,"options":[],"status":"open","votes":5}"#

  let demo: Demo
  let apns: APNsFake

  /// - Parameter script: what APNs answers to each call; 201 with a channel, 204 or 200 unless it says something else.
  init(_ script: @escaping APNsFake.Script = { $1.answerCall($0) }) async throws {
    demo = try await Demo()
    apns = try await APNsFake(script: script)
    _ = try await demo.connection.query(
      """
      INSERT INTO activity_channels (id, app, attributes_type, subject_id, topic, environment, expires_at)
      VALUES (
        \(Self.row), 'lockitin', \(ActivityScene.type), \(ActivityScene.proposal)::uuid::text, 'com.example.lockit',
        'sandbox', \(ActivityScene.deadline))
      """)
  }

  /// Runs the function for the row, whatever its event says.
  func run(at now: Date = now, dryRun: Bool = false) async throws -> [ActivityChannels.Result.Deed] {
    let configuration = try APNsConfiguration(Environment(apns.environment))
    let function = ActivityChannels(
      store: ChannelStore(demo.connection(of: "activity-channels")),
      channels: APNsChannels(configuration, tokens: .ofThisProcess(), log: Log(write: { _ in })))
    let change = RowChange(
      type: .insert, table: "activity_channels", record: ActivityChannels.Row(id: Self.row))
    let envelope = Envelope(id: "1", source: "/test", type: EventType.row, data: RawJSON(object: []))
    return try await function.handle(Event(envelope: envelope, data: change), .test(now: now, dryRun: dryRun)).deeds
  }

  /// Asks for a broadcast, as `live-activities` does.
  func want(_ event: String, _ stamp: Int, _ content: String = content, priority: Int = 5) async throws {
    _ = try await demo.connection.query(
      """
      UPDATE activity_channels SET wanted = \(content), wanted_event = \(event), wanted_stamp = \(stamp),
        wanted_priority = \(priority)
      WHERE id = \(Self.row)
      """)
  }

  /// Changes the row as if something had happened.
  func set(_ change: SQL) async throws {
    _ = try await demo.connection.query("UPDATE activity_channels SET \(change) WHERE id = \(Self.row)")
  }

  /// `state channel reason said_stamp`, without what is not there.
  func row() async throws -> String? {
    try await demo.connection.query(
      """
      SELECT concat_ws(' ', state, channel, reason, nullif(said_stamp, 0)) AS line FROM activity_channels
      WHERE id = \(Self.row)
      """
    ).only()["line"]
  }

  /// `METHOD path` of each call.
  var calls: [String] { apns.pushes.map { "\($0.method) \($0.path)" } }
}

extension HTTP2Responder {
  /// Does what a call for channels asks for.
  func answerCall(_ call: APNsFake.Received) {
    switch (call.method, call.path.hasPrefix("/4/")) {
    case ("DELETE", _): respond(HTTP2Response(status: 204))
    case (_, true): answer(200)
    default: respond(HTTP2Response(status: 201, headers: [HTTP2Header("apns-channel-id", "Y2hhbm5lbA==")]))
    }
  }
}
