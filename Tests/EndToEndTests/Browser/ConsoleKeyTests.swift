import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Every act of the runner's own pages, by the keyboard alone, with scripts and without.
@Suite(.heavy, .needsBrowser)
struct ConsoleKeyTests {
  private static func open(
    _ path: String, of console: ServedConsole, withScripts: Bool
  ) async throws -> Browser {
    let browser = try await Browser()
    try await browser.show(.light)
    try await browser.allowScripts(withScripts)
    try await browser.open("\(console.served.url)/_/console/\(path)")
    return browser
  }

  @Test(arguments: [true, false])
  func aDeadLetterIsRetriedAndTheRestIsPurgedByAFilter(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two", "three")
    let browser = try await Self.open("event/one?function=bad", of: console, withScripts: withScripts)

    try console.served.runner.project.write("", to: "mended")
    try await browser.pressEnter(at: "Retry", role: "button")
    _ = try await browser.find("[role=status]", "It is tried again")
    try await console.served.runner.wait(
      until: "EXISTS (SELECT FROM runner.history WHERE event_id = 'one' AND code = 'OK')")

    try await browser.open("\(console.served.url)/_/console/dead")
    _ = try await browser.tab(to: "Filter", role: "searchbox")
    try await browser.press("function:bad" + Key.enter)
    _ = try await browser.find("button", "Purge the 2 that match")
    try await browser.pressEnter(at: "Purge the 2 that match", role: "button")
    _ = try await browser.find("h1", "Purge 2 dead letters?")
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 2)
    try await browser.pressEnter(at: "Purge 2", role: "button")
    _ = try await browser.find("[role=status]", "2 dead letters purged.")
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func anEventIsChangedTriedAndSavedAsAFixture(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    let browser = try await Self.open("event/one?function=bad", of: console, withScripts: withScripts)
    try console.served.runner.project.write("", to: "mended")

    let field = try await browser.tab(to: "The event", role: "textbox")
    try await browser.type("\u{E009}a\u{E000}{", into: field)
    try await browser.pressEnter(at: "Dry run", role: "button")
    _ = try await browser.find("#trial [role=alert]", "not one JSON document")
    let second = try await browser.tab(to: "The event", role: "textbox")
    try await browser.type("\u{E009}a\u{E000}{\"specversion\":\"1.0\",\"id\":\"x\"}", into: second)
    try await browser.pressEnter(at: "Dry run", role: "button")
    // The page before has a trial, too.
    _ = try await browser.find("#trial [role=alert]", "has not answered with JSON")
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 1)

