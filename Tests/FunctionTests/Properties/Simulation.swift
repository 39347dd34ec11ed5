import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport

/// People, what they do, and the functions that tell others of it, on a clock of its own.
///
/// Everything random comes from one seed. Sent pushes are written down here as the sender saw them.
final class Simulation {
  /// A text that is in every title that must not be shown.
  static let secret = "SECRET"
  static let zones = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "America/Santiago",
  ]

  let seed: UInt64
  let database: Connection
  let stores: [NotificationStore]
  let queue: DeliveryStore
  var random: SplitMix
  var clock: Date

  var people: [Person] = []
  var projects: [Project] = []
  var groups: [Group] = []
  var feedbacks: [Feedback] = []
  var proposals: [Proposal] = []
  var devices = 0
  /// When schedules have something to do.
  var moments: [Date] = []
  /// Whether the sender is off.
  var isSenderOff = false

  var handed: [HandedEvent] = []
  var sent: [SentPush] = []
  var violations: [String] = []

  struct Person {
    let id: UUID
    let name: String
    let email: String
  }

  struct Project {
    let id: UUID
    let people: [UUID]
  }

  struct Group {
    let id: UUID
    var members: [UUID]
  }

  struct Feedback {
    let id: UUID
    let project: Project
    let key: String
    let submitter: UUID?
    var status = "pending"
    var statusSince = Date.distantPast
    var voterKeys: Set<String> = []
    var voters: Set<UUID> = []
  }

  struct Proposal {
    let id: UUID
    let group: Int
    let creator: UUID
    let deadline: Date
    var options: [UUID]
    var isOpen = true
    var event: UUID?
    var votedAt = Date.distantPast
  }

  init(seed: UInt64, start: Date) async throws {
    (self.seed, clock, random) = (seed, start, SplitMix(seed: seed))
    let url = try await TemporaryPostgres.database(
      migrated: { url in
        let connection = Connection(url: url, applicationName: "migration", statementTimeout: .seconds(300))
        for migration in Schema.migrations { try await connection.script(migration.sql) }
        await connection.close()
      }, named: "properties")
    database = Connection(url: url, applicationName: "simulation", statementTimeout: .seconds(300))
    stores = (0..<2).map { NotificationStore(Connection(url: url, applicationName: "function-\($0)"), chunk: 3) }
    queue = .postgres(Connection(url: url, applicationName: "sender"))
    try await populate()
  }

  /// Lets `steps` things happen within some days, and then lets time pass until nothing waits any more.
  func run(steps: Int, days: Int) async throws {
    let end = clock + Double(days) * 86_400
    for step in 0..<steps {
      try await self.step()
      try await settle()
      if random.percent(20) { isSenderOff = false }
      if random.percent(30), let event = handed.isEmpty ? nil : random.pick(Array(handed.suffix(40))) {
        try await repeatEvent(event)
      }
      let left = end.timeIntervalSince(clock) / Double(steps - step)
      try await pass(left)
    }
    isSenderOff = false
    var again = handed
    again.shuffle(using: &random)
    for event in again { try await repeatEvent(event) }
    for _ in 0..<30 where try await waiting() > 0 || !moments.isEmpty { try await advance(to: clock + 86_400) }
  }

  /// Usually minutes, sometimes a night, on average as long as is given.
  private func pass(_ average: TimeInterval) async throws {
    let seconds =
      switch random.number(0..<10) {
      case 0..<4: Double(random.number(0..<180))
      case 4..<7: Double(random.number(180..<1_500))
      default: average * 3 * Double(random.number(50..<150)) / 100
      }
    try await advance(to: clock + seconds.rounded(.down))
  }

  func write(_ statement: SQL) async throws { _ = try await database.query(statement) }

  /// A row as the runner hands it to functions.
  func row(_ table: String, _ id: UUID) async throws -> String {
    try await database.query("SELECT row_to_json(t)::text AS row FROM \(identifier: table) t WHERE id = \(id)")
      .only().decode("row")
  }

  func violation(_ rule: String, _ what: String) { violations.append("\(rule): \(what)") }
}
