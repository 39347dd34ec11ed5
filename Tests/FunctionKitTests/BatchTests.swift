import FoundationEssentials
import Synchronization
import Testing

@testable import FunctionKit

/// The fate of the lines of a batch.
struct BatchTests {
  /// Which events were handled together, and which alone.
  private final class Record: Sendable {
    private let entries = Mutex<[String]>([])
    var all: [String] { entries.withLock { $0 } }
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
  }

  private struct Doubling: BatchFunction {
    static let summary = "Doubles numbers."
    static let record = TaskLocal<Record?>(wrappedValue: nil)

    static func live(_ environment: Environment) -> Self { Self() }

    func handle(_ event: Event<Int>, _ context: Context) throws -> Int {
      Self.record.get()?.note(event.id)
      guard event.data != 13 else { throw FunctionError(.failed, "No.") }
      return event.data * 2
    }

    func handle(_ batch: [(event: Event<Int>, context: Context)]) throws -> [Result<Int, any Error>] {
      Self.record.get()?.note(batch.map(\.event.id).joined(separator: "+"))
      let data = batch.map(\.event.data)
      if data.contains(99) { throw FunctionError(.databaseAway, "Away.", retryAfter: 1) }
      if data.contains(13) { throw FunctionError(.failed, "Not together.") }
      return data.contains(0) ? [] : data.map { .success($0 * 2) }
    }
  }

  /// The exit status or the answer of each event, and what was handled together.
  private func played(_ data: [String]) async -> (answers: [String], calls: [String]) {
    let lines = data.enumerated().map { index, data in
      LineReader.Line(
        bytes: Array(#"{"specversion":"1.0","id":"\#(index)","source":"s","type":"t","data":\#(data)}"#.utf8)[...],
        tooLong: data == "too long")
    }
    let record = Record()
    var outcomes: [Outcome] = []
    await Doubling.record.withValue(record) {
      _ = await Invocation<Doubling>(dryRun: false).answer(lines, { try $0.handle($1) }) { answers in
        outcomes += answers
        record.note("> \(answers.count)")
        return true
      }
    }
    let answers = outcomes.map { outcome in
      switch outcome.result {
      case .success(let answer): "\(outcome.id ?? "-"): \(answer.intValue ?? 0)"
      case .failure(let error): "\(outcome.id ?? "-"): \(error.code.rawValue)"
      }
    }
    return (answers, record.all)
  }

  @Test(arguments: [
    ("lines that are there", ["1", "2", "3"], ["0: 2", "1: 4", "2: 6"], ["0+1+2", "> 3"]),
    ("one line alone", ["4"], ["0: 8"], ["0", "> 1"]),
    (
      "what is no event is answered in its place", ["1", #""word""#, "too long", "2"],
      ["0: 2", "1: INVALID_EVENT", "-: INVALID_EVENT", "3: 4"], ["0+3", "> 4"]
    ),
    // Each is answered before the next one begins.
    (
      "one bad event harms no other", ["1", "13", "2"], ["0: 2", "1: FAILED", "2: 4"],
      ["0+1+2", "0", "> 1", "1", "> 1", "2", "> 1"]
    ),
    ("a batch that the function does not take", ["1", "0"], ["0: 2", "1: 0"], ["0+1", "0", "> 1", "1", "> 1"]),
    (
      "while the database is away, none is tried alone", ["1", "99", "2"],
      ["0: DATABASE_AWAY", "1: DATABASE_AWAY", "2: DATABASE_AWAY"], ["0+1+2", "> 3"]
    ),
  ])
  func linesAreHandledTogetherWhereTheyCanBe(
    _ name: String, lines: [String], answers: [String], calls: [String]
  ) async {
    let played = await played(lines)
    #expect(played.answers == answers)
    #expect(played.calls == calls)
  }
}
