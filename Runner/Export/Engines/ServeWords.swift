extension Deployment {
  /// The arguments of `runner serve` in a container.
  var serveWords: [String] {
    [
      "serve", "--project", home, "--state-dir", "/var/lib/\(name)", "--host", "0.0.0.0", "--drain",
      "\(Self.drainSeconds)",
    ]
  }

  func flow(_ words: [String]) -> String { "[\(words.map { "\"\($0)\"" }.joined(separator: ", "))]" }
}
