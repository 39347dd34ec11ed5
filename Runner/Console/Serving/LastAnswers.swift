import EventLoop
import FunctionKit
import System
import Workers

/// The last answers of commands for which many pages ask, and of what pages read of a queue that is full.
///
/// A command runs once for all of them, at most once a second, and less often if that takes long. Where it takes long
/// because the queue is full, a page does not wait for it: it gets the last answer, and the next one is made behind it.
@RunnerLoop
final class LastAnswers {
  private let pace: Pace
  private let start: @Sendable (RunnerCommand) async -> CommandRun
  /// The answers, by the command's words or the reading's name.
  private var all: [[String]: Kept] = [:]
  /// Called when an answer is another one than before.
  var onChange: @RunnerLoop () -> Void = {}
  /// Whether anybody watches.
  var isWatched: @RunnerLoop () -> Bool = { false }
  /// Whether the queue is full.
  var isBusy: @RunnerLoop () -> Bool = { false }

  /// A way to read an answer from a run.
  typealias Reading = @Sendable (CommandRun) throws -> any Sendable

  private typealias Making = @Sendable () async -> Answer

  private struct Answer: Sendable {
    let document: Result<any Sendable, any Error>
    /// The output of a command: the same whether a process that stays has written it or one of its own.
    var output: String?
    let isSame: @Sendable (Answer) -> Bool
  }

  @RunnerLoop
  private final class Kept {
    var making: Task<Answer, Never>?
    var last: Answer?
    /// How long the last answer is given.
    var end = Pace.End()
    /// Whether somebody has got an answer that was begun before they asked.
    var isOwed = false
    /// Whether something was changed since the answer that is being made was begun.
    var isStale = false
  }

  /// - Parameter start: runs a command to its end.
  init(pace: Pace = Pace(share: 10), start: @escaping @Sendable (RunnerCommand) async -> CommandRun) {
    (self.pace, self.start) = (pace, start)
  }

  /// The document of a command, which may be a moment old: if it is another one by now, ``onChange`` is called later.
  func document(of command: RunnerCommand, _ read: @escaping Reading) async throws -> any Sendable {
    try await answer(command.words) { [start] in await Self.answer(await start(command), read) }
  }

  /// A value that a page has read, kept as the document of a command is.
  ///
  /// - Parameter name: names what is read.
  func reading<Value: Sendable & Equatable>(
    _ name: String, _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> any Sendable {
    try await answer([name]) {
      do {
        let value = try await read()
        return Answer(document: .success(value)) { value == (try? $0.document.get()) as? Value }
      } catch {
        return Answer(document: .failure(error)) { _ in false }
      }
    }
  }

  private func answer(_ name: [String], _ making: @escaping Making) async throws -> any Sendable {
    let kept = all[name] ?? Kept()
    all[name] = kept
    while kept.isStale, let making = kept.making { _ = await making.value }
    if let last = kept.last, .now < kept.end.fresh {
      if !kept.isOwed { owe(kept, making) }
      return try last.document.get()
    }
    if let last = kept.last, .now < kept.end.late {
      if kept.making == nil { _ = make(kept, making) } else { kept.isOwed = true }
      return try last.document.get()
    }
    if let making = kept.making {
      kept.isOwed = true
      return try await making.value.document.get()
    }
    return try await make(kept, making).value.document.get()
  }

  /// Gives no answer any more that was begun before.
  func forget() {
    for kept in all.values { (kept.end, kept.isStale) = (Pace.End(), kept.making != nil) }
  }

  private func make(_ kept: Kept, _ making: @escaping Making) -> Task<Answer, Never> {
    kept.isOwed = false
    let task = Task { [self] in
      let began = ContinuousClock.now
      let answer = await making()
      let isOther = kept.last.map { !answer.isSame($0) } ?? false
      (kept.last, kept.making) = (answer, nil)
      let mayBeLate = isBusy() && (try? answer.document.get()) != nil
      kept.end = kept.isStale ? Pace.End() : pace.end(after: .now - began, mayBeLate: mayBeLate)
      kept.isStale = false
      if kept.isOwed { owe(kept, making) }
      if isOther { onChange() }
      return answer
    }
    kept.making = task
    return task
  }

  /// Makes the answer again as soon as that may be.
  private func owe(_ kept: Kept, _ making: @escaping Making) {
    kept.isOwed = true
    RunnerLoop.loop.schedule(after: kept.end.fresh - .now) { [self] in
      guard kept.isOwed, kept.making == nil else { return }
      guard isWatched() else { return kept.isOwed = false }
      _ = make(kept, making)
    }
  }

  /// A long document would keep the loop.
  @concurrent
  private nonisolated static func answer(_ run: CommandRun, _ read: Reading) async -> Answer {
    let printable = (try? RawJSON(validating: run.output[...]))?.printable
    let output = printable ?? String(decoding: run.output, as: UTF8.self)
    return Answer(document: Result { try read(run) }, output: output) { $0.output == output }
  }
}
