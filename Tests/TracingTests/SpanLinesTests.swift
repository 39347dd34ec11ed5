import Testing

@testable import Tracing

struct SpanLinesTests {
  @Test(arguments: [1, 3, 7, 1_000]) func areTakenOutOfWhatIsWritten(_ size: Int) {
    let text = "{\"level\":\"info\"}\n{\"span\":{\"a\":1}}\nplain {\"span\":{}}\n{\"sp\n{\"span\":{\"b\":2}}\n{\"spa"
    var lines = SpanLines()
    var (spans, others) = ([String](), [UInt8]())
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      others += lines.take(bytes[start..<min(bytes.count, start + size)]) {
        spans.append(String(decoding: $0, as: UTF8.self))
      }
    }
    others += lines.finish()

    #expect(spans == [#"{"a":1}"#, #"{"b":2}"#])
    #expect(String(decoding: others, as: UTF8.self) == "{\"level\":\"info\"}\nplain {\"span\":{}}\n{\"sp\n{\"spa")
  }

  @Test func aLineWithoutEndIsNoSpan() {
    var lines = SpanLines()
    let text = Array((#"{"span":{"a":""# + String(repeating: "x", count: 70_000)).utf8)

    #expect(lines.take(text[...]) { _ in Issue.record() }.count == text.count)
  }
}
