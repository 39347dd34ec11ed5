import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import PushPayload

@testable import PushDelivery

/// A way in which a notification leaves for its phone.
enum LeavingWay: CaseIterable {
  case atOnce, held, digest, summary, summaryAgain, again, snoozed, silent

  /// The ways of a kind's notifications, by the catalogue.
  init?(_ way: LeavingWay, of kind: Kind) {
    let waits = kind.quietHours == .delay && kind.importance != .urgent
    let isPossible =
      switch way {
      case .atOnce, .again: true
      case .held: waits
      case .summary, .summaryAgain: waits && !kind.isPressing
      case .digest: kind.family != nil
      case .snoozed: kind.category.flatMap(ActionCategory.init)?.actions.contains(.snooze) ?? false
      case .silent: false
      }
    guard isPossible else { return nil }
    self = way
  }

  /// Whether it begins in quiet hours.
  var isAtNight: Bool { [.held, .summary, .summaryAgain].contains(self) }
}

/// People who are told something each, which becomes untrue or something else before it leaves.
struct LeavingScene {
  private static let base = Demo.dayBefore
  /// The quiet hours, which have begun, end an hour later.
  private static let awake = base + 3_600 + 61
  /// Time passes while a release takes long; a push that is sent this much later is not late yet.
  private static let longestRelease: TimeInterval = 45

  /// One person's notification.
  struct Cell {
    let app: App
    let name: String
    let told: Told
    let turn: Turn
    /// Three digits.
    let number: Int

    /// The turn that things take before it leaves.
    enum Turn: CaseIterable { case nothing, end, change }

    fileprivate var meanwhile: String {
      switch turn {
      case .nothing: "SELECT"
      case .end: fill(told.end)
      case .change: fill(told.change ?? "")
      }
    }

    func act(_ act: Int) -> String { fill(told.act, act) }

    func event(_ act: Int) -> String { fill(told.event("\(name) {k} {n}"), act) }

    /// With ids in the place of their names.
    func fill(_ text: String, _ act: Int = 1) -> String {
      let (p, q, r) = (person, id("a2"), id("a3"))
      return [
        ("{p}", p), ("{q}", q), ("{r}", r), ("{voter}", act == 1 ? q : r), ("{option}", act == 1 ? "6" : "5"),
        ("{status}", act == 1 ? "in_progress" : "completed"), ("{earlier}", act == 1 ? "approved" : "in_progress"),
        ("{n}", "\(act)"), ("{k}", "\(number)"),
      ].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    var person: String { id("a1") }
    var phone: String { "phone \(number)" }
    private func id(_ prefix: String) -> String { "\(prefix)000000-0000-4000-8000-000000000\(number)" }
  }

  let demo: Demo
  let cells: [Cell]
  private let way: LeavingWay

  init(_ told: [(app: App, name: String, told: Told)], by way: LeavingWay) async throws {
    demo = try await Demo()
    self.way = way
    let turns = told.flatMap { row in
      Cell.Turn.allCases.filter { $0 != .change || row.told.change != nil }.map { (row: row, turn: $0) }
    }
    cells = turns.enumerated().map { place, cell in
      Cell(app: cell.row.app, name: cell.row.name, told: cell.row.told, turn: cell.turn, number: 100 + place)
    }
    try await script(cells.map(people) + cells.map { $0.fill($0.told.facts) })
  }

  private func script(_ statements: [String]) async throws {
    try await demo.connection.script(statements.joined(separator: ";\n"))
  }

  private func people(of cell: Cell) -> String {
    let (columns, values) = (
      "timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end, quiet_hours_summary",
      "'UTC', \(way.isAtNight), '19:00', '21:00', true"
    )
    return cell.fill(
      """
      INSERT INTO users (id, email, name) VALUES
        ('{p}', 'p{k}@example.com', 'Pia'), ('{q}', 'q{k}@example.com', 'Ann'), ('{r}', 'r{k}@example.com', 'Ben');
      INSERT INTO device_tokens (user_id, token, platform, app) VALUES
        ('{p}', '\(cell.phone)', 'iOS', '\(cell.app.rawValue)');
      INSERT INTO user_notification_preferences (user_id, \(columns)) VALUES ('{p}', \(values));
      INSERT INTO notification_settings (user_id, app, \(columns)) VALUES ('{p}', '\(cell.app.rawValue)', \(values))
      """)
  }

