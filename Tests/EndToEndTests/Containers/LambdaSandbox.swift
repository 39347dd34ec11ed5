import FoundationEssentials
import TestSupport

/// The surroundings that AWS Lambda gives a function: the script `Tests/containers/lambda`, which containers reach.
struct LambdaSandbox {
  private static let port = 9_001

  /// Of the function's URL, and of the Runtime API.
  let address: String
  private let engine: ContainerEngine
  private let program: RunningProgram

  init(_ engine: ContainerEngine) async throws {
    self.engine = engine
    address = "\(try await engine.gateway()):\(Self.port)"
    program = try engine.start(["\(House.root.path)/Tests/containers/lambda", "0.0.0.0", "\(Self.port)"])
    try await program.line { $0 == "ready" }
  }

  /// 200 if the function waits for an event, else 503.
  func readiness() async throws -> String {
    try await engine.run([
      "curl", "--silent", "--max-time", "20", "--output", "/dev/null", "--write-out", "%{http_code}",
      "http://127.0.0.1:\(Self.port)/_/ready",
    ]).stdout
  }
}
