import Foundation
import FunctionKit
import Glibc
import Postgres
import TestSupport

/// A runner that serves a project of its own, on a free port and a private, durable database.
struct ServedProject {
  let folder: TemporaryDirectory
  let runner: ServingRunner

  /// Starts it and waits until it serves.
  static func start(
    manifest: String, runner: String = "runner", environment: [String: String] = [:]
  ) async throws -> ServedProject {
    let folder = try TemporaryDirectory()
    try folder.write(Schema.manifest(manifest), to: "functions.json")
    return ServedProject(
      folder: folder,
      runner: try await ServingRunner.start(project: folder.path, runner: runner, environment: environment))
  }

  var port: UInt16 { runner.port }

  /// The URL of its database.
  var databaseURL: String {
    get throws { try Environment([:], workingDirectory: folder.path).databaseURL() }
  }

  /// The variables that its services offer to functions.
  var environment: [String: String] {
    get throws {
      let text = FileManager.default.contents(atPath: "\(folder.path)/.runner/runner.json") ?? Data()
      let members = try RawJSON(validating: Array(text)[...])["environment"]?.members ?? []
      return Dictionary(members.compactMap { member in member.value.stringValue.map { (member.name, $0) } }) { $1 }
    }
  }

  /// The time that its database server has computed, in all its sessions.
  func serverTime() async throws -> Duration {
    try await connected(to: try databaseURL) { database in
      let text: String = try await database.query(
        "SELECT pg_read_file('postmaster.pid', 0, 20) AS text"
      ).only().decode("text")
      guard let line = text.split(separator: "\n").first, let server = pid_t(line) else {
        throw BenchmarkError("postmaster.pid is not understood: \(text)")
      }
      return try ProcessFigures.familyTime(of: server)
    }
  }

  /// Ends it and removes its database, which may lie outside the project's folder.
  func stop() async throws {
    let cluster = URL(fileURLWithPath: "\(folder.path)/.runner/postgres").resolvingSymlinksInPath()
    try await runner.stop()
    try FileManager.default.removeItem(at: cluster)
  }
}

/// Serves a project while the body runs.
func withServedProject<Answer>(
  manifest: String, runner: String = "runner", environment: [String: String] = [:],
  _ body: (ServedProject) async throws -> Answer
) async throws -> Answer {
  let project = try await ServedProject.start(manifest: manifest, runner: runner, environment: environment)
  let answer: Answer
  do {
    answer = try await body(project)
  } catch {
    try? await project.stop()
    throw error
  }
  try await project.stop()
  return answer
}
