import FunctionKit
import Lifecycle
import Manifest
import System
import Workers

/// The commands of the bundle whose programs stay for the next page, with their sessions of the database.
@RunnerLoop
final class WarmCommands {
  private let project: Project
  /// The variables by which the guard finds left processes.
  private let marks: [String: String]
  private let log: Log
  private var bundle: Bundle?
  /// The programs by their files.
  private var programs: [String: WarmProgram] = [:]
  private var isOver = false

  /// The commands and how they are started, as their files said last.
  private struct Bundle {
    let stamps: [FileStamp?]
    let project: Project
    let environment: [String: String]
  }

  init(_ project: Project, marks: [String: String], log: Log) {
    (self.project, self.marks, self.log) = (project, marks, log)
  }

  /// Asks a program that stays; `nil` where there is none, or it has not answered.
  ///
  /// Only what changes nothing is asked, because the answer may be lost.
  func run(_ command: RunnerCommand, within limit: Duration) async -> CommandRun? {
    guard !isOver, let words = command.question, let bundle = current(),
      let entry = bundle.project.manifest.commands.first(where: { $0.name == words.first }), entry.isWarm
    else { return nil }
    let file = bundle.project.executable(entry.executable)
    let program =
      programs[file]
      ?? WarmProgram { [log] command, ending in
        log.warning("The process of a command for pages has ended by itself", ["command": command, "ended": ending])
      }
    programs[file] = program
    let launch = Launch(
      executable: file, environment: bundle.environment, directory: project.directory,
      edition: [FileStamp(file)] + bundle.project.manifest.languageFiles.map { FileStamp($0) })
    let run = await program.ask(entry.arguments + words.dropFirst(), of: entry.name, launch, timeLimit: limit)
    // It may have been started with what has changed since then in a way that no file shows.
    if let status = run?.status, status > FunctionError.Code.noInput.exitStatus { self.bundle = nil }
    return run
  }

  /// Lets all programs end; none is started any more.
  func end() {
    isOver = true
    programs.values.forEach { $0.leave() }
  }

  /// Files are read again only if one of them has changed.
  private func current() -> Bundle? {
    let files = [project.manifestFile, "\(project.directory)/.env", "\(project.state)/\(RunnerState.file)"]
    // Which files have secrets or texts is known when the others have been read, once more for their stamps.
    let named = (bundle?.project.settings.files ?? []) + (bundle?.project.manifest.languageFiles ?? [])
    let stamps = (files + named).map { FileStamp($0) }
    if let bundle, bundle.stamps == stamps { return bundle }
    // A process of its own then runs the command, and says what is wrong with the files.
    guard let (manifest, settings) = try? project.reading() else { return nil }
    var project = project
    (project.manifest, project.settings) = (manifest, settings)
    let variables = CommandEnvironment.variables(project).merging(marks) { $1 }
    let read = Bundle(stamps: stamps, project: project, environment: variables)
    bundle = read
    return read
  }
}
