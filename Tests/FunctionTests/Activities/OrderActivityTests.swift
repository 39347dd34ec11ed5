import API
import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import PushPayload
import StoreLive
import TestSupport
import Testing

@testable import Devices
@testable import LiveActivities
@testable import NotificationCreated

/// An order of Repair Minder on the lock screen while it is worked on.
///
/// Triggers note the time of an order's status, so these tests begin now; they look minutes later, however long they take to
/// begin.
@Suite(.heavy)
struct OrderActivityTests {
  private let client = ScriptedClient(.accepted, status: 200)
  private let start = Date.now + 600

  @Test func anOrderIsStartedUpdatedWithEachStatusAndEnded() async throws {
    let scene = try await OrderScene(client)
    try await scene.insert("order_created", #"{"order_number": 1234, "device": "iPhone 15"}"#)
    let begun = try #require(try await scene.activities.tell(at: start).first)
    try await scene.register("a0a0a0a0", about: OrderScene.order, at: start)
    try await scene.insert("order_status_changed", #"{"order_number": 1234, "status": "in_repair"}"#)
    let repaired = try await scene.activities.tell(at: start + 20)
    try await scene.insert("order_status_changed", #"{"status": "in_repair"}"#, for: .ben)
    let again = try await scene.activities.tell(at: start + 30)
    try await scene.insert("order_status_changed", #"{"order_number": 1234, "status": "ready"}"#)
    let ready = try await scene.activities.tell(at: start + 40)
    try await scene.insert("order_status_changed", #"{"order_number": 1234, "status": "collected"}"#)
    let collected = try await scene.activities.tell(at: start + 50)

    #expect(begun.event == "start" && begun.push.isOnce && begun.push.device.token == "5eed5eed")
    #expect(begun["attributes-type"]?.stringValue == "OrderActivityAttributes" && begun.status == "new")
    #expect(
      begun["attributes"]?.printable
        == #"{"device":"iPhone 15","order_id":"\#(OrderScene.order.uuidString.lowercased())","order_number":"1234"}"#)
    #expect(begun["alert"]?["title"]?.stringValue == "New Order")
    #expect(repaired.map(\.event) == ["update"] && repaired.map(\.status) == ["in_repair"])
    #expect(repaired.first?.push.priority == 10 && repaired.first?.push.device.token == "a0a0a0a0")
    let (changedAt, staleAt) = (
      repaired.first?["content-state"]?["changed_at"]?.intValue, repaired.first?["stale-date"]?.intValue
    )
    #expect(changedAt.map { $0 + 8 * 3_600 } == staleAt && staleAt != nil)
    #expect(again.isEmpty, "the phone shows that already")
    #expect(ready.map(\.event) == ["end"] && ready.map(\.status) == ["ready"])
    #expect(ready.first?["dismissal-date"]?.intValue == Int((start + 40).timeIntervalSince1970) + 3_600)
    #expect(collected.map(\.event) == ["end"] && collected.map(\.status) == ["collected"])
    #expect(try await scene.activities.ends() == ["ended"])
  }

  /// As runners do that know the activities of LockItIn alone.
  @Test func anOlderRunnerLeavesOrdersToOneThatKnowsThem() async throws {
    let scene = try await OrderScene(client)
    let connection = scene.activities.demo.connection
    try await scene.insert("order_created", #"{"status": "Booked_in"}"#)

    try await connection.script("DELETE FROM activity_changes")
    try await scene.activities.check(at: start + 70)
    let leased = try await connection.query(
      "UPDATE deliveries SET lease_id = \(UUID()) WHERE activity_id IS NOT NULL RETURNING id")
    let sent = try await scene.activities.send(at: start + 140)

    #expect(leased.isEmpty)
    #expect(sent.map(\.event) == ["start"] && sent.map(\.status) == ["booked_in"])
  }

  @Test func anOlderRunnerLeavesAChangeForADayAtMost() async throws {
    let scene = try await OrderScene(client)
    let connection = scene.activities.demo.connection
    try await scene.insert("order_created", "{}")
    try await connection.script(
      "UPDATE activity_changes SET failing_since = push_now() - interval '1 day'; DELETE FROM activity_changes")

    #expect(try await scene.activities.demo.number("SELECT count(*) FROM activity_changes") == 0)
  }

  @Test func nobodyGetsAStartTwice() async throws {
    let scene = try await OrderScene(client)
    try await scene.insert("order_created", "{}")
    #expect(try await scene.activities.tell(at: start).count == 1)

    try await scene.insert("order_created", "{}")

    #expect(try await scene.activities.tell(at: start + 20).isEmpty)
  }

  @Test func whoWasNotToldOfAnOrderSeesNone() async throws {
    let scene = try await OrderScene(client)
    try await scene.register("0b0b0b0b", of: .ben)
    try await scene.insert("order_created", "{}")

    let sent = try await scene.activities.tell(at: start)

    #expect(sent.map(\.push.device.token) == ["5eed5eed"])
    await #expect(throws: ActivityScene.NotRegistered.self) {
      try await scene.register("0c0c0c0c", of: .ben, about: OrderScene.order)
    }
  }

  @Test func aTokenThatComesLaterStartsWhatIsOpenAndNothingElse() async throws {
    let scene = try await OrderScene(client, startToken: nil)
    let done = UUID(uuidString: "0d000000-0000-4000-8000-00000000dead") ?? UUID()
    try await scene.insert("order_created", "{}")
    try await scene.insert("order_created", "{}", about: done.uuidString)
    try await scene.insert("order_status_changed", #"{"status": "Ready"}"#, about: done.uuidString)
    try await scene.register("5eed5eed", at: start)

    let sent = try await scene.activities.tell(at: start + 11)

    #expect(sent.map { $0["attributes"]?["order_id"]?.stringValue } == [OrderScene.order.uuidString.lowercased()])
  }

  @Test func anOrderWithoutAnotherStatusEndsAfterEightHours() async throws {
    let scene = try await OrderScene(client)
    try await scene.insert("order_created", "{}")
    _ = try await scene.activities.tell(at: start)
    try await scene.register("a0a0a0a0", about: OrderScene.order, at: start)
    #expect(try await scene.activities.tell(at: start + 7 * 3_600).isEmpty)

    let sent = try await scene.activities.tell(at: start + 8 * 3_600)

    #expect(sent.map(\.event) == ["end"] && sent.map(\.status) == ["new"])
    #expect(sent.first?["dismissal-date"]?.intValue == Int((start + 8 * 3_600).timeIntervalSince1970))
  }

  @Test func whoSwitchedActivitiesOffGetsNone() async throws {
    let scene = try await OrderScene(client)
    try await scene.activities.demo.connection.script(
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.ada.id)', 'repairminder', false)")
    try await scene.insert("order_created", "{}")

    #expect(try await scene.activities.tell(at: start).isEmpty)
  }

  @Test(arguments: ["17", "", "0d000000-0000-4000-8000-00000000123"])
  func anOrderWithAnotherIdIsToldWithoutAnActivity(id: String) async throws {
    let scene = try await OrderScene(client)

    try await scene.insert("order_created", "{}", about: id)

    #expect(
      try await scene.activities.demo.number("SELECT count(*) FROM notifications WHERE pushed_at IS NOT NULL") == 1)
    #expect(
      try await scene.activities.demo.number(
        "SELECT count(*) FROM activity_facts f JOIN notifications n ON n.id = f.notification_id WHERE n.pushed_at IS NOT NULL"
      ) == 0)
    #expect(try await scene.activities.tell(at: start).isEmpty)
  }

  @Test func anEarlierStatusIsNotKeptOnTheScreenByALaterRowWithoutOne() async throws {
    let scene = try await OrderScene(client)
    try await scene.insert("order_created", #"{"status": "booked_in"}"#)
    _ = try await scene.activities.tell(at: start)
    try await scene.register("a0a0a0a0", about: OrderScene.order, at: start)
    try await scene.insert("order_status_changed", #"{"status": "in_repair", "device": "iPad"}"#)
    try await scene.insert("order_status_changed", "{}")

    let sent = try await scene.activities.tell(at: start + 20)

    #expect(sent.map(\.status) == ["in_repair"])
  }

  @Test(arguments: App.allCases) func anAppWithAnActivityHasASubjectOfItsType(app: App) {
    func name<Subject: ActivitySubject>(_ type: Subject.Type) -> String { "\(Subject.Attributes.self)" }
    let subject = app.activitySubject

    #expect(app.profile.activity?.attributesType == subject.map { name($0) })
    #expect(subject == nil || subject?.app == app)
    #expect(app.profile.activity.map { rule in app.profile.kinds.contains { $0.name == rule.opening.name } } != false)
  }

  @Test(
    arguments: [
      ("repairminder", "ProposalActivityAttributes", "", 400, "attributesType must be OrderActivityAttributes"),
      ("lockitin", "OrderActivityAttributes", "", 400, "attributesType must be ProposalActivityAttributes"),
      ("mugshot", "OrderActivityAttributes", "", 400, "mugshot has no Live Activities."),
      ("lockitin", "ProposalActivityAttributes", "", 404, "Not Found"),
      (
        "repairminder", "OrderActivityAttributes", #","subjectId":"f4000000-0000-4000-8000-000000000001""#, 404,
        "Not Found"
      ),
      ("repairminder", "OrderActivityAttributes", #","subjectId":"1234""#, 400, "subjectId must be a UUID"),
    ])
  func whatIsAnotherAppsIsRefused(app: String, type: String, subject: String, status: Int, reason: String) async throws
  {
    let scene = try await OrderScene(client, startToken: nil)
    let answer = try await scene.call(app, type, subject)

    #expect(answer.status == status && answer.reason?.hasPrefix(reason) == true, "\(answer.reason ?? "")")
    #expect(try await scene.activities.demo.number("SELECT count(*) FROM live_activities") == 0)
  }

  @Test func anOrdersTokenIsRegisteredByTheAPI() async throws {
    let scene = try await OrderScene(client, startToken: nil)
    try await scene.insert("order_created", "{}")
    let order = OrderScene.order.uuidString

    let answer = try await scene.call("repairminder", "OrderActivityAttributes", #","subjectId":"\#(order)""#)

    #expect(answer.status == 201 && answer.json["subjectId"]?.stringValue == order.lowercased())
    #expect(answer.json["proposalId"] == nil)
  }
}

/// Ada's and Ben's phones with Repair Minder.
struct OrderScene {
  static let order = UUID(uuidString: "0d000000-0000-4000-8000-000000005678") ?? UUID()
  let activities: ActivityScene

  init(_ client: ScriptedClient, startToken: String? = "5eed5eed") async throws {
    activities = try await ActivityScene(client)
    try await activities.demo.connection.script(
      """
      INSERT INTO device_tokens (id, user_id, token, platform, app, environment)
      VALUES ('\(Self.device(.ada))', '\(Person.ada.id)', repeat('e5', 32), 'iOS', 'repairminder', 'sandbox'),
        ('\(Self.device(.ben))', '\(Person.ben.id)', repeat('e6', 32), 'iOS', 'repairminder', 'sandbox')
      """)
    if let startToken { try await register(startToken) }
  }

  private static func device(_ person: Person) -> String { "dd000000-0000-4000-8000-0000000000e\(person.rawValue)" }

  /// Registers a token for a person's phone, as the API does.
  func register(
    _ token: String, of person: Person = .ada, about subject: UUID? = nil, at now: Date = .now
  ) async throws {
    let (device, user) = (UUID(uuidString: Self.device(person)), UUID(uuidString: person.id))
    let registration = ActivityRegistration(
      device: device ?? UUID(), app: .repairMinder, attributesType: "OrderActivityAttributes", token: token,
      subject: subject)
    let registered = try await DeviceStore(activities.demo.connection).register(
      registration, for: PersonLive.Person(id: user ?? UUID()), at: now)
    guard registered != nil else { throw ActivityScene.NotRegistered() }
  }

  /// Inserts a row as Repair Minder does, and has its person told.
  func insert(
    _ kind: String, _ data: String, about entity: String = order.uuidString, for person: Person = .ada
  ) async throws {
    let record: String = try await activities.demo.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, body, entity_id, data)
      VALUES (\(person.id)::uuid, 'repairminder', \(kind), 'New Order', 'Order #1234', \(entity), \(data)::jsonb)
      RETURNING to_jsonb(notifications)::text AS record
      """
    ).only().decode("record")
    let event = RowEvent.event("INSERT", "notifications", record: record, id: UUID().uuidString)
    _ = try await activities.demo.run(
      NotificationCreated(store: activities.demo.store()), on: event, at: Date.now)
  }

  /// Calls the API as Ada, for her phone with Repair Minder.
  func call(_ app: String, _ type: String, _ subject: String) async throws -> APIAnswer {
    let api = APIScene(activities.demo)
    try await api.issueTokens()
    return try await api.call(
      api.devices, .post, "/api/v1/activities",
      #"{"app":"\#(app)","deviceId":"\#(Self.device(.ada))","attributesType":"\#(type)","token":"a1b2c3d4"\#(subject)}"#
    )
  }
}
