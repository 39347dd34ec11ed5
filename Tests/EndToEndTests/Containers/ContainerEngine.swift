import Foundation
import TestSupport

/// podman in namespaces of its own, which end with this process: the script `Tests/containers/engine`.
final class ContainerEngine: Sendable {
  /// Where Tests/run puts the systems of containers, once it has seen that this machine runs them.
  private static let systems = "\(House.root.path)/.build/containers"
  /// The programs under test, as a release has them: images are made of their objects.
  private static let products = getenv("PUSH_FUNCTIONS_PRODUCTS").map { String(cString: $0) }

  static var isThere: Bool { products != nil && access(systems, R_OK) == 0 }

  private static let started = Task { try await ContainerEngine() }

  /// The one for all tests.
  static var shared: ContainerEngine { get async throws { try await started.value } }

  /// Files for containers; also the state of podman.
  let folder: TemporaryDirectory
  private let program: RunningProgram

  private init() async throws {
    folder = try TemporaryDirectory()
    // This process has it locked, however it ends; then the engine ends, too.
    let alive = open("\(folder.path)/alive", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard alive >= 0, flock(alive, LOCK_EX) == 0 else { throw SystemError("flock") }
    program = try RunningProgram(
      "\(House.root.path)/Tests/containers/engine", [folder.path, Self.systems],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin",
        "PUSH_FUNCTIONS_PRODUCTS": Self.products ?? "",
      ])
    try await program.line(within: .seconds(300)) { $0 == "ready" }
  }

  /// Runs a program beside the containers, to its end, whatever that is.
  func run(
    _ words: [String], environment: [String: String] = [:], timeout: Duration = .seconds(120)
  ) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "\(folder.path)/inside", words, environment: environment, timeout: timeout)
  }

  /// Runs podman, and returns what it prints.
  @discardableResult
  func podman(_ words: String..., timeout: Duration = .seconds(120)) async throws -> String {
    try Self.text(try await run(["podman"] + words, timeout: timeout), words)
  }

  /// The address by which containers reach what runs beside them.
  func gateway() async throws -> String {
    try await podman("network", "inspect", "--format", "{{(index .Subnets 0).Gateway}}", "inside")
  }

  /// Builds an image of the repository, or of a copy, as a Dockerfile of an export says.
  func build(
    _ file: String, _ image: String, _ options: [String] = [], of sources: String = House.root.path
  ) async throws {
    let words = ["--file", file, "--tag", image] + options + [sources]
    _ = try Self.text(
      try await BuiltExecutables.run("\(folder.path)/build", words, timeout: .seconds(900)), words)
  }

  /// The output of a program that has ended well.
  static func text(_ outcome: BuiltExecutables.Outcome, _ words: [String]) throws -> String {
    guard outcome.exit == 0 else {
      throw ProgramFailure(
        description: "\(words.joined(separator: " ")): \(outcome.exit)\n\(outcome.stdout)\(outcome.stderr)")
    }
    return outcome.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts a program beside the containers.
  func start(_ words: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram("\(folder.path)/inside", words, environment: environment)
  }

  /// Makes a folder that every user may enter.
  func makeFolder(_ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// podman-compose, which takes the engine's settings from its environment.
  func compose(_ words: [String], environment: [String: String] = [:]) async throws -> BuiltExecutables.Outcome {
    try await run(["\(Self.systems)/podman-compose"] + words, environment: environment)
  }
}
