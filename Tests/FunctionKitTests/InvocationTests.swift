import FoundationEssentials
import Testing

@testable import FunctionKit

/// Whether the time that an event states counts.
struct InvocationTests {
  private struct Clock: Function {
    static let summary = "Says what time it is."

    static func live(_ environment: Environment) -> Self { Self() }

    func handle(_ event: Event<RawJSON>, _ context: Context) -> RawJSON { RawJSON(RFC3339.string(context.now)) }
  }

  private static let event = #"{"specversion":"1.0","id":"1","source":"s","type":"t","now":"2130-01-05T02:00:00Z"}"#

  private func year(dryRun: Bool = false, _ variables: [String: String] = [:]) async throws -> Substring? {
    let invocation = Invocation<Clock>(dryRun: dryRun, environment: Environment(variables))
    let outcome = await invocation.run(Array(Self.event.utf8)[...], eventID: nil)
    return try outcome.result.get().stringValue?.prefix(4)
  }

  @Test func aCallerDoesNotMoveTheClock() async throws {
    #expect(try await year() != "2130")
    #expect(try await year([Environment.clock: "real"]) != "2130")
  }

  @Test func aRunnerDoesAndARehearsal() async throws {
    #expect(try await year([Environment.clock: "event"]) == "2130")
    #expect(try await year(dryRun: true) == "2130")
  }
}
