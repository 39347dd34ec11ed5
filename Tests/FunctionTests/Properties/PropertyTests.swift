import FoundationEssentials
import TestSupport
import Testing

/// Rules that hold for any people, no matter what they do and when.
///
/// `PROPERTY_SEED` runs a single world again; `PROPERTY_CASES` sets how many there are, and `PROPERTY_STEPS` how much happens
/// in each.
@Suite(.heavy)
struct PropertyTests {
  @Test(arguments: PropertyCase.chosen) func everyRuleHolds(_ given: PropertyCase) async throws {
    let simulation = try await Simulation(seed: given.seed, start: given.start)
    try await simulation.run(steps: PropertyCase.steps, days: PropertyCase.steps / 12)

    let broken = try await simulation.judge()

    let size = (events: simulation.handed.count, pushes: simulation.sent.count)
    #expect(
      size.events > PropertyCase.steps / 4 && size.pushes > PropertyCase.steps / 8,
      "\(given) is too quiet to show anything")
    #expect(broken.isEmpty, "\(given)\n\(Self.report(broken))")
  }

  /// How often each rule was broken, with the first examples.
  private static func report(_ broken: [String]) -> String {
    let rules = Dictionary(grouping: broken) { $0.prefix { $0 != ":" } }.sorted { $0.key < $1.key }
    return rules.map { "\($0.value.count) times \($0.value.prefix(3).joined(separator: "\n  "))" }
      .joined(separator: "\n")
  }
}

/// A seed, which also says when the world begins.
struct PropertyCase: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let seed: UInt64

  /// Each is followed by a change of the clocks somewhere: New York, Berlin with Lord Howe and Santiago; Santiago, Lord
  /// Howe, Berlin, New York.
  private static let starts = [
    "2026-03-04T17:00:00Z", "2026-03-26T06:00:00Z", "2026-09-01T11:00:00Z", "2026-09-29T20:00:00Z",
    "2026-10-21T09:00:00Z", "2026-10-25T00:10:00Z",
  ]

  var start: Date {
    (try? Date(Self.starts[Int(seed % UInt64(Self.starts.count))], strategy: .iso8601)) ?? .distantPast
  }

  var description: String { "PROPERTY_SEED=\(seed)" }
  var testDescription: String { description }

  static let steps = number("PROPERTY_STEPS").map(Int.init) ?? 60

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
  }

  static let chosen: [PropertyCase] = {
    let cases =
      number("PROPERTY_SEED").map { [PropertyCase(seed: $0)] }
      ?? (0..<(number("PROPERTY_CASES") ?? 36)).map { PropertyCase(seed: $0) }
    print("Property tests: PROPERTY_SEED=\(cases.map { "\($0.seed)" }.joined(separator: ", "))")
    return cases
  }()
}