  /// Plays the way; answers with the payloads that left for each phone after the change.
  func play() async throws -> [String: [String]] {
    let base = Self.base
    try await script(cells.map { $0.act(1) })
    if way == .atOnce { try await meanwhile() }
    try await tell(1, at: base)
    switch way {
    case .atOnce: return try await sent(at: base + 1)
    case .silent:
      try await meanwhile()
      return try await sent(at: base + 11)
    case .again:
      try await fail(at: base + 1)
      try await meanwhile()
      return try await sent(at: base + 1_000)
    case .digest:
      _ = try await sent(at: base + 1)
      try await script(cells.map { $0.act(2) })
      try await tell(2, at: base + 60)
      try await meanwhile()
      return try await released(at: base + 661)
    case .snoozed:
      _ = try await sent(at: base + 1)
      for cell in cells { try await snooze(cell, at: base + 2) }
      try await meanwhile()
      return try await released(at: base + 302)
    case .held, .summary, .summaryAgain:
      if way != .held { try await script(cells.map(fillers)) }
      if way != .summaryAgain {
        try await meanwhile()
        return try await released(at: Self.awake)
      }
      _ = try await demo.store().release(at: Self.awake, dryRun: false)
      try await fail(at: Self.awake + Self.longestRelease)
      try await meanwhile()
      return try await sent(at: Self.awake + 1_000)
    }
  }

  /// The words of a person's entries of the cell's kind.
  func entries(of cell: Cell) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT title || ' ' || body AS text FROM notifications
      WHERE user_id = \(cell.person)::uuid AND type = \(cell.name) AND title NOT LIKE 'Filler%'
        AND is_archived IS NOT TRUE
      """
    ).decode("text")
  }

  private func tell(_ act: Int, at now: Date) async throws {
    for cell in cells { try await cell.told.run(cell.event(act), demo, now) }
  }

  private func meanwhile() async throws { try await script(cells.map(\.meanwhile)) }

  /// Three other things for the person, which wait for the end of the quiet hours.
  private func fillers(for cell: Cell) -> String {
    let kind = cell.app.profile.kinds.first { LeavingWay(.summary, of: $0) != nil && $0.isOnByDefault }
    return cell.fill(
      """
      WITH filler AS (
        INSERT INTO notifications (user_id, app, type, title, body, data, payload, recipient_reason, created_at)
        SELECT '{p}', '\(cell.app.rawValue)', '\(kind?.name ?? "")', 'Filler ' || n, 'x', '{}',
          '{"aps":{"alert":"Filler"}}', 'addressee', to_timestamp(\(Self.base.timeIntervalSince1970 - 60) + n)
        FROM generate_series(1, 3) n
        RETURNING *
      )
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'quiet_hours', to_timestamp(\(Self.base.timeIntervalSince1970 + 3_600)), created_at FROM filler
      """)
  }

  private func snooze(_ cell: Cell, at now: Date) async throws {
    let row = try await demo.connection.query(
      "SELECT id, user_id FROM notifications WHERE user_id = \(cell.person)::uuid AND type = \(cell.name)"
    ).only()
    _ = try await ActionStore(demo.connection).act(
      ChosenAction(notification: try row.decode("id"), action: .snooze),
      by: PersonLive.Person(id: try row.decode("user_id")), at: now)
  }

  private func fail(at now: Date) async throws {
    try await deliver(ScriptedClient(.retryLater(atLeast: nil), status: 503), at: now)
  }

  private func released(at now: Date) async throws -> [String: [String]] {
    _ = try await demo.store().release(at: now, dryRun: false)
    return try await sent(at: now + Self.longestRelease)
  }

  private func sent(at now: Date) async throws -> [String: [String]] {
    let client = ScriptedClient(.accepted, status: 200)
    try await deliver(client, at: now)
    let isWanted: (QueuedPush) -> Bool = { [way] in
      way == .silent ? $0.pushType == "background" : $0.payload.contains(#""alert""#)
    }
    let pushes = client.pushes.filter(isWanted)
    return Dictionary(grouping: pushes, by: \.device.token).mapValues { $0.map(\.payload) }
  }

  private func deliver(_ client: ScriptedClient, at now: Date) async throws {
    let store = demo.queue()
    _ = try await PushDelivery(store: store, client: client.client, jitter: { 0 }).handle(.wakeUp, .test(now: now))
  }
}
