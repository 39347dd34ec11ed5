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

  @Test(arguments: LogLevel.allCases) func linesOfLowerLevelsAreLeftOutButProgressIsNot(_ least: LogLevel) throws {
    let lines = Mutex<[[UInt8]]>([])
    let log = Log(least: least) { line in lines.withLock { $0.append(line) } }

    log.debug("debug")
    log.info("info")
    log.warning("warning")
    log.with(["more": "facts"]).error("error")
    Context(function: "echo", log: log).progress(1)

    let levels = try lines.withLock { $0 }.map { try RawJSON(validating: $0.dropLast())["message"]?.stringValue }
    #expect(levels == LogLevel.allCases.filter { $0 >= least }.map(\.rawValue) + ["A part is done"])
    #expect(LogLevel.allCases.filter(log.says) == LogLevel.allCases.filter { $0 >= least })
  }

  @Test func theLevelIsRead() throws {
    #expect(try LogLevel.from(Environment([:])) == nil)
    #expect(try LogLevel.from(Environment(["LOG_LEVEL": "Warning"])) == .warning)
    #expect(try LogLevel.from(Environment(["LOG_LEVEL": "notice"])) == .info)
    #expect { try LogLevel.from(Environment(["LOG_LEVEL": "loud"])) } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("LOG_LEVEL")
    }
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
