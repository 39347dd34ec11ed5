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
  /// The most forms that are known again.
  private static let mostForms = 1_000
  /// The most output that is kept for them, in bytes.
  private static let mostOutput = 32 << 20

  private let project: Project
  /// The variables by which the guard finds left processes.
  private let marks: [String: String]
  private let warm: WarmCommands
  private var running = 0
  private var waiting: [(number: Int, turn: CheckedContinuation<Bool, Never>)] = []
  private var numbers = 0

  private var once: [(form: String, run: Task<CommandRun, Never>, size: Int?)] = []
  private var documents: [(name: String, form: String?, document: RawJSON)] = []

  init(_ project: Project, marks: [String: String], log: Log) {
    (self.project, self.marks, warm) = (project, marks, WarmCommands(project, marks: marks, log: log))
  }

  /// - Parameter form: what has led to it: a form that is sent again finds it under the same name.
  func keep(_ document: RawJSON, of form: String? = nil) -> String {
    if let form, let former = documents.first(where: { $0.form == form }) { return former.name }
    let name = RandomID.make()
    documents = documents.suffix(7) + [(name, form, document)]
    return name
  }

  func kept(_ name: String) -> RawJSON? { documents.first { $0.name == name }?.document }

  /// Runs a command for a form; a form that is sent again gets the same run, unless that has changed nothing.
  func run(_ command: RunnerCommand, once form: String) async -> CommandRun {
    if let former = once.first(where: { $0.form == form }) { return await former.run.value }
    let task = Task { await self.run(command) }
    once.append((form, task, nil))
    let run = await task.value
    if run.status != 0, command.failsWhole || !run.isBegun {
      once.removeAll { $0.form == form }
    } else if let index = once.firstIndex(where: { $0.form == form }) {
      once[index].size = run.output.count
    }
    forget()
    return run
  }

  /// Forgets the oldest forms whose commands have ended, until the others are not too many and not too large.
  private func forget() {
    while once.count > Self.mostForms || once.reduce(0, { $0 + ($1.size ?? 0) }) > Self.mostOutput,
      let oldest = once.firstIndex(where: { $0.size != nil })
    {
      once.remove(at: oldest)
    }
  }

  /// Runs a command when it is its turn; its limit is for the wait, too, unless it changes something.
  func run(_ command: RunnerCommand) async -> CommandRun {
    let end = ContinuousClock.now + command.timeLimit
    guard await turn(before: end) else {
      var run = CommandRun(status: FunctionError.Code.unavailable.exitStatus)
      run.complaint = "The console runs other commands, so this one was not begun: try again in a moment."
      run.isBegun = false
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

  /// Runs a command at once: a program that stays answers it, or a process of its own does.
  func start(_ command: RunnerCommand, within limit: Duration) async -> CommandRun {
    let end = ContinuousClock.now + limit
    if let run = await warm.run(command, within: limit) { return run }
    let launch = Launch(
      executable: "/proc/self/exe", arguments: command.line(project.directory, state: project.state),
      environment: FunctionKit.Environment.current().all.merging(marks) { $1 }, directory: project.directory)
    return await CommandRun.run(launch, input: command.input, timeLimit: end - .now)
  }

  /// Lets programs end that stay for the next page.
  func end() { warm.end() }
}
