import Foundation
import FunctionKit
import TestSupport
import World

/// The events of a world, as SQL and as the lines that tell one function of it.
///
/// Some lines are invalid, some come again, and some tell of a row that is gone. Everything comes from one seed.
struct BatchPlan {
  /// The lines that the function is told at once.
  struct Chunk {
    /// The statements before it.
    var sql: [String] = []
    var lines: [String] = []
    /// When what is held is released afterwards; `nil` for not at all.
    var release: Date?
  }

  /// An event without its time, which a line may repeat later.
  private struct Told {
    let id: String
    let source: String
    let event: World.Event
  }

  let function: String
  private(set) var setUp: [String] = []
  private(set) var chunks: [Chunk] = []
  var random: SplitMix
  var world: World
  private var chunk = Chunk()
  private var told: [Told] = []
  /// Whether the chunk has events a second time; then its events are handled one by one.
  private var hasRepetitions = false

  /// The deeds that a function is told of.
  private static let acts: [String: KeyValuePairs<World.Deed, Int>] = [
    "feedback-created": [.createFeedback: 1], "comment-added": [.comment: 1], "vote-cast": [.vote: 1],
    "status-changed": [.changeStatus: 1], "proposal-vote-cast": [.voteOnProposal: 1],
    "notification-created": [.insertEntry: 1],
    "action-completed": [.voteOnProposal: 4, .answer: 2, .readEntry: 3, .loseBadge: 1],
  ]

  /// The deeds of people between the function's chunks.
  private static let life: KeyValuePairs<World.Deed, Int> = [
    .changePolicy: 1, .changeMute: 1, .changeSwitch: 1, .look: 1, .changeDevice: 1, .readAll: 2, .takeBack: 2,
  ]

  /// - Parameter acts: how many things happen; each gives the function a line or two.
  init(seed: UInt64, of function: String, acts: Int = 160) {
    self.function = function
    random = SplitMix(seed: seed, for: function)
    let habits = Habits(
      people: 14, focus: random.pick([10, 40, 75]), switches: 12, stays: [0, 300, 10_000, 10_000], votesLate: true,
      insertsUnknownKinds: true)
    world = World(
      habits, seed: SplitMix(seed: random.next()),
      at: Date(timeIntervalSince1970: Double(1_772_000_000 + random.number(0..<864_000))))
    let hasRefusals = random.percent(30)
    setUp = world.setUp + subjects() + world.act(.look).flatMap(\.sql) + (hasRefusals ? refusals() : [])
    var left = acts
    while left > 0 {
      // Now and then there are more lines than a batch takes.
      let size = min(left, random.number(random.pick([1..<9, 9..<65, 9..<65, 9..<65, 65..<150])))
      hasRepetitions = random.percent(40)
      if !chunks.isEmpty { for _ in 0..<random.number(0..<4) { live() } }
      while chunk.lines.count < size { happen() }
      if random.percent(35), !hasRefusals { chunk.release = world.clock }
      chunks.append(chunk)
      (left, chunk) = (left - size, Chunk())
    }
  }

  /// The lines that have answers.
  var lines: [String] { chunks.flatMap(\.lines).filter { !$0.isEmpty } }

  /// People do something, or what is to be sent is sent to one of them.
  private mutating func live() {
    guard random.percent(12) else { return chunk.sql += world.act(among: Self.life).flatMap(\.sql) }
    let time = RFC3339.string(world.clock)
    chunk.sql.append(
      """
      UPDATE deliveries SET state = 'accepted', accepted_at = '\(time)', updated_at = '\(time)'
      WHERE state = 'queued' AND user_id = '\(random.pick(world.people).id)'
      """)
  }

  /// Something happens, and the function gets an event: a new one, an earlier one again, or one without a row.
  private mutating func happen() {
    pass()
    let earlier = hasRepetitions && !told.isEmpty ? random.pick(told.suffix(12).map(\.self)) : nil
    switch (random.number(0..<100), earlier) {
    case (0..<5, _): chunk.lines.append(random.pick(Self.invalid))
    case (5..<7, _): chunk.lines.append("")
    case (7..<16, let earlier?): chunk.lines.append(line(earlier))
    // The same change by another entrance.
    case (16..<22, let earlier?): tell(Told(id: "h\(told.count)", source: "/http", event: earlier.event))
    // Another id of the same source: the row was deleted and inserted again.
    case (22..<25, let earlier?): tell(Told(id: "e\(told.count)", source: earlier.source, event: earlier.event))
    default: act()
    }
  }

  private mutating func act() {
    let kinds = Self.acts[function] ?? [:]
    // Now and then the row is gone before anybody reads it.
    for act in random.percent(6) ? world.actInVain(among: kinds) : world.act(among: kinds) {
      chunk.sql += act.sql
      if let event = act.event { tell(Told(id: "e\(told.count)", source: "/db", event: event)) }
    }
  }

  private mutating func pass() {
    let seconds =
      switch random.number(0..<100) {
      case 0..<45: 0
      case 45..<70: random.number(1..<30)
      case 70..<90: random.number(30..<300)
      default: random.number(300..<901)
      }
    world.clock += Double(seconds)
  }

  private mutating func tell(_ event: Told) {
    told.append(event)
    chunk.lines.append(line(event))
  }

  private func line(_ told: Told) -> String { told.event.document(told.id, from: told.source, at: world.clock) }

  /// Lines that no function takes.
  private static let invalid = [
    "nonsense", "{}", "[1]", #"{"specversion":"1.0","id":"x"}"#, #"{"specversion":"0.3","id":"x","source":"/db"}"#,
    #"{"specversion":"1.0","id":"bad1","source":"/db","type":"dev.push-functions.row","data":null}"#,
    """
    {"specversion":"1.0","id":"bad2","source":"/db","type":"dev.push-functions.row","data":{"type":"INSERT",\
    "table":"projects","schema":"public","record":{"id":"00000000-0000-4000-8000-000000000000"},"old_record":null}}
    """,
    """
    {"specversion":"1.0","id":"bad3","source":"/db","type":"dev.push-functions.row","data":{"type":"DELETE",\
    "table":"votes","schema":"public","record":null,"old_record":{"id":"00000000-0000-4000-8000-000000000000"}}}
    """,
    """
    {"specversion":"1.0","id":"bad4","source":"/db","type":"dev.push-functions.row","data":{"type":"INSERT",\
    "table":"votes","schema":"public","record":{"id":7},"old_record":null}}
    """,
  ]
}
