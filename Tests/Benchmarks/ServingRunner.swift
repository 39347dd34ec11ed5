import FunctionKit
import Glibc
import TestSupport

/// A runner that serves a project's folder.
struct ServingRunner {
  let port: UInt16
  private let program: RunningProgram

  /// Starts it and waits until it serves.
  ///
  /// With variables of OpenTelemetry in the benchmark's own environment, the cost of traces is measured.
  /// - Parameters:
  ///   - database: the URL of one that is kept elsewhere; else the runner starts the project's own.
  ///   - runner: the program's name, or its path.
  ///   - environment: what it has besides.
  static func start(
    project: String, database: String? = nil, runner: String = "runner", environment: [String: String] = [:]
  ) async throws -> ServingRunner {
    let traces = FunctionKit.Environment.current().all.filter { $0.key.hasPrefix("OTEL_") }
    let program = try RunningProgram(
      runner, ["serve", "--port", "0", "--project", project] + (database == nil ? [] : ["--emulator"]),
      environment: traces.merging(environment) { $1 }.merging(database.map { ["DATABASE_URL": $0] } ?? [:]) { $1 })
    let line = try await program.line(within: .seconds(60)) { $0.contains(#""message":"Serving""#) }
    let url = try RawJSON(validating: Array(line.utf8)[...])["url"]?.stringValue
    guard let port = url?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw BenchmarkError("The runner does not say where it serves: \(line)")
    }
    return ServingRunner(port: port, program: program)
  }

  var processID: pid_t { program.processID }

  /// Has it end in good order.
  func stop() async throws {
    program.send(SIGTERM)
    try await program.exit(within: .seconds(60))
  }
}
