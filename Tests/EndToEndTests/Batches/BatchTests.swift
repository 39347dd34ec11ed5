import Foundation
import TestSupport
import Testing

/// A function answers and writes what the plainest way of telling would, however many lines it takes at once.
///
/// Random worlds are played three times, from equal databases. `BATCH_SEED` plays a single world again; `BATCH_CASES` sets how
/// many there are for each function.
@Suite(.heavy)
struct BatchTests {
  @Test(arguments: BatchCase.chosen) func everyEventHasTheEffectThatItHasPlainly(_ given: BatchCase) async throws {
    let plan = BatchPlan(seed: given.seed, of: given.function)
    let databases = try await BatchRun.databases(3, plan.setUp)

    let plain = try await BatchRun(plan, on: databases[0], .plainly)
    let alone = try await BatchRun(plan, on: databases[1], .oneAtATime)
    let together = try await BatchRun(plan, on: databases[2], .inBatches)

    #expect(plain.image.count("handled_events") > 20, "\(given) is too quiet to show anything")
    #expect(plain.answers.contains { $0.contains(#""exit":65"#) }, "\(given) has no line that is refused")
    for (way, run) in [("one at a time", alone), ("in batches", together)] {
      let differences = plain.differences(from: run, in: plan)
      if !differences.isEmpty { Issue.record("\(given), \(way)\n\(differences.joined(separator: "\n"))") }
    }
  }
}

/// A function and the seed of a world for it.
struct BatchCase: CustomTestStringConvertible, CustomStringConvertible {
  let function: String
  let seed: UInt64

  var description: String { "\(function) with BATCH_SEED=\(seed)" }
  var testDescription: String { description }

  private static let functions = [
    "vote-cast", "comment-added", "feedback-created", "status-changed", "proposal-vote-cast", "action-completed",
    "notification-created",
  ]

  static let chosen: [BatchCase] = {
    let environment = ProcessInfo.processInfo.environment
    let seeds =
      environment["BATCH_SEED"].flatMap(UInt64.init).map { [$0] }
      ?? Array(0..<(environment["BATCH_CASES"].flatMap(UInt64.init) ?? 3))
    return seeds.flatMap { seed in functions.map { BatchCase(function: $0, seed: seed) } }
  }()
}
