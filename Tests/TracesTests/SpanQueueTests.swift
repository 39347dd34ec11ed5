import Foundation
import Testing

@testable import Traces
@testable import Tracing

struct SpanQueueTests {
  private let settings = TraceSettings(
    { ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SERVICE_NAME": ""][$0].flatMap { $0.isEmpty ? nil : $0 } },
    problem: { _ in })

  private func span(_ name: String) -> [UInt8] {
    let context = TraceContext(source: "a", id: name)
    return Span(
      name, .client, context, below: nil, start: 1, end: 2, [("text", .text("\"\\\n\u{1}ü")), ("n", .number(-3))]
    ).json
  }

  private static func next(_ queue: inout SpanQueue) throws -> SpanQueue.Batch {
    let batch = queue.next()
    return try #require(batch)
  }

  @Test func programsHaveAPartEach() throws {
    var queue = SpanQueue()
    for name in ["b", "a", "b"] { queue.add(span(name), of: name, isFunction: name == "a") }
    let batch = try Self.next(&queue)

    let body = SpanQueue.body(of: batch, try #require(settings))
    let document = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: [[String: Any]]])
    let parts = try #require(document["resourceSpans"])
    let spans = parts.map { (($0["scopeSpans"] as? [[String: Any]])?.first?["spans"] as? [[String: Any]]) ?? [] }
    #expect(spans.map(\.count) == [1, 2])
    let attributes = try #require(spans[0][0]["attributes"] as? [[String: Any]])
    #expect((attributes[0]["value"] as? [String: String]) == ["stringValue": "\"\\\n\u{1}ü"])
    #expect((attributes[1]["value"] as? [String: String]) == ["intValue": "-3"])
    #expect(queue.isEmpty && queue.next() == nil)
  }

  @Test func whatDoesNotFitIsLostAndCounted() {
    var queue = SpanQueue()
    let large = [UInt8](repeating: 0x20, count: 1 << 20)
    for _ in 0..<10 { queue.add(large, of: "a", isFunction: true) }

    #expect(queue.lost == 2 && queue.isFull)
    #expect(queue.loss() == 2 && queue.loss() == nil)
    // Those of a request under way need their room until it has ended.
    let batch = queue.next()
    queue.add(large, of: "a", isFunction: true)
    #expect(queue.lost == 3)
    if let batch { #expect(queue.ended(batch, status: 200) == .send(after: .zero)) }
    queue.add(large, of: "a", isFunction: true)
    #expect(queue.lost == 3)
  }

  @Test(arguments: [429, 502, 503, 504, nil]) func whatMayHelpIsRepeatedAFewTimes(_ status: Int?) throws {
    var queue = SpanQueue()
    queue.add(span("a"), of: "a", isFunction: true)
    var pauses: [Duration] = []
    while let batch = queue.next() {
      if case .send(let pause) = queue.ended(batch, status: status, jitter: 1) { pauses.append(pause) }
    }

    #expect(pauses == [1, 2, 4, 8, 16].map { .seconds($0) })
    #expect(queue.lost == 1 && queue.loss() == 1)
  }

  @Test(arguments: [400, 401, 404, 413, 500]) func whatIsRefusedIsNotRepeated(_ status: Int) throws {
    var queue = SpanQueue()
    queue.add(span("a"), of: "a", isFunction: true)
    let batch = try Self.next(&queue)

    #expect(queue.ended(batch, status: status) == .wait)
    #expect(queue.isEmpty && queue.lost == 1)
  }

  @Test func theCollectorMayAskForAPauseAndLeaveSomeOut() throws {
    var queue = SpanQueue()
    queue.add(span("a"), of: "a", isFunction: true)
    let first = try Self.next(&queue)
    #expect(queue.ended(first, status: 503, retryAfter: 7) == .send(after: .seconds(7)))
    let again = try Self.next(&queue)
    #expect(queue.ended(again, status: 503, retryAfter: 7_000) == .send(after: SpanQueue.longestPause))
    let last = try Self.next(&queue)
    let rejected = PartialSuccess.rejected(Array(#"{"partialSuccess": {"rejectedSpans": "1"}}"#.utf8))

    #expect(queue.ended(last, status: 200, rejected: rejected) == .wait)
    #expect(queue.lost == 1)
    #expect(PartialSuccess.rejected(Array("{}".utf8)) == 0)
  }

  @Test func aLossIsToldAgainAfterTheCollectorHasTakenSome() throws {
    var queue = SpanQueue()
    for status in [400, 200, 400] {
      queue.add(span("a"), of: "a", isFunction: true)
      _ = queue.ended(try Self.next(&queue), status: status)
      #expect((queue.loss() != nil) == (status == 400))
    }
  }
}
