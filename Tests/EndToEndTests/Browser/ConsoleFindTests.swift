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
    #expect(try await browser.run("return document.activeElement.matches('#finder a')") == RawJSON(true))
    try await browser.run(
      "[...document.querySelectorAll('#finder a')].find((one) => one.textContent.includes('Night mode')).focus()")
    try await browser.press(Key.enter)
    _ = try await browser.find("h1", "Night mode")
    // Who leaves the field backwards leaves the box, too.
    try await browser.press("/dan")
    _ = try await browser.find("#finder a", "Dan")
    try await browser.run("document.querySelector('nav a').focus()")
    #expect(try await browser.all("#finder:not([hidden])").isEmpty)
    try await Self.expectNothingAfterEscape(browser)

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

  /// An answer that comes after Escape opens nothing.
  private static func expectNothingAfterEscape(_ browser: Browser) async throws {
    try await browser.run(
      """
      const real = fetch
      window.fetch = async (...all) => {
        const answer = await real(...all)
        if (!String(all[0]).includes("/find?")) return answer
        await new Promise((go) => { window.go = go })
        const text = async () => {
          const text = await answer.text()
          setTimeout(() => { window.isOver = true })
          return text
        }
        return { ok: answer.ok, status: answer.status, text }
      }
      """)
    func wait(for value: String) async throws {
      try await browser.run(
        "const look = () => \(value) ? arguments[0]() : setTimeout(look, 10); look()", isAsync: true)
    }
    try await browser.press("/dan")
    try await wait(for: "window.go")
    try await browser.press(Key.escape)
    try await browser.run("window.go()")
    try await wait(for: "window.isOver")
    #expect(try await browser.all("#finder:not([hidden])").isEmpty)
  }

  @Test func timesAreTheViewersUnlessTheyChooseUTC() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser
    try await browser.command("Emulation.setTimezoneOverride", [("timezoneId", RawJSON("Asia/Kolkata"))])
    try await browser.open("\(scene.served.url)/_/console/")
    let title = "return document.querySelector('time[data-ago]').title"

    #expect(try await browser.run(title).stringValue?.hasSuffix(" +05:30") == true)
    #expect(try await browser.text(of: "time[data-ago]").contains(/just now|ago/))
    try await browser.open("\(scene.served.url)/_/console/clock")
    #expect(try await browser.text(of: "main time").contains(/^\d+ [A-Z][a-z]{2}, \d\d:\d\d$/))
    // A text that stays is not put in again, which would end a selection.
    let stays = try await browser.run(
      """
      const text = document.querySelector("main time").firstChild
      import(document.querySelector("script[type=module]").src.replace("console.js", "times.js")).then((times) => {
        times.write()
        arguments[0](text.isConnected)
      })
      """, isAsync: true)
    #expect(stays == RawJSON(true))
    try await browser.open("\(scene.served.url)/_/console/")
    try await browser.pressEnter(at: "Show times in UTC", role: "button")
    _ = try await browser.find("#zone", "Show times of this place")
    #expect(try await browser.run(title).stringValue?.contains(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/) == true)
    // Another page remembers it.
    try await browser.open("\(scene.served.url)/_/console/clock")
    _ = try await browser.find("#zone", "Show times of this place")
    #expect(try await browser.text(of: "main time").contains(/^\d+ [A-Z][a-z]{2}, \d\d:\d\d UTC$/))
    // What is copied has the time to the second.
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
