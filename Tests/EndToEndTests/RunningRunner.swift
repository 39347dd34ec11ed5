import Foundation
import FunctionKit
import HTTPClient
import Postgres
import Synchronization
import TestSupport
import Testing

/// A `runner serve` of its own on a database of its own, with functions that a test writes.
final class RunningRunner: Sendable {
  let project: TemporaryDirectory
  let databaseURL: String
  let database: Connection
  private let client = HTTPClient()
  private let environment: [String: String]
  /// It is kept, because a program that nobody holds is ended.
  private let programs = Mutex<[RunningProgram]>([])
  private let overtaking = Mutex(false)

  /// Writes a project; nothing runs yet.
  ///
  /// - Parameters:
  ///   - manifest: the text of `functions.json`.
  ///   - scripts: shell scripts by their names in `executable`, without the first line.
  ///   - database: the URL of another database than a new one of the shared server.
  ///   - isMigrated: whether a new database has the tables of the runner and of the apps already.
  init(
    _ manifest: String, scripts: [String: String] = [:], environment: [String: String] = [:],
    database url: String? = nil, isMigrated: Bool = true
  ) async throws {
    project = try TemporaryDirectory()
    let text = Schema.manifest(manifest)
    try project.write(text, to: "functions.json")
    for (name, text) in scripts { try project.write("#!/bin/sh\n\(text)\n", to: name, mode: 0o700) }
    databaseURL =
      if let url { url } else { try await Self.newDatabase(for: text, isMigrated: isMigrated) }
    database = Connection(url: databaseURL, applicationName: "test", statementTimeout: .seconds(300))
    self.environment = environment.merging(["DATABASE_URL": databaseURL]) { given, _ in given }
  }

  /// A database to which a start adds the triggers of the manifest alone, unless the manifest has migrations of its own.
  private static func newDatabase(for manifest: String, isMigrated: Bool) async throws -> String {
    guard isMigrated, manifest.contains(Schema.folder) else { return try await TemporaryPostgres.database() }
    return try await makeDatabase()
  }

  /// A new database as `runner migrate` leaves it for a manifest, which runs once for each manifest.
  static func makeDatabase(for manifest: String = #"{"functions":{}}"#) async throws -> String {
    try await TemporaryPostgres.database(
      migrated: { try await migrate($0, for: manifest) }, named: "served \(manifest)")
  }

  /// Starts a server of a test's own, to whose database a start adds the triggers alone, too.
  static func cluster(settings: String = "", disk megabytes: Int? = nil) async throws -> PrivateCluster {
    try await PrivateCluster(settings: settings, disk: megabytes, like: migrated.value)
  }

  private static let migrated = Task {
    let cluster = try await PrivateCluster()
    try await migrate(cluster.url(), for: #"{"functions":{}}"#)
    try await cluster.stop()
    return cluster
  }

  private static func migrate(_ url: String, for manifest: String) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(Schema.manifest(manifest), to: "functions.json")
    let outcome = try await BuiltExecutables.run(
      "runner", ["migrate", "--project", folder.path], environment: ["DATABASE_URL": url])
    guard outcome.exit == 0 else { throw ProgramFailure(description: "runner migrate: \(outcome.stderr)") }
  }

  /// Copies the apps' migrations to `apps` beside `functions.json`: an export takes no others.
  func copyMigrations() async throws {
    _ = try await BuiltExecutables.run("/bin/cp", ["-r", "\(Schema.project)/Shared/Schema/apps", project.path])
  }

