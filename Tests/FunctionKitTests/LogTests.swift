import FunctionKit
import Synchronization
import Testing

struct LogTests {
  @Test func writesOneJSONObjectALine() throws {
    let lines = Mutex<[[UInt8]]>([])
    let log = Log(["function": "echo"]) { line in lines.withLock { $0.append(line) } }

    log.with(["event.id": "7"]).info("Done", ["text": "a \"b\"\nc"])

    let line = try #require(lines.withLock { $0.first })
    #expect(line.last == 0x0A)
    let document = try RawJSON(validating: line.dropLast()[...])
    #expect(document["message"]?.stringValue == "Done")
    #expect(document["function"]?.stringValue == "echo")
    #expect(document["event.id"]?.stringValue == "7")
    #expect(document["text"]?.stringValue == "a \"b\"\nc")
  }

  @Test func progressIsANumberWithTheEventThatItIsOf() throws {
    let lines = Mutex<[[UInt8]]>([])
    let log = Log(["event.id": "7"]) { line in lines.withLock { $0.append(line) } }

    Context(function: "echo", log: log).progress(5_000)

    let document = try RawJSON(validating: try #require(lines.withLock { $0.first }).dropLast())
    #expect(document["progress"]?.intValue == 5_000)
    #expect(document["event.id"]?.stringValue == "7")
  }

  @Test func secretsDoNotPrint() {
    let secret = Secret("key")

    #expect("\(secret) \(String(reflecting: secret))" == "«redacted» «redacted»")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }
}
