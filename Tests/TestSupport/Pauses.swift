/// The pauses between looks at what a test waits for: each is a twentieth of the time until then, from 10 to 50 ms.
///
/// A look takes the processor from that for which the test waits.
package struct Pauses: Sendable {
  private let start = ContinuousClock.now

  /// Begins to wait.
  package init() {}

  /// Waits until the next look.
  package func next() async throws {
    let pause = min(max((ContinuousClock.now - start) / 20, .milliseconds(10)), .milliseconds(50))
    try await Task.sleep(for: pause)
  }
}
