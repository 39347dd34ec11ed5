import Postgres
import TestSupport

/// PostgreSQL's own load program.
struct PgBench {
  static let clients = 8

  private let path: String
  private let url: String

  /// - Parameter database: the URL of the database that it loads; the program is the one of its server.
  init(database url: String) async throws {
    let folder = try await connected(to: url) {
      try await $0.query("SELECT setting FROM pg_config WHERE name = 'BINDIR'").only().decode(
        "setting", as: String.self)
    }
    (path, self.url) = ("\(folder)/pgbench", url)
  }

  /// Fills the tables of its own test.
  func initialize(scale: Int) async throws {
    _ = try await run(["--initialize", "--quiet", "--scale", "\(scale)"], limit: .seconds(300))
  }

  /// Lets eight clients, each on its own connection, do the same for a time; returns transactions a second.
  ///
  /// - Parameters:
  ///   - work: the options that say what they do.
  ///   - rate: how many transactions all together begin in a second, where that is limited.
  func load(_ work: [String], seconds: Int, rate: Int? = nil) async throws -> Double {
    let arguments = [
      "--no-vacuum", "--client", "\(Self.clients)", "--jobs", "2", "--protocol", "prepared", "--time", "\(seconds)",
    ]
    let output = try await run(
      arguments + (rate.map { ["--rate", "\($0)"] } ?? []) + work, limit: .seconds(seconds + 60))
    // tps = 12345.678901 (without initial connection time)
    let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
    guard let rate = line?.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) }),
      output.contains("number of failed transactions: 0 ")
    else { throw BenchmarkError("pgbench: \(output)") }
    return rate
  }

  /// Lets eight clients commit single rows into a table.
  func insert(into table: String, seconds: Int, rate: Int? = nil) async throws -> Double {
    let folder = try TemporaryDirectory()
    let script = try folder.write(Orders.script(into: table), to: "insert.sql")
    return try await load(["--file", script], seconds: seconds, rate: rate)
  }

  private func run(_ arguments: [String], limit: Duration) async throws -> String {
    let outcome = try await BuiltExecutables.run(path, arguments + [url], timeout: limit)
    guard outcome.exit == 0 else { throw BenchmarkError("pgbench: \(outcome.stderr)") }
    return outcome.stdout
  }
}
