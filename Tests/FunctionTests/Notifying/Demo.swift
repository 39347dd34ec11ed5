import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport

/// A database of its own with the demo's people, and functions that work on it.
struct Demo {
  static let now = Date(timeIntervalSince1970: 1_790_000_000)
  /// 2030-01-05 18:00 UTC, two hours before votes for the game night end.
  static let beforeDeadline = Date(timeIntervalSince1970: 1_893_866_400)
  /// 2030-01-12 18:30 UTC, half an hour before the picnic.
  static let beforePicnic = Date(timeIntervalSince1970: 1_894_473_000)

  let url: String
  let connection: Connection
  private let spares = SpareConnections()

  init() async throws {
    self.init(at: try await TemporaryPostgres.database(migrated: Self.fill, named: "demo"))
  }

  /// - Parameters:
  ///   - name: what such databases have in common: one is filled, and the others are copies of it.
  ///   - fill: adds to the demo's people; it keeps no session.
  init(named name: String, filled fill: @escaping @Sendable (Demo) async throws -> Void) async throws {
    let url = try await TemporaryPostgres.database(
      migrated: { url in
        try await Self.load(into: url)
        let demo = Demo(at: url)
        try await fill(demo)
        try await demo.functionsHaveEnded()
        await demo.connection.close()
      }, named: name)
    self.init(at: url)
  }

  private init(at url: String) {
    self.url = url
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
  }

  /// - Parameter table: a table of the app's own, with its columns, that has no more than the name of one of ours.
  init(besides table: (name: String, columns: String)) async throws {
    self.init(at: try await TemporaryPostgres.database())
    try await connection.script("CREATE TABLE \(table.name) (\(table.columns)); \(Schema.preparation.sql)")
    try await Self.load(into: url, but: table.name)
  }

  private static let fill: @Sendable (String) async throws -> Void = { try await load(into: $0) }

  private static func load(into url: String, but table: String? = nil) async throws {
    let connection = Connection(url: url, applicationName: "migration", statementTimeout: .seconds(300))
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    let rows = try Repository.text("Runner/Demo/demo.sql").split(separator: ";\n")
      .filter { statement in table.map { !statement.contains("INSERT INTO \($0) ") } ?? true }
    try await connection.script(rows.joined(separator: ";\n"))
    // Events before the demo's beginning are there for its sample events alone: tests begin without them.
    try await connection.script(
      """
      DELETE FROM notifications; DELETE FROM device_tokens WHERE app = 'repairminder';
      DELETE FROM events WHERE title = 'Movie Night'; DELETE FROM event_proposals WHERE title = 'Movie Night'
      """)
    await connection.close()
  }

  /// A connection of a function, which nobody else holds.
  func connection(
    of function: String = "function", _ parameters: [(name: StaticString, value: StaticString)] = []
  ) -> Connection {
    spares.take("\(function) \(parameters)") {
      Connection(url: url, applicationName: function, parameters: parameters)
    }
  }

  /// Waits until no function has a session any more, and what all sessions have read and written is in the figures.
  func functionsHaveEnded() async throws {
    spares.letGo()
    try await connection.waitForEnd()
    try await connection.reportFigures()
  }

  /// A store whose connection nobody else holds, and whose sessions plan their statements as a function's do.
  func store(chunk: Int = 5_000) -> NotificationStore {
    NotificationStore(connection(of: "function", Connection.plansOnce), chunk: chunk)
  }

  /// The same for the deliveries that wait.
  func queue(log: Log = Log { _ in }) -> DeliveryStore {
    .postgres(connection(of: "push-delivery", Connection.plansOnce), log: log)
  }

  /// Runs a function on an event and reads its answer.
  func run<F: Function>(
    _ function: F, on document: String, dryRun: Bool = false, at now: Date = Demo.now
  ) async throws -> Answer where F.Output == RawJSON {
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    let event = Event(envelope: envelope, data: try F.payload(envelope.data))
    let context = Context(function: F.name, dryRun: dryRun, now: now, log: Log { _ in })
    return try Answer(try await function.handle(event, context))
  }

  /// One number that a query finds.
  func number(_ query: SQL) async throws -> Int {
    try await connection.query("SELECT (\(query))::bigint AS number").only().decode("number")
  }

  /// The rows that a function may have written, told by their number.
  func effects() async throws -> [Int] {
    var counts: [Int] = []
    for table in ["notifications", "deliveries", "decisions", "handled_events", "notification_state"] {
      counts.append(try await number("SELECT count(*) FROM \(identifier: table)"))
    }
    return counts
  }
}

/// A function's answer.
struct Answer {
  let result: NotificationResult
  let json: RawJSON

  init(_ json: RawJSON) throws {
    self.json = json
    result = try JSONCoding.decode(NotificationResult.self, from: json)
  }

  /// The decisions, as `decision reason` by the person's name.
  var decisions: [Person: String] {
    Dictionary(
      result.decisions.compactMap { entry in
        Person.allCases.first { $0.id == entry.user }.map { ($0, "\(entry.decision) \(entry.reason)") }
      }, uniquingKeysWith: { $0 + ", " + $1 })
  }
}

/// The people of the demo.
enum Person: Int, CaseIterable {
  case ada = 1, ben, chloe, dan, eva, finn, grace, hugo

  var id: String { "a0000000-0000-4000-8000-00000000000\(rawValue)" }
}

/// Files of the repository.
enum Repository {
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: self.path(path), encoding: .utf8)
  }

  /// The apps with payloads on file.
  static var apps: [App] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: path("Tests/FunctionTests/Payloads")).compactMap(App.init)
    }
  }

  static func path(_ path: String) -> String {
    "/\(#filePath.split(separator: "/").dropLast(4).joined(separator: "/"))/\(path)"
  }
}
