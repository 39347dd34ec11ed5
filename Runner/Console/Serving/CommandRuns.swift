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
  private var waiting: [CheckedContinuation<Void, Never>] = []

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

  func run(_ command: RunnerCommand) async -> CommandRun {
    if running >= Self.most {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      running += 1
    }
    let launch = Launch(
      executable: "/proc/self/exe", arguments: command.line(project.directory, state: project.state),
      environment: FunctionKit.Environment.current().all.merging(marks) { $1 }, directory: project.directory)
    let run = await CommandRun.run(launch, input: command.input, timeLimit: command.timeLimit)
    // The place goes to the next one, or is free.
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    return run
  }
}
