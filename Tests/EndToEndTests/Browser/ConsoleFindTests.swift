import FunctionKit
import TestSupport
import Testing

/// The field above every page, and times in the viewer's zone.
@Suite(.heavy, .needsBrowser)
struct ConsoleFindTests {
  @Test func aPersonIsFoundAsSomebodyTypesAndWithoutScripts() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser
    try await browser.open("\(scene.served.url)/_/console/")

    try await browser.press("/dan")
    _ = try await browser.find("#finder a", "Dan")
    for look in Browser.Look.all {
      try await browser.show(look)
      #expect(try await browser.violations() ?? [] == [], "\(look)")
      #expect(try await browser.overhang <= 0, "\(look)")
      try await browser.keepPicture("finder-\(look)")
    }
    try await browser.press(Key.escape)
    #expect(try await browser.all("#finder:not([hidden])").isEmpty)
    #expect(try await browser.run("return document.activeElement.id").stringValue == "find")
    try await browser.open("\(scene.served.url)/_/console/schedules")
    try await browser.press("/night mode")
    _ = try await browser.find("#finder a", "Night mode")
    try await browser.press(Key.tab)
    try await browser.press(Key.enter)
    _ = try await browser.find("h1", "Night mode")

    try await browser.allowScripts(false)
    try await browser.open("\(scene.served.url)/_/console/functions")
    _ = try await browser.tab(to: "Find everything", role: "searchbox")
    try await browser.press("dan" + Key.enter)
    _ = try await browser.find("#found a", "Dan")
    _ = try await browser.tab(to: "Find everything", role: "searchbox")
    try await browser.press(" state:dead" + Key.enter)
    _ = try await browser.find("h1", "Now")
    try await scene.end()
  }

  @Test func timesAreTheViewersUnlessTheyChooseUTC() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser
    try await browser.command("Emulation.setTimezoneOverride", [("timezoneId", RawJSON("Asia/Kolkata"))])
    try await browser.open("\(scene.served.url)/_/console/")
    let title = "return document.querySelector('time[data-ago]').title"

    #expect(try await browser.run(title).stringValue?.hasSuffix(" +05:30") == true)
    #expect(try await browser.text(of: "time[data-ago]").contains(/just now|ago/))
    _ = try await browser.tab(to: "Show times in UTC", role: "button")
    try await browser.press(Key.enter)
    _ = try await browser.find("#zone", "Show times of this place")
    #expect(try await browser.run(title).stringValue?.contains(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/) == true)
    // Another page remembers it.
    try await browser.open("\(scene.served.url)/_/console/explain")
    _ = try await browser.find("#zone", "Show times of this place")
    #expect(try await browser.text(of: "main time").hasSuffix("Z"))
    // What is copied has the exact instant.
    try await browser.open("\(scene.served.url)/_/console/")
    let copied = try await browser.run(
      """
      const cell = document.querySelector("time[data-ago]")
      getSelection().selectAllChildren(cell.parentElement)
      const data = new DataTransfer()
      document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true }))
      return data.getData("text/plain") === cell.title
      """)
    #expect(copied == RawJSON(true))
    try await browser.command("Emulation.setTimezoneOverride", [("timezoneId", RawJSON(""))])
    try await scene.end()
  }
}
