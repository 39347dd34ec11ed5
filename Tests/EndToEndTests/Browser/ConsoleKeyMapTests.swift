import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The keys that the console lists, what needs a key to be seen, and acts on several events: by the keyboard alone.
@Suite(.heavy, .needsBrowser)
struct ConsoleKeyMapTests {
  private static func browser(withScripts: Bool = true) async throws -> Browser {
    let browser = try await Browser()
    try await browser.show(.light)
    try await browser.allowScripts(withScripts)
    return browser
  }

  /// The faults that axe-core finds, and the parts that do not fit, in every look.
  private static func judge(_ browser: Browser, _ name: String) async throws {
    for look in Browser.Look.all {
      try await browser.show(look)
      #expect(try await browser.violations() ?? [] == [], "\(name), \(look)")
      #expect(try await browser.overhang <= 0, "\(name), \(look)")
      try await browser.keepPicture("\(name)-\(look)")
    }
    try await browser.show(.light)
  }

  @Test func theListedKeysDoWhatTheListSays() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    let root = "\(console.served.url)/_/console/"
    let browser = try await Self.browser()
    try await browser.open("\(root)dead")
    _ = try await browser.find("#link", "live")
    let listed = "return [...document.querySelectorAll('#keys dt')].map(e => e.innerText)"
    let focused = "return document.activeElement.id"

    try await browser.press("?")
    _ = try await browser.find("#keys[open]")
    let keys = try await browser.run(listed).elements?.compactMap(\.stringValue) ?? []
    #expect(Array(keys.suffix(6)) == ["jk", "Enter", "/", "r", "p", "?"])
    try await Self.judge(browser, "keys")
    try await browser.press(Key.escape)
    #expect(try await browser.all("#keys[open]").isEmpty)
    // Until the next picture, the page behind the list takes no focus.
    try await browser.run(
      "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))", isAsync: true)

    try await browser.press("j")
    let first = try await browser.run(focused).stringValue ?? ""
    try await browser.press("j")
    let second = try await browser.run(focused).stringValue ?? ""
    #expect(first.hasPrefix("d-") && second.hasPrefix("d-") && first != second, "\(first), \(second)")
    try await browser.press("k")
    #expect(try await browser.run(focused).stringValue == first)
    try await browser.press("p")
    _ = try await browser.find("#link", "paused")
    try await console.fail("three")
    try await console.served.runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 3")
    #expect(try await browser.all("main tbody tr").count == 2)
    try await browser.press("r")
    _ = try await browser.find("button", "Retry all 3")
    try await browser.press("p")
    _ = try await browser.find("#link", "live")
    try await browser.press("/")
    // In a field, keys are text.
    try await browser.press("jp?")
    #expect(try await browser.run("return document.activeElement.value").stringValue == "jp?")
    #expect(try await browser.all("#keys[open]").isEmpty)

    try await browser.open("\(root)dead")
    try await browser.press("j" + Key.enter)
    _ = try await browser.find("p", "A dead letter")
    let pages = try await browser.run(
      "return [...document.querySelectorAll('nav a')].map(a => [a.dataset.key, a.pathname])")
    for page in (pages.elements ?? []).compactMap(\.elements) {
      try await browser.press("g" + (page[0].stringValue ?? ""))
      _ = try await browser.find("nav a[aria-current=page][href='\(page[1].stringValue ?? "")']")
    }
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func chosenDeadLettersAreRetriedAndPurged(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two", "three")
    let database = console.served.runner.database
    let browser = try await Self.browser(withScripts: withScripts)
    try await browser.open("\(console.served.url)/_/console/dead")
    if withScripts { try await Self.judge(browser, "dead-letters") }

    // The buttons stand before the list: Tab comes to them after the end of the page.
    _ = try await browser.tab(to: "bad two", role: "checkbox")
    try await browser.press(Key.space)
    try await browser.pressEnter(at: "Purge the chosen ones", role: "button")
    _ = try await browser.find("[role=status]", "1 dead letter purged.")
    #expect(try await database.query("SELECT FROM runner.dead_letters WHERE event_id = 'two'").isEmpty)

    try console.served.runner.project.write("", to: "mended")
    for id in ["one", "three"] {
      _ = try await browser.tab(to: "bad \(id)", role: "checkbox")
      try await browser.press(Key.space)
    }
    try await browser.pressEnter(at: "Retry the chosen ones", role: "button")
    _ = try await browser.find("h1", "Retry 2 dead letters?")
    if withScripts { try await Self.judge(browser, "retry-question") }
    try await browser.pressEnter(at: "Retry 2", role: "button")
    _ = try await browser.find("[role=status]", "2 dead letters")
    try await console.served.runner.wait(
      until: "(SELECT count(*) FROM runner.history WHERE event_id IN ('one', 'three') AND code = 'OK') = 2")
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func anEventIsSentAgainAndAnotherPurged(withScripts: Bool) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    let browser = try await Self.browser(withScripts: withScripts)
    try await browser.open("\(console.served.url)/_/console/event/two?function=bad")

    try await browser.pressEnter(at: "Purge", role: "button")
    _ = try await browser.find("[role=status]", "purged")
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 1)

    try console.served.runner.project.write("", to: "mended")
    try await browser.open("\(console.served.url)/_/console/event/one?function=bad")
    try await browser.pressEnter(at: "Send again unchanged", role: "button")
    _ = try await browser.find("[role=status]", "This is the new event")
    try await console.served.runner.wait(
      until: "EXISTS (SELECT FROM runner.history WHERE event_id NOT IN ('one', 'two') AND code = 'OK')")
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func somebodySignsInAndOut(withScripts: Bool) async throws {
    let console = try await ServedConsole.start(
      ["--console", "read-only"], environment: ["RUNNER_KEY": ServedConsole.key])
    let browser = try await Self.browser(withScripts: withScripts)
    try await browser.open("\(console.served.url)/_/console/functions")
    if withScripts { try await Self.judge(browser, "sign-in") }

    _ = try await browser.tab(to: "The runner's key")
    try await browser.press("another key" + Key.enter)
    _ = try await browser.find("[role=alert]", "That is not the runner's key.")
    _ = try await browser.tab(to: "The runner's key")
    try await browser.press(ServedConsole.key + Key.enter)
    _ = try await browser.find("h1", "Functions")
    _ = try await browser.find(".badge", "read-only")
    if withScripts { try await Self.judge(browser, "read-only") }
    try await browser.pressEnter(at: "Sign out", role: "button")
    _ = try await browser.find("h1", "Sign in")
    try await browser.open("\(console.served.url)/_/console/functions")
    _ = try await browser.find("h1", "Sign in")
    try await browser.quit()
  }
}
