import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// Pages that follow changes: several at once, and while somebody does something on one.
@Suite(.heavy, .needsBrowser)
struct ConsoleLiveTests {
  /// Calls a function, and waits until the open page has the event.
  private static func call(_ id: String, _ console: ServedConsole, _ browser: Browser) async throws {
    let body = #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#
    _ = try await console.served.call("good", body, headers: [("Content-Type", "application/cloudevents+json")])
    _ = try await browser.find("#e-good-\(id)")
  }

  /// A browser has six connections to a server for all its pages.
  @Test func sevenPagesAreOpenAtOnceBecauseHiddenOnesDoNotFollow() async throws {
    let console = try await ServedConsole.start()
    let browser = try await Browser()
    let tab = [("type", RawJSON("tab"))]
    var tabs: [RawJSON] = []
    // Chromium without a window shows all tabs, so each is told that it is hidden, as one with a window tells it.
    func show(_ isShown: Bool) async throws {
      try await browser.run(
        """
        const isHidden = !arguments[0]
        Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden })
        document.dispatchEvent(new Event("visibilitychange"))
        """, [RawJSON(isShown)])
    }
    for _ in 0..<7 {
      let handle = try #require(try await browser.ask(.post, "/window/new", tab)["handle"])
      tabs.append(handle)
      try await browser.ask(.post, "/window", [("handle", handle)])
      try await browser.open("\(console.served.url)/_/console/")
      _ = try await browser.find("#link", "live")
      try await show(false)
    }

    try await browser.ask(.post, "/window", [("handle", tabs[0])])
    _ = try await console.served.call("good")
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'good')")
    #expect(try await browser.all("#region-now tbody").isEmpty)
    try await show(true)
    _ = try await browser.find("#region-now td", "good")
    try await Self.call("later", console, browser)
    try await browser.quit()
  }

  @Test func anUpdateKeepsTheFocusAndLeavesWhatSomebodyTypes() async throws {
    let console = try await ServedConsole.start()
    let browser = try await Browser()
    try await browser.open("\(console.served.url)/_/console/")
    _ = try await browser.find("#link", "live")
    try await Self.call("one", console, browser)

    // The table has no id, and is replaced.
    try await browser.run("document.querySelector('#region-now [aria-label=Events]').focus()")
    try await browser.run("window.former = document.activeElement")
    try await Self.call("two", console, browser)
    #expect(try await browser.run("return window.former.isConnected") == RawJSON(false))
    #expect(try await browser.run("return document.activeElement.ariaLabel").stringValue == "Events")

    // A field as other pages have it; the focus is elsewhere.
    try await browser.run(
      """
      const field = document.createElement("input")
      field.id = "note"
      document.getElementById("region-now").append(field)
      field.value = "typed"
      document.getElementById("main").focus()
      """)
    let body = #"{"specversion":"1.0","id":"three","source":"/t","type":"t","data":{}}"#
    _ = try await console.served.call("good", body, headers: [("Content-Type", "application/cloudevents+json")])
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE event_id = 'three')")
    // The second reading from now on has begun after the event's end.
    let readings = "return performance.getEntriesByType('resource').filter(one => one.name === location.href).length"
    let before = try await browser.run(readings).intValue ?? 0
    let deadline = ContinuousClock.now + .seconds(120)
    while try await browser.run(readings).intValue ?? 0 < before + 2, .now < deadline { try await browser.press("r") }
    #expect(try await browser.run("return document.getElementById('note').value").stringValue == "typed")
    #expect(try await browser.all("#e-good-three").isEmpty)
    try await browser.run("document.getElementById('note').value = ''")
    try await Self.call("four", console, browser)
    #expect(try await browser.all("#note").isEmpty)
    try await browser.quit()
  }
}
