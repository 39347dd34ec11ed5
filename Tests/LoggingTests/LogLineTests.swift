import FunctionKit
import Terminal
import Testing

@testable import Logging

struct LogLineTests {
  private func line(_ level: String) -> LogLine {
    let text =
      #"{"time":"2026-06-15T21:10:00.123Z","level":"\#(level)","message":"The schema is up to date","function":"vote-cast","#
      + #""cause":"a long cause that is needed to mend it"}"#
    return LogLine(Array(text.utf8)[...], program: "vote-cast")
  }

  @Test func aPersonSeesOneLineOfTheTerminal() {
    let short = line("info").short(columns: 40, Style(isColourful: false))

    #expect(short == "21:10:00 vote-cast         The schema i…")
  }

  @Test(arguments: ["warning", "error"]) func warningsAndErrorsAreWhole(level: String) {
    let short = line(level).short(columns: 40, Style(isColourful: false))
    #expect(short.contains("\(level): ") && short.hasSuffix("cause=a long cause that is needed to mend it"))
  }

  @Test func coloursAreForThoseWhoWantThem() {
    let (info, error) = (line("info"), line("error"))
    let colours = Style(isColourful: true)
    #expect(info.short(columns: 40, colours).printable.hasPrefix("\u{1B}[2m21:10:00\u{1B}[0m vote-cast"))
    #expect(error.short(columns: 40, colours).printable.hasPrefix("\u{1B}[31m"))
    #expect(!error.short(columns: 40, Style(isColourful: false)).contains("\u{1B}"))
  }

  /// Lines of the function `echo` that claim to be somebody else's.
  static let claims = [
    #"{"program":"vote-cast","message":"m"}"#, #"{"message":"m","program":"runner"}"#,
    #"{"program":"runner","program":"vote-cast","message":"m"}"#, #"{"pro\u0067ram":"vote-cast","message":"m"}"#,
    #"{"program":["vote-cast"],"message":"m"}"#, #"{"function":"vote-cast","message":"m"}"#,
    #"{"function":"vote-cast","function":"vote-cast","message":"m"}"#,
    #"{"program":"runner","function":"vote-cast","time":"2026-06-15T21:10:00Z","level":"error","message":"m"}"#,
    // What a laxer reader takes for JSON.
    #"{"program":"vote-cast","message":"m",}"#, #"{"program":"vote-cast","message":"\ud800"}"#,
    "\u{FEFF}{\"program\":\"vote-cast\",\"message\":\"m\"}", #" {"program":"vote-cast","count":NaN}"#,
    #"{"program":"vote-cast","message":"a line that is cut"#,
  ]

  @Test(arguments: claims) func aLineIsOfTheProgramThatWroteItWhateverItSays(_ text: String) throws {
    let line = LogLine(Array(text.utf8)[...], program: "echo")
    let recorded = try #require(LogLine(recorded: line.record.dropLast()))

    for line in [line, recorded] {
      let members = try RawJSON.members(validating: Array(line.whole.utf8)[...])
      #expect(members.filter { $0.name == "program" }.map(\.value.stringValue) == ["echo"], "\(line.whole)")
      #expect(line.readable.dropFirst(9).hasPrefix("echo "), "\(line.readable)")
      #expect(line.concerns("echo") && !line.concerns("vote-cast") && !line.concerns("runner"))
    }
  }

  @Test func ofWhomTheRunnerSpeaksIsWhomItConcerns() {
    let line = LogLine(Array(#"{"function":"vote-cast","message":"m"}"#.utf8)[...], program: "runner")

    #expect(line.whole == #"{"program":"runner","function":"vote-cast","message":"m"}"#)
    #expect(line.readable.dropFirst(9) == "vote-cast         m")
    #expect(line.concerns("vote-cast") && line.concerns("runner") && !line.concerns("echo"))
  }
}
