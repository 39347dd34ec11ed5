import TestSupport

/// One writer's transactions, as text.
struct Transactions {
  /// A whole transaction.
  struct Transaction {
    let text: String
    /// The name under which it is prepared.
    var prepared: String?
  }

  private let writer: Int
  private let prepares: Bool
  private var drawn = 0
  private var feedbacks = 0
  private var people: [Int]

  /// How many feedbacks each writer has for itself.
  private static let feedbacksEach = 200

  init(writer: Int, prepares: Bool) {
    (self.writer, self.prepares) = (writer, prepares)
    // Each person reads something once in a round, since badges alone go out three times an hour.
    people = (1...40).filter { $0 % 20 == writer % 20 }
  }

  /// Begins a transaction, and keeps what has committed by then for its rows.
  private static let beginning = ["BEGIN", "SELECT set_config('chaos.seen', pg_current_snapshot()::text, true)"]

  /// The statement that ends a prepared transaction as its name says.
  static func settling(_ id: String) -> String {
    "\(id.hasSuffix("commit") ? "COMMIT" : "ROLLBACK") PREPARED '\(id)'"
  }

  mutating func next(_ series: inout SplitMix) -> Transaction {
    switch Int.random(in: 0..<100, using: &series) {
    case ..<25: return Transaction(text: rows("single", &series))
    case ..<30: return Transaction(text: reading(&series))
    case ..<38 where prepares: return preparing(&series)
    case ..<58: return Transaction(text: withSavepoints(&series))
    case ..<68: return Transaction(text: transaction("rolled-back", ending: "ROLLBACK", &series))
    default: return Transaction(text: transaction("transaction", ending: "COMMIT", &series))
    }
  }

  private mutating func transaction(_ way: String, ending: String, _ series: inout SplitMix) -> String {
    var statements = Self.beginning
    for _ in 0..<Int.random(in: 1...4, using: &series) {
      statements.append(Bool.random(using: &series) ? rows(way, &series) : post(&series))
      if Bool.random(using: &series) { statements.append(sleep(&series)) }
    }
    if way == "transaction" { statements.append(note(&series)) }
    return (statements + [ending]).joined(separator: ";\n")
  }

  private mutating func withSavepoints(_ series: inout SplitMix) -> String {
    var statements = Self.beginning
    for _ in 0..<Int.random(in: 1...3, using: &series) {
      statements += ["SAVEPOINT s", rows("savepoint", &series)]
      if Bool.random(using: &series) { statements.append(sleep(&series)) }
      if Int.random(in: 0..<4, using: &series) == 0 { statements.append(post(&series)) }
      statements.append(Bool.random(using: &series) ? "ROLLBACK TO SAVEPOINT s" : "RELEASE SAVEPOINT s")
    }
    return (statements + [rows("savepoint", &series), "COMMIT"]).joined(separator: ";\n")
  }

  private mutating func preparing(_ series: inout SplitMix) -> Transaction {
    drawn += 1
    let id = "chaos-\(writer)-\(drawn)-\(Int.random(in: 0..<4, using: &series) == 0 ? "rollback" : "commit")"
    let text = transaction("prepared", ending: "PREPARE TRANSACTION '\(id)'", &series)
    return Transaction(text: text, prepared: id)
  }

  /// Inserts one row or several into one of the tables.
  private mutating func rows(_ way: String, _ series: inout SplitMix) -> String {
    let table = ["letters", "letters", "parcels", "cards"].randomElement(using: &series) ?? ""
    let isBulk = Int.random(in: 0..<20, using: &series) == 0
    let count = isBulk ? Int.random(in: 50...250, using: &series) : Int.random(in: 1...3, using: &series)
    let first = draw(count)
    return """
      INSERT INTO \(table) (number, key, writer, way)
      SELECT n, 'k' || n % 12, 'w\(writer)', '\(way)' FROM generate_series(\(first), \(first + count - 1)) AS n
      """
  }

  /// Changes some of the writer's own rows, each once.
  private func note(_ series: inout SplitMix) -> String {
    "UPDATE parcels SET note = 'seen' WHERE writer = 'w\(writer)' AND note IS NULL "
      + "AND number % 4 = \(Int.random(in: 0..<4, using: &series))"
  }

  private func sleep(_ series: inout SplitMix) -> String {
    // Most are short; a few outlast everything that the runner waits for.
    let longest = Int.random(in: 0..<10, using: &series) == 0 ? 2_500 : 200
    return "SELECT pg_sleep(\(Double(Int.random(in: 1...longest, using: &series)) / 1_000))"
  }

  /// Writes something that a person has to be told.
  private mutating func post(_ series: inout SplitMix) -> String {
    let number = draw(1)
    let row = Self.uuid("d0000000", number)
    let person = Int.random(in: 1...40, using: &series)
    guard Bool.random(using: &series), feedbacks < 2 * Self.feedbacksEach, writer <= 20 else {
      return """
        INSERT INTO notifications (id, user_id, app, type, title, body, entity_id)
        VALUES ('\(row)', '\(Self.person(person))', 'repairminder', 'device_assigned', 'Device \(number)', 'It is yours',
          '\(row)');
        INSERT INTO chaos_posts VALUES (\(number), 'notification', '\(row)', '\(Self.person(person))')
        """
    }
    let feedback = (writer - 1) * Self.feedbacksEach + feedbacks / 2
    let isVote = feedbacks % 2 == 0
    feedbacks += 1
    let insertion =
      isVote
      ? "votes (id, feedback_id, user_id, user_email) VALUES ('\(row)', '\(Self.uuid("c0000000", feedback))', "
        + "'voter-\(number)', 'voter-\(number)@nowhere.example')"
      : "comments (id, feedback_id, user_id, content) VALUES ('\(row)', '\(Self.uuid("c0000000", feedback))', "
        + "'reader-\(number)', 'Comment \(number)')"
    return """
      INSERT INTO \(insertion);
      INSERT INTO chaos_posts
      VALUES (\(number), '\(isVote ? "vote" : "comment")', '\(row)', '\(Self.person(feedback % 40 + 1))',
        '\(Self.uuid("c0000000", feedback))')
      """
  }

  /// A person reads one thing, and the badge falls.
  private mutating func reading(_ series: inout SplitMix) -> String {
    guard let person = people.popLast() else { return rows("single", &series) }
    return """
      UPDATE notifications SET is_read = true WHERE id = (
        SELECT id FROM notifications WHERE user_id = '\(Self.person(person))' AND app = 'repairminder'
          AND is_read IS NOT TRUE AND type <> 'badge' ORDER BY created_at LIMIT 1)
      """
  }

  /// Numbers that nobody else draws.
  private mutating func draw(_ count: Int) -> Int {
    defer { drawn += count }
    return writer * 1_000_000 + drawn + 1
  }

  private static func person(_ number: Int) -> String { uuid("a0000000", number) }

  private static func uuid(_ family: String, _ number: Int) -> String {
    let digits = String(number)
    return "\(family)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}
