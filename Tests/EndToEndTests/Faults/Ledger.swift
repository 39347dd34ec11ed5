import Foundation
import Postgres
import TestSupport
import Testing

/// A function that writes a line for each event it gets, and what it wrote.
///
/// It hears of inserts into `entries`: `number` counts the rows, those of one `key` in the order of their transactions.
struct Ledger {
  /// An event as the function got it.
  struct Entry {
    let id: String
    let key: String
    let n: Int
    let attempt: Int
    let process: pid_t
  }

  static let table = "CREATE TABLE entries (number bigint PRIMARY KEY, key text NOT NULL, note text)"

  /// A member of the manifest's `functions`.
  ///
  /// - Parameter settings: further members, each with a comma before it.
  static func function(_ name: String, _ settings: String = #","key":"key""#) -> String {
    #""\#(name)":{"executable":"\#(name).sh","triggers":[{"table":"entries","events":["INSERT"]}]\#(settings)}"#
  }

  static func manifest(_ functions: String...) -> String {
    #"{"functions":{\#(functions.joined(separator: ","))}}"#
  }

  /// The script of such a function, which knows `$id`, `$key`, `$n` and `$attempt`.
  ///
  /// - Parameters:
  ///   - before: what it does with an event before it writes its line.
  ///   - after: what it does after that; unless it exits, the event is then done.
  static func script(_ name: String, before: String = "", after: String = "") -> String {
    #"""
    exec 3>> '\#(name).ledger'
    while IFS= read -r line; do
      id=${line#*'"id":"'} id=${id%%'"'*}
      key=${line#*'"partitionkey":"'} key=${key%%'"'*}
      n=${line#*'"number": '} n=${n%%[!0-9]*} n=${n:-0}
      case $line in
        *'"attempt":'*) attempt=${line#*'"attempt":'} attempt=${attempt%%[!0-9]*} ;;
        *) attempt=0 ;;
      esac
      \#(before)
      printf '%s\n' "$id $key $n $attempt $$" >&3
      \#(after)
      printf '{"id":"%s","exit":0}\n' "$id"
    done
    """#
  }

  /// The script of such a function that takes all lines that are there as one batch, in Python.
  ///
  /// - Parameter behave: what it does before it writes its lines, with the numbers `ns` of the batch.
  static func batchScript(_ name: String, behave: String = "") -> String {
    #"""
    exec python3 -c "$(cat << 'END'
    import json, os, sys, time
    (rest, ledger) = (b"", open("\#(name).ledger", "a"))
    while chunk := os.read(0, 1 << 20):
        *lines, rest = (rest + chunk).split(b"\n")
        events = [json.loads(line) for line in lines]
        ns = [event["data"]["record"]["number"] for event in events]
        \#(behave)
        for event, n in zip(events, ns):
            ledger.write(f'{event["id"]} {event["partitionkey"]} {n} {event.get("attempt", 0)} {os.getpid()}\n')
        ledger.flush()
        os.write(1, "".join(json.dumps({"id": event["id"], "exit": 0}) + "\n" for event in events).encode())
    END
    )" "$@"
    """#
  }

  let entries: [Entry]

  /// Reads what a function has written until now.
  init(_ name: String, of runner: RunningRunner) throws {
    let file = "\(runner.project.path)/\(name).ledger"
    let written = FileManager.default.fileExists(atPath: file) ? try String(contentsOfFile: file, encoding: .utf8) : ""
    // The last line may be under way.
    let text = written.lastIndex(of: "\n").map { written[...$0] } ?? ""
    entries = try text.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      guard words.count == 5, let n = Int(words[2]), let attempt = Int(words[3]), let process = pid_t(words[4]) else {
        throw ProgramFailure(description: "A line of the ledger is broken: \(line)")
      }
      return Entry(id: String(words[0]), key: String(words[1]), n: n, attempt: attempt, process: process)
    }
  }

  /// The numbers of all rows whose events have arrived.
  var numbers: Set<Int> { Set(entries.map(\.n)) }

  /// Events that came before one of the same key that should have come first, by when each came first.
  ///
  /// - Parameter leavingOutFailed: passes over those that were tried again: the events behind a failed one go on.
  func misplaced(leavingOutFailed: Bool = false) -> [String] {
    let failed = leavingOutFailed ? Set(entries.filter { $0.attempt > 0 }.map(\.n)) : []
    var known: Set<Int> = []
    var highest: [String: Int] = [:]
    var misplaced: [String] = []
    for entry in entries where !failed.contains(entry.n) && known.insert(entry.n).inserted {
      if let before = highest[entry.key], before > entry.n { misplaced.append("\(entry.n) after \(before)") }
      highest[entry.key] = max(entry.n, highest[entry.key] ?? 0)
    }
    return misplaced
  }
}

extension RunningRunner {
  /// Nothing waits, for its first attempt or for another.
  static let isEmpty: SQL = "(SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries) = 0"

  /// A project with ledgers on a database with their table.
  static func withLedgers(
    _ manifest: String, scripts: [String: String], environment: [String: String] = [:], database url: String? = nil
  ) async throws -> RunningRunner {
    let runner = try await RunningRunner(
      manifest, scripts: Dictionary(uniqueKeysWithValues: scripts.map { ("\($0.key).sh", $0.value) }),
      environment: environment, database: url)
    try await runner.database.script(Ledger.table)
    return runner
  }

  /// Waits until nothing waits any more, and says what does when the time is over.
  func waitUntilEmpty(within limit: Duration = .seconds(120)) async throws {
    do {
      try await wait(within: limit, until: Self.isEmpty)
    } catch {
      let left = try await database.query(
        """
        SELECT concat_ws(' ', function, partition, id, key, 'first') AS line FROM runner.events
        UNION ALL
        SELECT concat_ws(' ', function, partition, id, key, attempt, code, run_at - runner.now()) FROM runner.retries
        LIMIT 20
        """
      ).decode("line", as: String.self)
      throw ProgramFailure(description: "There is left: \(left)")
    }
  }

  /// Waits until a function's ledger is as it should be.
  func wait(
    for name: String, within limit: Duration = .seconds(120), until isRight: (Ledger) -> Bool
  ) async throws {
    try await eventually("the ledger of \(name)", within: limit) { isRight(try Ledger(name, of: self)) }
  }

  /// Each row of `entries` has come to the function `ledger`, those of a key in their order; what it has written.
  @discardableResult
  func expectAllInOrder(at place: SourceLocation = #_sourceLocation) async throws -> Ledger {
    let ledger = try Ledger("ledger", of: self)
    let written = try await database.query("SELECT number FROM entries").decode("number", as: Int.self)
    #expect(ledger.numbers == Set(written), sourceLocation: place)
    #expect(ledger.misplaced().isEmpty, sourceLocation: place)
    return ledger
  }

  /// `vote-cast` has handled each vote and decided on each once, and no event is a dead letter.
  func expectEachVoteDecidedOnce(at place: SourceLocation = #_sourceLocation) async throws {
    let effects = try await database.query(
      """
      SELECT (SELECT count(*) FROM votes) AS votes, (SELECT count(*) FROM runner.dead_letters) AS dead,
        (SELECT count(*) FROM handled_events WHERE function = 'vote-cast' AND source LIKE '/%') AS handled,
        (SELECT count(DISTINCT event_id) FROM decisions) AS events, (SELECT count(*) FROM decisions) AS decisions
      """
    ).only()
    #expect(effects["dead"] == "0", sourceLocation: place)
    #expect(effects["handled"] == effects["votes"], sourceLocation: place)
    #expect(effects["decisions"] == effects["events"], sourceLocation: place)
  }
}

/// Asks again and again until the answer is yes.
func eventually(
  _ what: String, within limit: Duration = .seconds(120), _ isSo: () async throws -> Bool
) async throws {
  let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
  while try await !isSo() {
    guard ContinuousClock.now < deadline else { throw ProgramFailure(description: "It does not come to be: \(what)") }
    try await pauses.next()
  }
}
