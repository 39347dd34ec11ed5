import Foundation
import FunctionKit
import TestSupport

/// Random people with their settings, and what happens to them, as SQL and as the lines that tell a function of it.
///
/// Everything comes from one seed. Nothing depends on the time of the machine or on what the function does.
struct BatchWorld {
  /// What the function is told at once.
  struct Chunk {
    /// What is done to the database before.
    var sql: [String] = []
    var lines: [String] = []
    /// When what is held is released afterwards; `nil` for not at all.
    var release: Date?
  }

  let function: String
  private(set) var setUp: [String] = []
  private(set) var chunks: [Chunk] = []

  var random: SplitMix
  var clock: Date
  var chunk = Chunk()
  /// How often something happens where much has happened, in percent.
  let focus: Int

  var people: [Person] = []
  var projects: [String] = []
  var feedbacks: [Feedback] = []
  var votes: Set<String> = []
  var groups: [Group] = []
  var proposals: [Proposal] = []
  var proposalVotes: [ProposalVote] = []
  var requests: [Request] = []
  var entries: [Entry] = []
  /// The documents of events, without the line's time.
  var told: [Told] = []
  /// Whether the chunk has events a second time; then its events are handled one by one.
  var hasRepetitions = false

  struct Person {
    let id: String
    let email: String
  }

  struct Feedback {
    let id: String
    let project: String
    let key: String
    let email: String?
    var status = "pending"
    var updatedAt: String
  }

  struct Group {
    let id: String
    let members: [String]
  }

  struct Proposal {
    let id: String
    let group: Group
    let options: [String]
  }

  struct ProposalVote {
    let id: String
    let proposal: String
    let option: String
    let person: String
    var vote: String
    let createdAt: String
    var updatedAt: String
  }

  /// A friend request or an invitation into a group.
  struct Request {
    let table: String
    let row: String
    let id: String
    var status = "pending"
  }

  /// An entry of an inbox.
  struct Entry {
    let id: String
    let row: String
    var isRead = false
  }

  /// - Parameter acts: how many things happen; each gives the function a line or two.
  init(seed: UInt64, of function: String, acts: Int = 160) {
    self.function = function
    random = SplitMix(seed: function.utf8.reduce(seed &* 0x9E37_79B9) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    clock = Date(timeIntervalSince1970: Double(1_772_000_000 + random.number(0..<864_000)))
    focus = random.pick([10, 40, 75])
    populate()
    for _ in 0..<random.number(6..<20) { addSubjects() }
    look()
    let hasRefusals = random.percent(30)
    if hasRefusals { refuseSomebody() }
    setUp = chunk.sql
    chunk = Chunk()
    var left = acts
    while left > 0 {
      // Now and then there are more lines than a batch takes.
      let size = min(left, random.number(random.pick([1..<9, 9..<65, 9..<65, 9..<65, 65..<150])))
      hasRepetitions = random.percent(40)
      if !chunks.isEmpty { for _ in 0..<random.number(0..<4) { live() } }
      while chunk.lines.count < size { happen() }
      if random.percent(35), !hasRefusals { chunk.release = clock }
      chunks.append(chunk)
      (left, chunk) = (left - size, Chunk())
    }
  }

  /// The lines that have answers.
  var lines: [String] { chunks.flatMap(\.lines).filter { !$0.isEmpty } }

  /// The clock as a text.
  var time: String { RFC3339.string(clock) }

  mutating func pass() {
    let seconds =
      switch random.number(0..<100) {
      case 0..<45: 0
      case 45..<70: random.number(1..<30)
      case 70..<90: random.number(30..<300)
      default: random.number(300..<901)
      }
    clock += Double(seconds)
  }

  mutating func write(_ statement: String) { chunk.sql.append(statement) }

  /// The values of a row as SQL takes them; `nil` is NULL.
  func values(_ values: [String?]) -> String {
    values.map { value in value.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL" }.joined(separator: ", ")
  }

  /// Inserts a row, and returns it as JSON.
  ///
  /// - Parameter literals: columns that are not text in JSON.
  @discardableResult
  mutating func insert(
    into table: String, _ columns: KeyValuePairs<String, String?>, _ literals: KeyValuePairs<String, String> = [:],
    writes: Bool = true
  ) -> String {
    if writes {
      let names = columns.map(\.key) + literals.map(\.key)
      let given = literals.isEmpty ? "" : ", " + literals.map { "'\($0.value)'" }.joined(separator: ", ")
      write("INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values(columns.map(\.value)))\(given))")
    }
    let texts = columns.map { name, value in "\"\(name)\":" + (value.map { "\"\($0)\"" } ?? "null") }
    return "{\((texts + literals.map { "\"\($0.key)\":\($0.value)" }).joined(separator: ","))}"
  }
}
