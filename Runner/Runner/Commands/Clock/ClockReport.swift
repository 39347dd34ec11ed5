import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Glibc
import Manifest
import Postgres
import Terminal

/// Prints what the runners have done since it printed last, in the order of the virtual clock.
struct ClockReport {
  /// The shortest time between two prints, because reading costs more than the work of a step.
  private static let interval = Duration.milliseconds(250)
  /// How often progress gets a new line if stderr is not a terminal.
  private static let pause = Duration.seconds(5)

  private let database: Connection
  private let answer: Reply
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let hidden: [String]
  private let start: Date
  private let end: Date
  private var journal: Journal
  private var since: Date
  private var printed = ContinuousClock.now
  private var said = ContinuousClock.now

  /// - Parameters:
  ///   - end: how far the clock goes.
  ///   - hidden: the functions whose successful ticks get no line.
  ///   - withMinor: whether minor lines of the journal are wanted, too.
  init(
    _ database: Connection, answer: Reply, until end: Date, hiding hidden: [String], withMinor: Bool,
    journal function: JournalFunction?
  ) async throws {
    (self.database, self.answer, self.end, self.hidden) = (database, answer, end, hidden)
    let row = try await database.query("SELECT clock_timestamp() AS real, runner.now() AS now").only()
    (since, start) = (try row.decode("real"), try row.decode("now"))
    journal = try await Journal(database, function, after: start, withMinor: withMinor)
  }

  /// Prints what is new, unless it did so a moment ago.
  mutating func print(at now: Date, isLast: Bool = false) async throws {
    guard isLast || ContinuousClock.now - printed >= Self.interval else { return }
    let rows = try await database.query(
      """
      SELECT recorded_at, ended_at, function, kind, coalesce(event_id, partition || '.' || id) AS event, attempt, code,
        duration_us::float8 / 1000 AS milliseconds, error
      FROM runner.history WHERE recorded_at > \(since) ORDER BY ended_at, recorded_at
      """)
    var lines: [(time: Date, say: () throws -> Int32)] = []
    for row in rows {
      since = max(since, try row.decode("recorded_at"))
      let (kind, code, attempt): (String, String, Int) = (
        try row.decode("kind"), try row.decode("code"), try row.decode("attempt")
      )
      let milliseconds: Double = try row.decode("milliseconds")
      let line = ClockLine(
        time: try row.decode("ended_at"), function: try row.decode("function"), kind: kind, event: row["event"],
        attempt: attempt, code: code, milliseconds: milliseconds, error: row["error"])
      if kind == "schedule", code == "OK", hidden.contains(line.function) { continue }
      let took = TimeText.length(milliseconds / 1_000) + (attempt > 0 ? "  attempt \(attempt + 1)" : "")
      let failure = line.error.map { "  \($0.firstLine)" } ?? ""
      let text = "\(TimeText.of(line.time))  \(line.function)  \(kind)  \(code)  \(took)\(failure)".onOneCleanLine
      lines.append((line.time, { [answer] in try answer(line, text: text) }))
    }
    for line in try await journal.next(through: now) {
      lines.append((line.time, { [answer] in answer(json: line.document, text: line.text) }))
    }
    clearProgress()
    for line in lines.sorted(by: { $0.time < $1.time }) { _ = try line.say() }
    printed = .now
    if !isLast { showProgress(now) }
  }

  private mutating func showProgress(_ now: Date) {
    let share = now.timeIntervalSince(start) / max(1, end.timeIntervalSince(start))
    let text = "… \(TimeText.of(now))  \(Int(max(0, min(1, share)) * 100)) %"
    if isTerminal {
      TerminalWriter.write(text, to: STDERR_FILENO)
    } else if ContinuousClock.now - said >= Self.pause {
      said = .now
      TerminalWriter.write(text + "\n", to: STDERR_FILENO)
    }
  }

  private func clearProgress() {
    if isTerminal { TerminalWriter.write(Style.emptyLine, to: STDERR_FILENO) }
  }
}
