import Terminal
import Testing

@testable import Demo

struct NarratorTests {
  private let outcome = Outcome(
    [Trace(eventID: "1", person: "Ben", kind: "new_vote", reason: "actor", delivery: nil)], received: [:])

  @Test func saysWhoWasNotToldAndWhy() {
    let text = Narrator(style: Style(isColourful: false)).ending(of: outcome)

    #expect(text == "      - Ben  not told: it is their own act (actor)\n")
  }

  @Test func usesColoursOnlyWhenAskedTo() {
    #expect(Narrator(style: Style(isColourful: true)).ending(of: outcome).printable.contains("\u{1B}["))
  }

  @Test func showsAReasonItDoesNotKnowAsItIs() {
    #expect(Narrator.sentence("moon_phase") == "moon_phase")
  }

  @Test func showsWhatIsReallyDone() {
    let step = Step(
      title: "T", actions: [.sql("SELECT 1;"), .call(function: "f", body: "{}")], function: "f", subject: "s")

    let text = Narrator(style: Style(isColourful: false)).opening(of: step, number: 2) { "http://h/\($0)" }

    #expect(text.hasPrefix("\n2  T\n     SELECT 1;\n"))
    #expect(text.contains("curl -X POST http://h/f -H 'content-type: application/json' -d '{}'\n"))
  }
}
