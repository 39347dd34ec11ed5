import Documents
import Formats
package import FoundationEssentials
package import FunctionKit
package import Lifecycle
package import Manifest
package import Metrics
package import Postgres
import System
import Workers

/// The things from which pages read and through which they act, as they were when the request came.
package struct Desk: Sendable {
  package var project: Project
  package var mode: ConsoleMode
  /// The runner's report on its work.
  package var report: RunnerReport
  /// Counts and the last hour, made once for all who watch.
  package var pulse: PulseReading
  /// Whether the queue is full, so that pages share what takes long to read.
  var isBusy: Bool
  /// The events' clock; `nil` while it is the real one.
  package var virtualTime: String?
  /// The time by the events' clock.
  package var now: Date { virtualTime.flatMap(RFC3339.date) ?? .now }
  /// Reads only: the database refuses everything else.
  package var database: Connection
  /// The same for ``newest(_:_:)``, so that nothing else waits for it.
  var sharedDatabase: Connection
  /// The address of the runner.
  package var url: String
  /// Names the variables that functions lack; pages show no value.
  package var environment: FunctionEnvironment
  /// All parts of the console.
  package var sources: [any PageSource]
  let runs: CommandRuns
  let kept: LastAnswers

  package var manifest: Manifest { project.manifest }

  /// Whether pages show buttons that change something.
  package var mayAct: Bool { mode == .on }

  /// Runs a command of the runner or of the bundle, and takes its JSON.
  ///
  /// - Parameter form: names the form that asks for it, if that does something once however often it is sent.
  /// - Throws: ``FunctionError`` with what the command has said, or because the console is read-only.
  package func run(_ command: RunnerCommand, once form: String? = nil) async throws -> RawJSON {
    try Self.document(of: command, try await finish(command, once: form))
  }

  private static func document(of command: RunnerCommand, _ run: CommandRun) throws -> RawJSON {
    guard run.status == 0 || command.alsoAnswers.contains(run.status ?? -1) else { throw command.failure(run) }
    guard let document = command.document(run.output) else {
      throw FunctionError(.failed, "\(command.name) has not answered with JSON.")
    }
    return document
  }

  /// The document of a command that many pages ask for, and that changes nothing: it runs once for all of them.
  ///
  /// The document may be a moment old. Pages that follow events are read again if it has changed.
  /// - Throws: what ``run(_:as:once:)`` throws.
  package func newest<Document: Decodable & Sendable>(
    _ command: RunnerCommand, as type: Document.Type
  ) async throws -> Document {
    let document = try await kept.document(of: command) { run in
      try Self.read(Self.document(of: command, run), of: command, as: Document.self)
    }
    guard let document = document as? Document else {
      throw FunctionError(.failed, "\(command.name) was asked for another document, too.")
    }
    return document
  }

  /// A value that many pages read of a full queue, and that takes long there: it is read once for all of them.
  ///
  /// It may be a few seconds old. Pages that follow events are read again if it has changed.
  func newest<Value: Sendable & Equatable>(
    _ name: String, _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let value = try await kept.reading(name, read) as? Value else {
      throw FunctionError(.failed, "Something else was read as \(name), too.")
    }
    return value
  }

  /// Runs a command, and reads the document that it answers with.
  ///
  /// - Throws: also ``FunctionError`` with ``FunctionError/Code/failed`` if that is another one.
  package func run<Document: Decodable>(
    _ command: RunnerCommand, as type: Document.Type, once form: String? = nil
  ) async throws -> Document {
    try Self.read(try await run(command, once: form), of: command, as: type)
  }

  /// Reads the document that a command has answered with.
  ///
  /// - Throws: ``FunctionError`` with ``FunctionError/Code/failed`` if it is another one.
  private static func read<Document: Decodable>(
    _ answer: RawJSON, of command: RunnerCommand, as type: Document.Type
  ) throws -> Document {
    do throws(FunctionError) {
      return try JSONCoding.decode(type, from: answer)
    } catch {
      throw FunctionError(.failed, "\(command.name) has not answered as its page expects: \(error.message)")
    }
  }

  /// Keeps a document for the page that a form leads to, and gives its name there.
  ///
  /// - Parameter form: names that form, if it does something once however often it is sent.
  package func keep(_ document: RawJSON, of form: String? = nil) async -> String {
    await runs.keep(document, of: form)
  }

  /// A document that was kept; `nil` if it is one of long ago.
  package func kept(_ name: String) async -> RawJSON? { await runs.kept(name) }

  /// Runs a command to its end, however that is.
  ///
  /// - Throws: ``FunctionError`` if the console is read-only and the command would change something.
  func finish(_ command: RunnerCommand, once form: String? = nil) async throws -> CommandRun {
    if command.changes { try checkMayAct() }
    let run = if let form { await runs.run(command, once: form) } else { await runs.run(command) }
    // The next page shows what has changed.
    if command.changes { await kept.forget() }
    return run
  }

  /// - Throws: ``FunctionError`` if the console is read-only.
  func checkMayAct() throws(FunctionError) {
    guard mayAct else {
      throw FunctionError(
        .notPermitted, "This console is read-only: start the runner with --console on to change something here.")
    }
  }
}

extension Desk {
  /// The people whom the first events are about, by the events' keys: a key may be a person's id.
  func people(of events: [EventSummary]) async -> [String: HTML] {
    let ids = Self.ids(in: events)
    var people: [String: HTML] = [:]
    guard !ids.isEmpty else { return people }
    for source in sources { people.merge(await source.people(ids, self)) { first, _ in first } }
    return people
  }

  /// The most people who are asked for at once.
  static let mostPeople = 100

  /// The keys that are ids, sorted; those of later events only as long as they are not too many.
  static func ids(in events: [EventSummary]) -> [String] {
    var ids: Set<String> = []
    for key in events.lazy.compactMap(\.key) where UUID(uuidString: key)?.lowercased == key {
      guard ids.count < mostPeople else { break }
      ids.insert(key)
    }
    return ids.sorted()
  }
}
