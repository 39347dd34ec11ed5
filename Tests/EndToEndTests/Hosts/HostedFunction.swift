import FunctionKit
import TestSupport

/// A built function that serves HTTP on a free port of the loopback.
struct HostedFunction {
  let program: RunningProgram
  let port: UInt16

  init(_ name: String, _ arguments: [String] = [], environment: [String: String] = [:]) async throws {
    program = try RunningProgram(name, ["--http", "0"] + arguments, environment: environment)
    let line = try await program.line { $0.contains(#""message":"The function serves HTTP""#) }
    let port = try RawJSON(validating: Array(line.utf8)[...])["port"]?.stringValue
    self.port = try port.flatMap { UInt16($0) } ?? { throw ProgramFailure(description: line) }()
  }

  /// The answer to one request, as text.
  func answer(_ line: String, _ fields: String..., body: String = "") async throws -> String {
    let connection = try RawConnection(port: port)
    connection.send(Self.request(line, fields + ["Connection: close"], body: body))
    return try await connection.readToEnd()
  }

  static func request(_ line: String, _ fields: [String] = [], body: String = "") -> String {
    let length = line.hasPrefix("GET") ? [] : ["Content-Length: \(body.utf8.count)"]
    return (["\(line) HTTP/1.1", "Host: localhost"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