  /// Makes the database the one that the project's runner keeps itself; before a start only.
  func ownDatabase() throws {
    try FileManager.default.createDirectory(
      atPath: "\(project.path)/.runner", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try project.write(databaseURL, to: ".runner/database-url")
  }

  /// Whether the test makes events that a runner passes by.
  var expectsOvertaken: Bool {
    get { overtaking.withLock { $0 } }
    set { overtaking.withLock { $0 = newValue } }
  }

  deinit {
    for line in programs.withLock({ $0 }).flatMap(\.lines) {
      if line.contains("An event was taken after a newer one of its key") { Issue.record("\(line)") }
      if !expectsOvertaken, line.contains("An event was overtaken") { Issue.record("\(line)") }
    }
  }

  /// Replaces a script at once, as a linker or an editor does: it is never half there.
  func replace(_ name: String, with text: String) throws {
    let draft = try project.write("#!/bin/sh\n\(text)\n", to: ".\(name)", mode: 0o700)
    guard rename(draft, "\(project.path)/\(name)") == 0 else { throw SystemError("rename") }
  }

  /// Starts `runner serve`, beside those that run already, and waits until it serves.
  ///
  /// - Parameters:
  ///   - isLocal: whether it is told that the database is for trying out only, as all of tests are.
  ///   - port: 0 for a free one; that of one that has ended, so that pages which it served find this one.
  ///   - options: further words of the command line.
  ///   - variables: what this one has in its environment besides.
  func start(
    services: Bool = false, migrates: Bool = true, isLocal: Bool = true, port: UInt16 = 0,
    options: [String] = [], environment variables: [String: String] = [:]
  ) async throws -> Served {
    let place = programs.withLock { programs in
      programs.contains { $0.ended == nil } ? ["--state-dir", "\(project.path)/.runner-\(programs.count)"] : []
    }
    let words =
      ["serve", "--port", "\(port)", "--project", project.path] + (migrates ? ["--migrate"] : [])
      + (services ? [] : ["--no-services"]) + (isLocal ? ["--emulator"] : []) + place + options
    let program = try RunningProgram(
      "runner", words, environment: environment.merging(variables) { _, given in given })
    programs.withLock { $0.append(program) }
    let line = try await program.line { $0.contains(#""message":"Serving""#) }
    let url = try RawJSON(validating: Array(line.utf8)[...])["url"]?.stringValue
    return Served(runner: self, program: program, url: url ?? "", client: client)
  }

  /// Runs another command of the runner to its end.
  func run(
    _ arguments: [String], stdin: String = "", environment variables: [String: String] = [:],
    timeout: Duration = .seconds(120)
  ) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "runner", arguments + ["--project", project.path], stdin: stdin,
      environment: environment.merging(variables) { _, given in given }, timeout: timeout)
  }

  /// Sets the clock without waiting for what comes due.
  func jump(to instant: String) async throws {
    _ = try await database.query(
      """
      UPDATE runner.clock
      SET "offset" = make_interval(secs => extract(epoch FROM \(instant)::timestamptz - clock_timestamp())::float8)
      """)
    try await database.script("NOTIFY runner_control, 'clock'")
  }

  /// The events that functions write into the file `got`, a line each.
  func got() throws -> [RawJSON] {
    let text = (try? String(contentsOfFile: "\(project.path)/got", encoding: .utf8)) ?? ""
    return try text.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
  }

  /// Asks the database until the answer is yes.
  func wait(
    within limit: Duration = .seconds(300), until question: SQL, _ comment: String = ""
  ) async throws {
    let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
    repeat {
      if try await database.query("SELECT (\(question)) AS yes").only().decode("yes", as: Bool.self) { return }
      try await pauses.next()
    } while ContinuousClock.now < deadline
    throw ProgramFailure(description: "The database does not come to say yes to: \(question.text). \(comment)")
  }
}

/// A runner that serves.
struct Served: Sendable {
  /// Keeps the project's folder as long as somebody serves from it.
  let runner: RunningRunner
  let program: RunningProgram
  let url: String
  let client: HTTPClient

  /// Calls a function.
  func call(
    _ function: String, _ body: String = "{}", method: HTTPCall.Method = .post,
    headers: [(name: String, value: String)] = []
  ) async throws -> (status: Int, json: RawJSON?, text: String, headers: [(name: String, value: String)]) {
    try await request("/functions/v1/\(function)", body, method: method, headers: headers)
  }

  /// Sends a request to any path.
  func request(
    _ path: String, _ body: String = "", method: HTTPCall.Method = .get, headers: [(name: String, value: String)] = []
  ) async throws -> (status: Int, json: RawJSON?, text: String, headers: [(name: String, value: String)]) {
    let answer = try await client.send(
      HTTPCall(method, url + path, headers: headers, body: Array(body.utf8)))
    return (
      answer.status, try? RawJSON(validating: answer.body[...]), String(decoding: answer.body, as: UTF8.self),
      answer.headers
    )
  }
}
