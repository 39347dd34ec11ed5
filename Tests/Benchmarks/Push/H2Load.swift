import TestSupport

/// The load program of nghttp2: one connection, a hundred streams at once, the same request again and again.
struct H2Load {
  let url: String
  /// Each as `name: value`.
  let headers: [String]
  /// The file with the body.
  let bodyPath: String

  /// Sends requests, and returns how many a second were answered.
  func run(requests: Int) async throws -> Double {
    let outcome = try await BuiltExecutables.run(
      "h2load",
      ["-c1", "-m100", "-n\(requests)", "-d", bodyPath] + headers.flatMap { ["-H", $0] } + [url],
      timeout: .seconds(120))
    // finished in 1.57s, 127123.45 req/s, 1.70MB/s
    let rate = outcome.stdout.split(separator: "\n").first { $0.hasPrefix("finished in ") }?
      .split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
    guard let rate, outcome.stdout.contains("status codes: \(requests) 2xx") else {
      throw BenchmarkError("h2load: \(outcome.stdout)\(outcome.stderr)")
    }
    return rate
  }
}