    let folder = try TemporaryDirectory()
    try await browser.command(
      "Browser.setDownloadBehavior", [("behavior", RawJSON("allow")), ("downloadPath", RawJSON(folder.path))])
    try await browser.pressEnter(at: "Save as a fixture", role: "link")
    var saved: RawJSON?
    try await eventually("the fixture is there") {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
      saved = names.first.flatMap { FileManager.default.contents(atPath: "\(folder.path)/\($0)") }
        .flatMap { try? RawJSON(validating: Array($0)[...]) }
      return saved != nil
    }
    #expect(saved?["id"]?.stringValue == "one")
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func anEventIsChangedAndSent(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    let browser = try await Self.open("event/one?function=bad", of: console, withScripts: withScripts)
    try console.served.runner.project.write("", to: "mended")

    try await browser.pressEnter(at: "Send the changed event", role: "button")
    _ = try await browser.find("h1", "Send the changed event to bad?")
    if withScripts {
      #expect(try await browser.violations() ?? [] == [])
      try await browser.keepPicture("send-question")
    }
    #expect(try await console.served.runner.database.query("SELECT FROM runner.events").isEmpty)
    try await browser.pressEnter(at: "Send it", role: "button")
    _ = try await browser.find("[role=status]", "This is the new event")
    try await console.served.runner.wait(
      until: "EXISTS (SELECT FROM runner.history WHERE event_id <> 'one' AND code = 'OK')")
    if !withScripts { try await browser.reload() }
    try await browser.pressEnter(at: "one", role: "link")
    _ = try await browser.find("p", "A dead letter")
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func aScheduleIsPausedResumedAndFired(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    let browser = try await Self.open("schedules/tick", of: console, withScripts: withScripts)

    try await browser.pressEnter(at: "Pause", role: "button")
    _ = try await browser.find("[role=status]", "It is paused.")
    try await browser.pressEnter(at: "Resume", role: "button")
    _ = try await browser.find("[role=status]", "It is resumed.")
    try await browser.pressEnter(at: "Fire one now", role: "button")
    _ = try await browser.find("h1", "tick: schedule")
    #expect(try await browser.url.contains("/_/console/event/tick%40"))
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func theClockIsMovedAndPutBack(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    // Only the clock of a project's own database is moved.
    let runner = console.served.runner
    try runner.project.write(runner.databaseURL, to: ".runner/database-url")
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    let browser = try await Self.open("clock", of: console, withScripts: withScripts)

    _ = try await browser.tab(to: "Forward by", role: "textbox")
    try await browser.press("25h" + Key.enter)
    _ = try await browser.find("h2", "until")
    _ = try await browser.find("th", "tick")
    try await browser.pressEnter(at: "Move the clock to", role: "button")
    _ = try await browser.find("h1", "What happened on the way")
    _ = try await browser.find("td", "tick")
    try await browser.pressEnter(at: "To the clock", role: "link")
    _ = try await browser.find("p", "ahead of real time")
    try await browser.quit()
  }

  @Test func theSliderGoesOverWhatComesDueAndFillsTheForms() async throws {
    let console = try await ServedConsole.start()
    let runner = console.served.runner
    try runner.project.write(runner.databaseURL, to: ".runner/database-url")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    let browser = try await Self.open("clock", of: console, withScripts: true)
    let field = "return document.querySelector('input[name=span]').value"
    let marked = "return document.querySelectorAll('tr.at').length"

    let slider = try await browser.tab(to: "Slide to a moment", role: "slider")
    #expect(try await browser.text(of: "#moment") == "now: nothing has come due")
    #expect(try await browser.run(marked).intValue == 0)
    try await browser.press(Key.right)
    _ = try await browser.find("#moment", "1 would have come due")
    #expect(try await browser.attribute("aria-valuetext", of: slider)?.contains("1 would have come due") == true)
    #expect(try await browser.run(marked).intValue == 1)
    #expect(try await browser.run(field).stringValue?.wholeMatch(of: /(\d+h)?(\d+m)?(\d+s)?/) != nil)
    try await browser.press(Key.left)
    #expect(try await browser.run(field).stringValue == "")
    #expect(try await browser.run(marked).intValue == 0)

    // Where somebody has said how far, the button goes with the slider.
    try await browser.open("\(console.served.url)/_/console/clock?span=3d")
    _ = try await browser.find("td", "3 of 3")
    _ = try await browser.tab(to: "Slide to a moment", role: "slider")
    try await browser.press(Key.left)
    _ = try await browser.find("td", "2 of 3")
    for look in Browser.Look.all {
      try await browser.show(look)
      let violations = try await browser.violations() ?? []
      #expect(violations == [], "\(look)")
      #expect(try await browser.overhang <= 0, "\(look)")
      try await browser.keepPicture("clock-slider-\(look)")
    }
    let moment = try #require(
      try await browser.text(of: "#moment").firstMatch(of: #/^(\d+ [A-Z][a-z]+, [:0-9]+), in /#)
    ).1
    #expect(try await browser.text(of: "#advance") == "Move the clock to \(moment)")
    try await browser.pressEnter(at: "Move the clock to", role: "button")
    _ = try await browser.find("h1", "What happened on the way")
    #expect(try await runner.database.query("SELECT FROM runner.schedule_fires").count == 2)
    try await browser.quit()
  }
}
