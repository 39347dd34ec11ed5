package import System

/// How a function's processes are started.
package struct Launch: Sendable, Equatable {
  package var executable: String
  package var arguments: [String]
  /// The whole environment; nothing is inherited.
  package var environment: [String: String]
  package var directory: String
  /// The files that a process reads once, as they were when this was written down: its executable, and an app's own texts.
  ///
  /// After a build, the same path is another launch.
  package var edition: [FileStamp?]

  package init(
    executable: String, arguments: [String] = [], environment: [String: String] = [:], directory: String,
    edition: [FileStamp?] = []
  ) {
    (self.executable, self.arguments, self.environment) = (executable, arguments, environment)
    (self.directory, self.edition) = (directory, edition)
  }

  /// The same, for a process that answers events line by line.
  var streaming: Launch {
    var launch = self
    launch.arguments.append("--stream")
    return launch
  }
}
