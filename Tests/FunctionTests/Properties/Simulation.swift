import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import World

/// A world, and the functions that tell its people of what the others do, on a clock of its own.
///
/// Everything random comes from one seed. Sent pushes are written down here as the sender saw them.
final class Simulation {
  let seed: UInt64
  let database: Connection
  let stores: [NotificationStore]
  let acts: CompletedActStore
  let queue: DeliveryStore
  var world: World
  /// For all but what people do.
  var random: SplitMix
  /// When schedules have something to do.
  var moments: [Date] = []
  /// Whether the sender is off.
  var isSenderOff = false

  var handed: [HandedEvent] = []
  var sent: [SentPush] = []
  var violations: [String] = []
  /// The languages and zones of what people were told, by person and app, and since when; the last is the present one.
  var languages: [String: [(since: Date, reading: Reading)]] = [:]
  /// The actions that LockItIn asked for when people marked everything as read, and the rows that say that they did.
  var (seenActions, readings): ([String: Set<String>], [String: String]) = ([:], [:])

  var clock: Date {
    get { world.clock }
    set { world.clock = newValue }
  }

  private static let acts: KeyValuePairs<World.Deed, Int> = [
    .createFeedback: 8, .comment: 11, .vote: 14, .flood: 1, .changeStatus: 7, .takeBack: 4,
    .propose: 6, .voteOnProposal: 20, .changeOptions: 4, .withdrawVote: 3, .confirm: 2, .collide: 3,
    .computeConflicts: 2, .befriend: 1, .invite: 2, .insertEntry: 9, .look: 4, .read: 3, .readAll: 2,
    .changePolicy: 2, .changeSwitch: 2, .changeDevice: 4, .changeZone: 1, .changeMute: 3, .changeMembership: 2,
    .sleepThroughMuch: 1,
  ]

  init(seed: UInt64, start: Date) async throws {
    (self.seed, random) = (seed, SplitMix(seed: seed, for: "simulation"))
    let url = try await TemporaryPostgres.database(
      migrated: { url in
        let connection = Connection(url: url, applicationName: "migration", statementTimeout: .seconds(300))
        for migration in Schema.migrations { try await connection.script(migration.sql) }
        await connection.close()
      }, named: "properties")
    database = Connection(
      url: url, applicationName: "simulation", statementTimeout: .seconds(300), parameters: Connection.plansOnce)
    stores = (0..<2).map {
      NotificationStore(
        Connection(url: url, applicationName: "function-\($0)", parameters: Connection.plansOnce), chunk: 3)
    }
    acts = CompletedActStore(Connection(url: url, applicationName: "action-completed"))
    queue = .postgres(Connection(url: url, applicationName: "sender", parameters: Connection.plansOnce))
    let habits = Habits(people: 7, focus: random.pick([60, 80, 100]))
    world = World(habits, seed: SplitMix(seed: seed), at: start)
    try await write(world.setUp + [Self.capture])
    try await noteLanguages()
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

  private func step() async throws {
    guard !random.percent(3) else { return isSenderOff = true }
    for act in world.act(among: Self.acts) {
      try await write(act.sql)
      try await noteSeen()
      try await noteLanguages()
      moments += act.moments
      try await tell(of: act)
    }
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

  private func write(_ statements: [String]) async throws {
    try await database.script(statements.joined(separator: ";\n"))
  }

  func violation(_ rule: String, _ what: String) { violations.append("\(rule): \(what)") }
}
