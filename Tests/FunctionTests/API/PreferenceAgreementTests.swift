import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import EventConfirmed
@testable import EventReminder
@testable import FeedbackCreated
@testable import NotificationCreated
@testable import ProposalCreated
@testable import ProposalReminder
@testable import ProposalVoteCast
@testable import StatusChanged
@testable import VoteCast

extension APIScene {
  /// Another caller of the same database, with a connection of its own.
  static func second(_ scene: APIScene) async throws -> APIScene { APIScene(like: scene) }

  private init(like scene: APIScene) {
    demo = scene.demo
    connection = Connection(url: scene.demo.url, applicationName: "function")
  }

  /// A function's decision about a person in a dry run.
  func decision(_ event: TriggeringEvent, _ person: Person) async throws -> String {
    let store = demo.store()
    let answer =
      switch event {
      case .feedbackCreated: try await run(FeedbackCreated(store: store), RowEvent.feedbackCreated())
      case .commentAdded: try await run(CommentAdded(store: store), RowEvent.commentAdded())
      case .voteCast: try await run(VoteCast(store: store), RowEvent.voteCast())
      case .statusChanged: try await run(StatusChanged(store: store), RowEvent.statusChanged())
      case .proposalCreated: try await run(ProposalCreated(store: store), RowEvent.proposal("INSERT"), Demo.dayBefore)
      case .proposalReminder: try await run(ProposalReminder(store: store), Self.tick, Demo.dayBefore + 82_800)
      case .proposalVoteCast(let document): try await run(ProposalVoteCast(store: store), document, Demo.dayBefore)
      case .eventConfirmed:
        try await run(
          EventConfirmed(store: store),
          RowEvent.proposal("UPDATE", from: #""status":"open""#, to: #""status":"confirmed""#), Demo.dayBefore)
      case .appEntry(let document):
        try await run(NotificationCreated(store: store), document)
      case .eventReminder(let minutes):
        try await run(
          EventReminder(store: store), Self.tick, Date(timeIntervalSince1970: 1_894_474_800 - minutes * 60))
      }
    return answer.decisions[person] ?? "nothing"
  }

  private func run<F: Function>(
    _ function: F, _ event: String, _ now: Date = Demo.now
  ) async throws -> Answer where F.Output == RawJSON {
    try await demo.run(function, on: event, dryRun: true, at: now)
  }

  private static let tick = #"{"specversion":"1.0","id":"t1","source":"/schedules","type":"tick","data":{}}"#

  enum TriggeringEvent {
    case feedbackCreated, commentAdded, voteCast, proposalCreated, proposalReminder, eventConfirmed
    case statusChanged
    case proposalVoteCast(String), appEntry(String)
    case eventReminder(minutes: Double)
  }
}

extension String {
  /// Whether a decision was made behind the gates that ask about switches.
  fileprivate var isHeard: String {
    let reasons = ["suppress disabled", "suppress project_muted", "suppress type_disabled"]
    return self == "nothing" || self == "suppress actor" ? self : "\(!reasons.contains { hasPrefix($0) })"
  }
}

/// The effective preferences are what the functions themselves decide by.
@Suite(.heavy)
struct PreferenceAgreementTests {
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ state >> 29) &* 0xbf58_476d_1ce4_e5b9
    }
    mutating func bool() -> String { ["true", "false"].randomElement(using: &self) ?? "" }
    mutating func maybe() -> String { ["true", "false", "null"].randomElement(using: &self) ?? "" }
    mutating func object(_ names: [String], _ value: (inout Dice) -> String) -> String {
      "{\(names.map { "\"\($0)\":\(value(&self))" }.joined(separator: ","))}"
    }
  }

  @Test func ofAProject() async throws {
    let scene = try await APIScene()
    try await scene.connection.script("UPDATE comments SET user_id = 'sdk'")
    var dice = Dice(state: 1)
    var seen: Set<String> = []
    for round in 0..<100 {
      let names = ["newFeedback", "newComments", "votes", "statusChanges"]
      let overrides = dice.object(names) { $0.maybe() }.dropLast() + ",\"muted\":\(round % 8 == 0)}"
      _ = try await scene.patch(APIScene.projectPath, as: .ben, #"{"push":\#(overrides)}"#)
      let personal = PersonalSwitch.all(of: .feedbackKit).map(\.name)
      let switches = dice.object(personal) { $0.bool() }.dropLast() + ",\"pushNotificationsEnabled\":\(round % 7 != 0)}"
      _ = try await scene.patch(APIScene.personal, as: .ben, String(switches))

      let answer = try await scene.read(APIScene.projectPath, as: .ben)
      try await scene.connection.script("UPDATE feedbacks SET user_id = 'sdk', user_email = 'grace@example.com'")
      var decided = [
        "newFeedback": try await scene.decision(.feedbackCreated, .ben),
        "newComments": try await scene.decision(.commentAdded, .ben),
      ]
      try await scene.connection.script("UPDATE feedbacks SET user_id = '\(Person.ben.id)'")
      decided["votes"] = try await scene.decision(.voteCast, .ben)
      decided["statusChanges"] = try await scene.decision(.statusChanged, .ben)

      for (name, decision) in decided {
        let effective = answer["effectivePreferences", "push", name]
        #expect(effective == decision.isHeard, "\(name): \(decision) with \(overrides) over \(switches)")
        seen.insert(String(decision.split(separator: " ").prefix(2).joined(separator: " ")))
      }
    }
    #expect(seen.isSuperset(of: ["suppress disabled", "suppress project_muted", "suppress type_disabled"]))
  }

  @Test func ofAGroup() async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      """
      UPDATE event_attendees SET status = 'yes', travel_minutes = NULL;
      INSERT INTO events (group_id, proposal_id, title, starts_at, ends_at) VALUES
        ('\(Demo.group)', '\(Demo.proposal)', 'Game Night', '2031-01-12 19:00+00', '2031-01-12 23:00+00');
      """)
    _ = try await scene.demo.cast("yes", by: .hugo)
    let lead = try await scene.demo.cast("yes", by: .chloe, "e2")
    let asked: [(String, Person, APIScene.TriggeringEvent)] = [
      ("proposalNotifications", .eva, .proposalCreated), ("votingDeadline", .eva, .proposalReminder),
      ("confirmations", .eva, .eventConfirmed), ("eventReminders", .eva, .eventReminder(minutes: 30)),
      ("dayBeforeReminders", .eva, .eventReminder(minutes: 1_440)), ("voteUpdates", .ben, .proposalVoteCast(lead)),
      ("voteCast", .ada, .proposalVoteCast(lead)),
    ]
    var dice = Dice(state: 2)
    var seen: Set<String> = []
    for round in 0..<60 {
      let names = Override.group.map(\.name)
      let level = ["all", "all", "important", "muted"].randomElement(using: &dice) ?? ""
      let overrides = #"{"push":\#(dice.object(names) { $0.maybe() }.dropLast()),"level":"\#(level)"}}"#
      let switches =
        #"{"switches":\#(dice.object(names) { $0.maybe() }),"pushNotificationsEnabled":\#(round % 7 != 0)}"#
      let ofProposal = dice.maybe()
      for person in [Person.ada, .ben, .eva] {
        #expect(try await scene.patch(APIScene.groupPath, as: person, overrides).status == 200)
        #expect(try await scene.patch(APIScene.personal, as: person, app: "lockitin", switches).status == 200)
      }
      for (name, person, event) in asked where name != "voteCast" {
        let answer = try await scene.read(APIScene.groupPath, as: person)
        let status = name == "confirmations" ? "confirmed" : "open"
        _ = try await scene.connection.query("UPDATE event_proposals SET status = \(status)")
        let decision = try await scene.decision(event, person)
        #expect(
          answer["effectivePreferences", "push", name] == decision.isHeard,
          "\(name): \(decision) with \(overrides) over \(switches)")
        seen.insert("\(name) \(decision.isHeard)")
      }
      let answer = try await scene.patch(APIScene.proposal, #"{"voteCast":\#(ofProposal)}"#)
      let decision = try await scene.decision(.proposalVoteCast(lead), .ada)
      #expect(
        answer["effectivePreferences", "push", "voteCast"] == decision.isHeard,
        "\(ofProposal): \(decision) with \(overrides) over \(switches)")
      seen.insert("voteCast \(decision.isHeard)")
    }
    #expect(seen == Set(asked.flatMap { ["\($0.0) true", "\($0.0) false"] }))
  }

  /// Rows that an app inserts itself, and held notifications that come due, are decided by other statements.
  @Test(arguments: ["proposal_created", "proposal_reminder", "event_confirmed", "event_day_before", "vote_cast"])
  func ofWhatAnAppInsertedAndOfWhatWaited(_ type: String) async throws {
    let scene = try await APIScene()
    let name = try #require(
      PersonalSwitch.all(of: .lockItIn).first { $0.kinds.contains { $0.name == type } }?.name)
    let entry = try await scene.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, body, proposal_id, recipient_reason, importance, payload, push_expires_at)
      VALUES (\(Person.eva.id)::uuid, 'lockitin', \(type), 'x', 'y', \(Demo.proposal)::uuid, 'member',
        \(Kind.named(type, of: .lockItIn)?.importance.rawValue ?? ""), '{"aps":{"badge":0}}',
        \(Demo.now + 86_400))
      RETURNING to_jsonb(notifications)::text AS record, id
      """
    ).only()
    let inserted = RowEvent.event("INSERT", "notifications", record: try entry.decode("record"))
    _ = try await scene.connection.query(
      """
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      VALUES (\(try entry.decode("id", as: UUID.self)), \(Person.eva.id)::uuid, 'lockitin', 'quiet_hours', \(Demo.now),
        \(Demo.now))
      """)
    var dice = Dice(state: 3)
    var seen: Set<String> = []
    for _ in 0..<25 {
      let names = Override.group.map(\.name)
      let level = ["all", "all", "important", "muted"].randomElement(using: &dice) ?? ""
      let overrides = #"{"push":\#(dice.object(names) { $0.maybe() }.dropLast()),"level":"\#(level)"}}"#
      let switches = #"{"switches":\#(dice.object(names) { $0.maybe() })}"#
      _ = try await scene.patch(APIScene.personal, as: .eva, app: "lockitin", switches)

      let effective = try await scene.patch(APIScene.groupPath, as: .eva, overrides)[
        "effectivePreferences", "push", name]
      let decision = try await scene.decision(.appEntry(inserted), .eva)
      let released = try await scene.demo.store().release(at: Demo.now + 60, dryRun: true).released

      #expect(effective == decision.isHeard, "\(decision) with \(overrides) over \(switches)")
      #expect(effective == "\(released == 1)", "held, with \(overrides) over \(switches)")
      seen.insert(decision.isHeard)
    }
    #expect(seen == ["true", "false"])
  }
}
