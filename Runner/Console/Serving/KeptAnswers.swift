import EventLoop
import FunctionKit
import System
import Workers

/// The last answers of commands for which many pages ask.
///
/// A command runs once for all of them, at most once a second, and less often if that takes long.
@RunnerLoop
final class KeptAnswers {
  /// A command runs for at most this fraction (1/10) of the time.
  private static let share = 10

  private let runs: CommandRuns
  private var all: [[String]: Kept] = [:]
  /// Called when an answer is another one than before.
  var onChange: @RunnerLoop () -> Void = {}
  /// Whether anybody watches.
  var isWatched: @RunnerLoop () -> Bool = { false }

  /// A way to read an answer from a run.
  typealias Reading = @Sendable (CommandRun) throws -> any Sendable

  private struct Answer: Sendable {
    /// The same whether a process that stays has said it or one of its own.
    let output: String
    let document: Result<any Sendable, any Error>
  }

  @RunnerLoop
  private final class Kept {
    var making: Task<Answer, Never>?
    var last: Answer?
    /// The last answer is given until then.
    var end = ContinuousClock.now
    /// Whether somebody has got an answer that was begun before they asked.
    var isOwed = false
    /// Whether something was changed since the answer that is being made was begun.
    var isStale = false
  }

  init(_ runs: CommandRuns) {
    self.runs = runs
  }

  /// The document of a command, which may be a moment old: if it is another one by now, ``onChange`` is called later.
  func document(of command: RunnerCommand, _ read: @escaping Reading) async throws -> any Sendable {
    let kept = all[command.words] ?? Kept()
    all[command.words] = kept
    while kept.isStale, let making = kept.making { _ = await making.value }
    if let making = kept.making {
      kept.isOwed = true
      return try await making.value.document.get()
    }
    if let last = kept.last, .now < kept.end {
      if !kept.isOwed { owe(kept, command, read) }
      return try last.document.get()
    }
    return try await make(kept, command, read).value.document.get()
  }

  /// Gives no answer any more that was begun before.
  func forget() {
    for kept in all.values { (kept.end, kept.isStale) = (.now, kept.making != nil) }
  }

  private func make(_ kept: Kept, _ command: RunnerCommand, _ read: @escaping Reading) -> Task<Answer, Never> {
    kept.isOwed = false
    let task = Task { [self] in
      let began = ContinuousClock.now
      let run = await runs.start(command, within: command.timeLimit)
      let answer = await Self.answer(run, read)
      let isOther = kept.last.map { $0.output != answer.output } ?? false
      (kept.last, kept.making) = (answer, nil)
      kept.end = kept.isStale ? .now : .now + max(.seconds(1), (.now - began) * Self.share)
      kept.isStale = false
      if kept.isOwed { owe(kept, command, read) }
      if isOther { onChange() }
      return answer
    }
    kept.making = task
    return task
  }

  /// Makes the answer again as soon as that may be.
  private func owe(_ kept: Kept, _ command: RunnerCommand, _ read: @escaping Reading) {
    kept.isOwed = true
    RunnerLoop.loop.schedule(after: kept.end - .now) { [self] in
      guard kept.isOwed, kept.making == nil else { return }
      guard isWatched() else { return kept.isOwed = false }
      _ = make(kept, command, read)
    }
  }

  /// A long document would keep the loop.
  @concurrent
  private nonisolated static func answer(_ run: CommandRun, _ read: Reading) async -> Answer {
    let output = (try? RawJSON(validating: run.output[...]))?.printable
    return Answer(output: output ?? String(decoding: run.output, as: UTF8.self), document: Result { try read(run) })
  }
}
