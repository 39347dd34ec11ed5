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
}
