extension BuiltExecutables {
  /// Runs a line of shell on a terminal with a number of columns, where built programs are found by their names.
  ///
  /// - Returns: all that stands on the terminal then, and the exit status of the shell.
  package static func onTerminal(
    columns: Int = 80, _ words: String, environment: [String: String] = [:], timeout: Duration = .seconds(120)
  ) async throws -> (text: String, exit: Int32) {
    let given = environment.merging(["PATH": "\(directory):/usr/bin:/bin", "TERM": "xterm"]) { given, _ in given }
    let outcome = try await run(
      "/usr/bin/script", ["-qec", "stty cols \(columns); \(words)", "/dev/null"], environment: given, timeout: timeout)
    return (
      outcome.stdout.split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n"), outcome.exit
    )
  }
}
