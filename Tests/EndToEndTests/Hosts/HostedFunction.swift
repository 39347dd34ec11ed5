import Foundation
import FunctionKit
import TestSupport

/// Functions that `runner host` serves on a free port of the loopback.
struct HostedFunction {
  let program: RunningProgram
  let port: UInt16

  /// One function of the bundle, alone.
  init(_ name: String, _ arguments: [String] = [], environment: [String: String] = [:]) async throws {
    try await self.init(hosting: [name], ["--port", "0"] + arguments, environment: environment)
  }

  /// Functions of a project.
  init(
    hosting names: [String], of project: String = House.root.path, _ arguments: [String] = ["--port", "0"],
    environment: [String: String] = [:]
  ) async throws {
    program = try RunningProgram(
      "runner", ["host"] + names + arguments + ["--project", project], environment: environment)
    let line = try await program.line { $0.contains(#""message":"Serving""#) }
    let url = try RawJSON(validating: Array(line.utf8)[...])["url"]?.stringValue
    port = try url?.split(separator: ":").last.flatMap { UInt16($0) } ?? { throw ProgramFailure(description: line) }()
  }

  /// The answer to one request, as text.
  func answer(_ line: String, _ fields: String..., body: String = "") async throws -> String {
    let connection = try RawConnection(port: port)
    connection.send(Self.request(line, fields + ["Connection: close"], body: body))
    return try await connection.readToEnd()
  }

  /// An answer that was read.
  struct Answer {
    let status: Int
    /// By their names in small letters.
    let headers: [String: String]
    let body: String
  }

  /// The answer to a request of an engine.
  func answer(_ request: HostedRequest) async throws -> Answer {
    let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
    let connection = try RawConnection(port: port)
    connection.send(
      Self.request(
        "\(request.method) \(target)", request.headers.map { "\($0.name): \($0.value)" } + ["Connection: close"],
        body: request.body))
    let text = try await connection.readToEnd()
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    guard parts.count == 2, let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw ProgramFailure(description: text)
    }
    let fields = lines.dropFirst().map { line in
      let field = line.split(separator: ":", maxSplits: 1)
      return (field[0].lowercased(), field.count > 1 ? field[1].drop { $0 == " " }.description : "")
    }
    return Answer(status: status, headers: Dictionary(fields) { first, _ in first }, body: String(parts[1]))
  }

  static func request(_ line: String, _ fields: [String] = [], body: String = "") -> String {
    let length = line.hasPrefix("GET") ? [] : ["Content-Length: \(body.utf8.count)"]
    return (["\(line) HTTP/1.1", "Host: localhost"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
