import CLinux
import FunctionKit
import Glibc
import System
import Testing

@testable import Logging

/// Log lines for a reader that does not keep up.
struct LogPrinterTests {
  @Test func linesThatNobodyTookAreCountedOnceSomebodyReads() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let printer = LogPrinter(isForPeople: false, descriptor: writing)
    // The first line fills the pipe, so that all others wait.
    printer.print(Array(String(repeating: "x", count: 1 << 17).utf8))
    for line in 1..<LineWriter.mostWaiting { printer.print(Array("\(line)".utf8)) }
    for _ in 0..<5 { printer.print(Array("left out".utf8)) }

    let taken = Self.lines(of: reading) { $0 == "\(LineWriter.mostWaiting - 1)" }
    await printer.finish()
    printer.print(Array("read again".utf8))
    let rest = Self.lines(of: reading) { $0.contains("Log lines were left out") }

    #expect(taken.count == LineWriter.mostWaiting)
    #expect(rest.count == 2 && rest.first == "read again")
    #expect(rest.last?.contains(#""lines":"5""#) == true)
    await printer.finish()
    close(writing)
  }

  @Test(arguments: [(nil, 6), (LogLevel.debug, 6), (.info, 5), (.warning, 4), (.error, 3)])
  func linesOfLowerLevelsAreLeftOutAndOthersNever(_ least: LogLevel?, _ expected: Int) async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { [reading, writing].forEach { close($0) } }
    let printer = LogPrinter(isForPeople: false, descriptor: writing, least: least)
    for level in LogLevel.allCases { printer.print(Array(#"{"level":"\#(level)"}"#.utf8)[...], from: "f") }
    printer.print(Array("Fatal error: words without a level".utf8)[...], from: "f")
    printer.print(Array(#"{"progress":1}"#.utf8)[...], from: "f")

    let lines = Self.lines(of: reading) { $0.contains("progress") }

    #expect(lines.count == expected && lines.suffix(2).first?.hasPrefix("Fatal error") == true, "\(lines)")
    await printer.finish()
  }

  @Test(arguments: [
    ("words\u{1B}]0;x\u{7}\r\u{202E}\u{9B}31m", "words ]0;x   31m"),
    (#"{"a":"\#u{9B}\#u{7F}\#u{202E}\#u{2028}é"}"#, #"{"program":"f","a":"\u009b\u007f\u202e\u2028é"}"#),
    (#"{"a":"as it is","b":"\u001b"}"#, #"{"program":"f","a":"as it is","b":"\u001b"}"#),
  ])
  func whateverAFunctionWritesCommandsNoTerminal(_ written: String, _ expected: String) async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { [reading, writing].forEach { close($0) } }
    let printer = LogPrinter(isForPeople: false, descriptor: writing)
    printer.print(Array(written.utf8)[...], from: "f")
    printer.print(Array("end".utf8))

    let lines = Self.lines(of: reading) { $0 == "end" }

    #expect(lines == [Substring(expected), "end"])
    await printer.finish()
  }

  /// The lines that come through a pipe up to one of them.
  private static func lines(of descriptor: Int32, upTo isLast: (Substring) -> Bool) -> [Substring] {
    var (text, buffer) = ("", [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return [] }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      let lines = text.split(separator: "\n")
      if text.hasSuffix("\n"), let last = lines.last, isLast(last) { return lines }
    }
  }
}
