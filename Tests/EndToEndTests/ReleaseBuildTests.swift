import TestSupport
import Testing

/// Faults that only show in programs that are built for release, such as those that `Tests/run` tests.
@Suite(.heavy)
struct ReleaseBuildTests {
  /// With the pass that `house` in `Package.swift` switches off, Swift 6.3.0 and 6.3.1 do not come back.
  @Test func anErrorIsCaughtOnItsCatchersExecutor() async throws {
    let outcome = try await BuiltExecutables.run("ExecutorProbe")

    #expect(outcome.exit == 0)
    #expect(outcome.stdout == "on the loop\n")
  }
}
