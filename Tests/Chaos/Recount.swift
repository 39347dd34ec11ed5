import FunctionKit
import TestSupport

/// The answer of `recount.sql` about a database.
struct Recount {
  /// How much there was, by name.
  struct Counts: Codable {
    /// Events that functions had to hear of.
    var events = 0
    /// Pushes that phones took, those of a badge alone included.
    var deliveries = 0
    /// Devices whose badge was compared.
    var devices = 0
    /// How often a function got an event that it had had, as it may after a fault.
    var repeats = 0
    /// How often a device got a push in place of the same one.
    var sentAgain = 0
    /// The longest delay, in seconds.
    var slowest = 0.0
  }

  /// The wrongs: each instance in words, by its figure.
  private(set) var wrongs: [Figure: [String]] = [:]
  private(set) var counts = Counts()

  /// Lets psql count.
  ///
  /// - Parameters:
  ///   - url: of the database.
  ///   - effects: what functions have written, a line for each event they heard.
  ///   - pushes: the emulator's journal.
  init(_ url: String, effects: String, pushes: String, faults: [Outage]) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(effects, to: "effects.txt")
    try folder.write(pushes, to: "pushes.ndjson")
    try folder.write(
      faults.map { "\($0.kind.rawValue) \($0.began) \($0.ended) \($0.ahead)\n" }.joined(), to: "faults.txt")
    try folder.write(Scripts.recount, to: "recount.sql")
    let outcome = try await BuiltExecutables.run(
      "/bin/sh", ["-c", #"cd "$1" && psql -XqAt -F '|' -f recount.sql "$2""#, "sh", folder.path, url],
      timeout: .seconds(60))
    guard outcome.exit == 0 else { throw ChaosError("psql: \(outcome.stderr)") }
    for line in outcome.stdout.split(separator: "\n") {
      guard let bar = line.firstIndex(of: "|") else { continue }
      let text = String(line[line.index(after: bar)...])
      if let figure = Figure(rawValue: String(line[..<bar])) {
        wrongs[figure, default: []].append(text)
      } else if line.hasPrefix("counts|") {
        counts = try JSONCoding.decode(Counts.self, from: RawJSON(validating: Array(text.utf8)[...]))
      }
    }
  }

  /// Whether something may still come right.
  var isIncomplete: Bool { wrongs[.lost] != nil || wrongs[.badges] != nil }
}

/// The figures that have to be 0.
enum Figure: String, CaseIterable, Codable, CodingKeyRepresentable {
  case lost, overdue, twice, misplaced, charged, untrue, badges, refused, ended, left, overtaken
  /// Counted by the runner itself.
  case disordered
}
