import System

/// How a function's processes are started.
struct Launch: Sendable, Equatable {
  var executable: String
  var arguments: [String] = []
  /// The whole environment; nothing is inherited.
  var environment: [String: String] = [:]
  var directory: String
  /// The executable's file when this was written down: after a build, the same path is another launch.
  var edition: FileStamp?
}
