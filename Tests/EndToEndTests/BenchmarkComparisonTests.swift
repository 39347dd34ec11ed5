import Foundation
import TestSupport
import Testing

/// The benchmark beside an earlier commit's, both played by scripts that print what a measurement would.
@Suite(.heavy, .qualifiesReleases)
struct BenchmarkComparisonTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func aFallInTheMedianOfAllTurnsIsNamed() async throws {
    let before = try program("before", [#"{"what":"votes","perSecond":100}"#])
    // One bad turn of five is the machine; in the median it is 0.85 of what it was.
    let now = try program("now", [85, 120, 85, 84, 86].map { #"{"what":"votes","perSecond":\#($0)}"# })
    let outcome = try await compare(before, now)
    #expect(outcome.exit == 1)
    #expect(outcome.stdout.contains("Fell by more than 10 %: votes, perSecond (0.85 ×)"), "\(outcome.stdout)")
    let row = outcome.stdout.split(separator: "\n").first { $0.hasPrefix("votes") }
    let cells = row?.split(separator: " ") ?? []
    #expect(cells == ["votes,", "perSecond", "100.00", "85.00", "0.85", "0.84", "1.20", "FELL"])
  }

  @Test func oneBadTurnIsNoFall() async throws {
    let before = try program("before", [#"{"what":"votes","perSecond":100}"#])
    let now = try program("now", [20, 96, 97, 98, 20].map { #"{"what":"votes","perSecond":\#($0)}"# })
    let outcome = try await compare(before, now)
    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("Nothing fell by more than 10 %."))
  }

  @Test(arguments: [
    (#""p50Milliseconds":10"#, #""p50Milliseconds":12"#, true),
    (#""p50Milliseconds":12"#, #""p50Milliseconds":10"#, false),
    (#""value":10"#, #""value":12"#, true), (#""value":0"#, #""value":1"#, true), (#""value":1"#, #""value":0"#, false),
    (#""value":0"#, #""value":0"#, false),
    // What one slow call in a hundred makes, and what is not ours, is shown and not judged.
    (#""p99Milliseconds":10"#, #""p99Milliseconds":20"#, false),
    (#""perSecond":10,"yardstick":true"#, #""perSecond":5,"yardstick":true"#, false),
    // A ratio alone is judged the way that its limit says.
    (#""ratio":2,"limits":["at most 3 ×"]"#, #""ratio":2.5,"limits":["at most 3 ×"]"#, true),
    (#""ratio":0.5,"goal":"at least 0.9 ×""#, #""ratio":0.4,"goal":"at least 0.9 ×""#, true),
    (#""ratio":0.4,"goal":"at least 0.9 ×""#, #""ratio":0.5,"goal":"at least 0.9 ×""#, false),
    (#""ratio":0.5"#, #""ratio":0.4"#, false),
  ])
  func whichWayIsBetterDependsOnTheFigure(_ old: String, _ new: String, _ fell: Bool) async throws {
    let before = try program("before", [#"{"what":"it, of 100",\#(old)}"#])
    let now = try program("now", [#"{"what":"it, of 200",\#(new)}"#])
    let outcome = try await compare(before, now)
    #expect(outcome.exit == (fell ? 1 : 0), "\(outcome.stdout)")
    #expect(!outcome.stdout.contains("Only one of both"))
  }

  @Test func bothTakeTurnsAndWhatOneLacksIsSaid() async throws {
    let before = try program("before", [#"{"what":"old","value":1}"#])
    let now = try program("now", [#"{"what":"new","value":1}"#])
    let outcome = try await compare(before, now, ["--turns", "3"])
    #expect(outcome.exit == 0)
    #expect(try String(contentsOfFile: "\(folder.path)/order", encoding: .utf8) == "before now now before before now ")
    for name in ["old", "new"] { #expect(outcome.stdout.contains("Only one of both has it: \(name)")) }
  }

  @Test func whatCannotBeMeasuredIsSaid() async throws {
    let now = try program("now", [#"{"what":"votes","perSecond":1}"#])
    let script = "#!/bin/sh\necho 'benchmarks: drain is unknown' >&2\nexit 2\n"
    let before = try folder.write(script, to: "before", mode: 0o755)
    let outcome = try await compare(before, now)
    #expect(outcome.exit == 2)
    #expect(outcome.stderr.contains("drain could not be compared") && outcome.stderr.contains("drain is unknown"))
  }

  @Test func eachReadsTheManifestOfItsOwnCheckout() async throws {
    let script = "#!/bin/sh\n[ \"$(cat functions.json)\" = $(basename $(dirname $(dirname $0))) ] || exit 2\n"
    let answer = #"echo '{"findings":[{"what":"votes","value":1}]}'"#
    let programs = try ["earlier", "today"].map { name in
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)/.build", withIntermediateDirectories: true)
      _ = try folder.write(name, to: "\(name)/functions.json")
      return try folder.write(script + answer, to: "\(name)/.build/program", mode: 0o755)
    }
    let outcome = try await compare(programs[0], programs[1])
    #expect(outcome.exit == 0, "\(outcome.stderr)")
  }

  @Test func theFiguresArePrintedForPrograms() async throws {
    let before = try program("before", [#"{"what":"votes","perSecond":100}"#])
    let now = try program("now", [#"{"what":"votes","perSecond":200}"#])
    let outcome = try await compare(before, now, ["--json"])
    let document = try JSONDecoder().decode(Document.self, from: Data(outcome.stdout.utf8))
    #expect(
      document
        == Document(
          ok: true,
          figures: [
            Document.Figure(
              what: "votes", figure: "perSecond", before: 100, now: 200, gain: 2, least: 2, most: 2, fell: false)
          ], failures: []))
  }

  private struct Document: Decodable, Equatable {
    struct Figure: Decodable, Equatable {
      var what: String
      var figure: String
      var before: Double
      var now: Double
      var gain: Double
      var least: Double
      var most: Double
      var fell: Bool
    }

    var ok: Bool
    var figures: [Figure]
    var failures: [String]
  }

  private func compare(
    _ before: String, _ now: String, _ words: [String] = []
  ) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("Benchmarks", ["--against", before, "--now", now, "drain"] + words)
  }

  /// A program that prints one finding in each of its runs: the first, the second, …, and the last again.
  private func program(_ name: String, _ findings: [String]) throws -> String {
    for (index, finding) in findings.enumerated() {
      _ = try folder.write(#"{"ok":true,"findings":[\#(finding)],"failures":[]}"#, to: "\(name)-\(index).json")
    }
    return try folder.write(
      """
      #!/bin/sh
      cd '\(folder.path)'
      printf '\(name) ' >> order
      turn=$(cat \(name)-turn 2>/dev/null || echo 0)
      echo $((turn + 1)) > \(name)-turn
      [ -e \(name)-$turn.json ] || turn=\(findings.count - 1)
      cat \(name)-$turn.json

      """, to: name, mode: 0o755)
  }
}
