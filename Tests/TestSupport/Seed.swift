import Foundation

/// The seed of a test's random choices: another one in each run, or that of an environment variable.
///
/// It is the argument of a test, so a failure names it: `CHAOS_SEED=7` plays the same choices again.
package struct Seed: Sendable, CustomStringConvertible {
  private let variable: String
  private let number: UInt64

  /// The seed that a variable holds, or a new one.
  package init(_ variable: String = "TEST_SEED") {
    self.variable = variable
    number = ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init) ?? .random(in: 1...999_999)
  }

  /// The choices, from the first.
  package var choices: SplitMix { SplitMix(seed: number) }

  package var description: String { "\(variable)=\(number)" }
}
