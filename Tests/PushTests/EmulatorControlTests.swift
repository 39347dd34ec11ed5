import Testing

@testable import Push

/// The requests that the emulator gets.
struct EmulatorControlTests {
  @Test func longTokensAreAskedForInSeveralRequests() {
    let long = (10...39).map { "\($0)" + String(repeating: "a", count: 2_046) }
    let short = (100...199).map { "\($0)" }

    let queries = EmulatorControl.queries(of: long)

    #expect(queries.allSatisfy { $0.utf8.count <= 8_192 } && queries.count == 10)
    #expect(queries.joined() == long.map { "token=\($0)&" }.joined())
    #expect(EmulatorControl.queries(of: short).count == 1 && EmulatorControl.queries(of: []).isEmpty)
  }
}
