import Foundation
import TestSupport
import Testing

/// A function that takes many lines at once answers and writes what it would for one line after the other.
///
/// Random worlds are played twice, from equal databases. `BATCH_SEED` plays a single world again; `BATCH_CASES` sets how
/// many there are for each function.
@Suite(.heavy)
struct BatchTests {
  @Test(arguments: BatchCase.chosen) func everyEventHasTheEffectThatItHasAlone(_ given: BatchCase) async throws {
    let plan = BatchPlan(seed: given.seed, of: given.function)
    let (one, other) = try await BatchRun.databases(plan.setUp)

    let alone = try await BatchRun(plan, on: one, .oneAtATime)
    let together = try await BatchRun(plan, on: other, .inBatches)

    let differences = alone.differences(from: together, in: plan)
    #expect(alone.image.count("handled_events") > 20, "\(given) is too quiet to show anything")
    #expect(alone.answers.contains { $0.contains(#""exit":65"#) }, "\(given) has no line that is refused")
    if !differences.isEmpty { Issue.record("\(given)\n\(differences.joined(separator: "\n"))") }
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
