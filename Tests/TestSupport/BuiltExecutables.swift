import Foundation

/// The programs under test: those that people run, or else those that were built together with the tests.
package enum BuiltExecutables {
  /// The folder where `Tests/run` has built them for release, as the variable `PUSH_FUNCTIONS_PRODUCTS` says.
  ///
  /// With `swift test` alone, it is the folder beside the test bundle, where `swift test` puts them.
  package static let directory: String =
    getenv("PUSH_FUNCTIONS_PRODUCTS").map { String(cString: $0) } ?? bundleDirectory

  private static let bundleDirectory: String = {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    let bundle = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
  }()

  /// The path of a program by its name.
  package static func path(of name: String) -> String {
    "\(directory)/\(name)"
  }

  /// The path of another project's program, as `Tests/run` has put it beside ours for release, or as it is installed.
  package static func installed(_ name: String) throws -> String {
    let folders = [
      directory, "\(Schema.project)/.build/release", "/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin",
    ]
    guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
      throw ProgramFailure(description: "\(name) is missing: Tests/run installs it.")
    }
    return "\(folder)/\(name)"
  }

  /// The output and the exit status of a finished program.
  package struct Outcome: Sendable {
    /// All it wrote to standard output.
    package let stdout: String
    /// All it wrote to standard error.
    package let stderr: String
    /// Its exit status; 128 and the signal's number when a signal ended it.
    package let exit: Int32
  }

  /// Runs a program to its end, or kills it at the end of the timeout.
  ///
  /// - Parameters:
  ///   - executable: the name of a built program, or a path with a slash.
  ///   - environment: all of it; `PATH` is `/usr/bin:/bin` unless given.
  package static func run(
    _ executable: String, _ arguments: [String] = [], stdin: String = "", environment: [String: String] = [:],
    timeout: Duration = .seconds(120)
  ) async throws -> Outcome {
    let program = Program(
      path: executable.contains("/") ? executable : path(of: executable), arguments: arguments,
      environment: environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given })
    return try await withCheckedThrowingContinuation { continuation in
      // Waiting for a child blocks, and a thread of the shared pool must not.
      Thread.detachNewThread {
        continuation.resume(with: Result { try ChildProcess(program, input: stdin).finish(within: timeout) })
      }
    }
  }
}
