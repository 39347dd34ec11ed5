import EventLoop
import FunctionKit
import Manifest
import System
import Workers

/// Runs commands for pages, a few at a time.
@RunnerLoop
final class CommandRuns {
  /// The most processes at once: pages wait, never events.
  private static let most = 3

  private let project: Project
  /// What the guard finds left processes by.
  private let marks: [String: String]
  private var running = 0
  private var waiting: [(number: Int, turn: CheckedContinuation<Bool, Never>)] = []
  private var numbers = 0

  private var once: [(form: String, run: Task<CommandRun, Never>)] = []
  private var documents: [(name: String, document: RawJSON)] = []

  init(_ project: Project, marks: [String: String]) {
    (self.project, self.marks) = (project, marks)
  }

  func keep(_ document: RawJSON) -> String {
    let name = RandomID.make()
    documents = documents.suffix(7) + [(name, document)]
    return name
  }

  func kept(_ name: String) -> RawJSON? { documents.first { $0.name == name }?.document }

  /// Runs a command for a form; a form that is sent again gets the same run, unless that has failed.
  func run(_ command: RunnerCommand, once form: String) async -> CommandRun {
    if let former = once.first(where: { $0.form == form }) { return await former.run.value }
    let task = Task { await self.run(command) }
    once = once.suffix(999) + [(form, task)]
    let run = await task.value
    if run.status != 0 { once.removeAll { $0.form == form } }
    return run
  }

  /// Runs a command when it is its turn; its limit is for the wait, too, unless it changes something.
  func run(_ command: RunnerCommand) async -> CommandRun {
    let end = ContinuousClock.now + command.timeLimit
    guard await turn(before: end) else {
      var run = CommandRun(status: FunctionError.Code.unavailable.exitStatus)
      run.complaint = "The console runs other commands, so this one was not begun: try again in a moment."
      return run
    }
    let run = await start(command, within: command.changes ? command.timeLimit : end - .now)
    // The place goes to the next one, or is free.
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().turn.resume(returning: true) }
    return run
  }

  /// Takes a place; `false` if none has become free.
  private func turn(before end: ContinuousClock.Instant) async -> Bool {
    guard running >= Self.most else {
      running += 1
      return true
    }
    numbers += 1
    let number = numbers
    let timer = RunnerLoop.loop.schedule(after: end - .now) { [self] in
      guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
      waiting.remove(at: index).turn.resume(returning: false)
    }
    defer { RunnerLoop.loop.cancel(timer) }
    return await withCheckedContinuation { waiting.append((number, $0)) }
  }

  /// Runs a command at once.
  func start(_ command: RunnerCommand, within limit: Duration) async -> CommandRun {
    let launch = Launch(
      executable: "/proc/self/exe", arguments: command.line(project.directory, state: project.state),
      environment: FunctionKit.Environment.current().all.merging(marks) { $1 }, directory: project.directory)
    return await CommandRun.run(launch, input: command.input, timeLimit: limit)
  }
}
