import Foundation
import Glibc
import TestSupport

/// A `runner host` with the function that runs apart from the stage's runners, which may vanish and come back.
struct TargetHost {
  private let folder: String
  private let port: UInt16
  private(set) var program: RunningProgram
  /// When it vanished, in seconds since 1970.
  private(set) var awaySince: Double?

  /// Starts it.
  init(_ folder: String, port: UInt16) async throws {
    (self.folder, self.port) = (folder, port)
    program = try await Self.started(folder, port)
  }

  /// Makes it vanish until ``comeBack()``.
  mutating func vanish(bySignal signal: Int32) async throws {
    awaySince = Date.now.timeIntervalSince1970
    program.send(signal)
    try await program.exit(within: .seconds(60))
  }

  mutating func comeBack() async throws {
    program = try await Self.started(folder, port)
    awaySince = nil
  }

  private static func started(_ folder: String, _ port: UInt16) async throws -> RunningProgram {
    let program = try RunningProgram(
      "runner", ["host", Project.remote, "--port", "\(port)", "--project", folder])
    try await program.line(within: .seconds(40)) { $0.contains(#""message":"Serving""#) }
    return program
  }
}
