import FunctionKit
import Testing

@testable import Hosting

/// Which messages of a batch are reported, at any moment.
struct LambdaBatchTests {
  /// - Parameter messages: `a1` is message `a1` of group `a`.
  private func batch(_ messages: String, hasOrder: Bool = true) -> LambdaBatch {
    LambdaBatch(
      messages.split(separator: " ").map { id in
        LambdaEvent.Message(id: String(id), body: [], source: "q", group: hasOrder ? String(id.prefix(1)) : nil)
      })
  }

  private func reported(_ batch: LambdaBatch) -> String? {
    batch.report["batchItemFailures"]?.elements?.compactMap { $0["itemIdentifier"]?.stringValue }
      .joined(separator: " ")
  }

  @Test(
    arguments: [
      // The messages that fail; those that are handled; what is reported at the end.
      ("", "a1 a2 b1 a3 b2", ""), ("a1", "a1 b1 b2", "a1 a2 a3"), ("a2", "a1 a2 b1 b2", "a2 a3"),
      ("b2 a3", "a1 a2 b1 a3 b2", "a3 b2"), ("a1 b1", "a1 b1", "a1 a2 b1 a3 b2"),
    ])
  func thoseBehindAFailedOneOfTheirGroupAreReported(_ failing: String, _ handled: String, _ report: String) {
    let batch = batch("a1 a2 b1 a3 b2")
    var seen: [String] = []
    while let message = batch.next() {
      seen.append(message.id)
      batch.end(message, hasFailed: failing.split(separator: " ").contains { $0 == message.id })
    }
    #expect(seen.joined(separator: " ") == handled)
    #expect(reported(batch) == report)
  }

  @Test func whatHasNotEndedIsReported() throws {
    let batch = batch("a1 a2 b1 a3 b2")
    #expect(reported(batch) == "a1 a2 b1 a3 b2")
    batch.end(try #require(batch.next()), hasFailed: false)
    #expect(reported(batch) == "a2 b1 a3 b2")
    batch.end(try #require(batch.next()), hasFailed: true)
    // The present message is one that has not ended.
    #expect(batch.next()?.id == "b1" && reported(batch) == "a2 b1 a3 b2")
  }

  @Test func withoutGroupsEachMessageIsHandled() {
    let batch = batch("a1 a2 a3", hasOrder: false)
    while let message = batch.next() { batch.end(message, hasFailed: true) }
    #expect(reported(batch) == "a1 a2 a3")
  }
}
