import FunctionKit
import Postgres
import TestSupport
import Testing

/// Open pages while the database or the runner is away, and after that.
@Suite(.heavy, .needsBrowser)
struct ConsoleReturnTests {
  @Test func anOpenPageSaysThatTheDatabaseIsAwayAndFollowsItAgain() async throws {
    let cluster = try await RunningRunner.cluster()
    let console = try await ServedConsole.start(database: cluster.url())
    console.served.runner.expectsOvertaken = true
    let browser = try await Browser()
    try await browser.open("\(console.served.url)/_/console/")
    _ = try await browser.find("#link", "live")

    try await cluster.kill()
    _ = try await browser.find("#link", "The database does not answer", within: .seconds(120))
    #expect(try await browser.text(of: "h1") == "Now")
    try await cluster.start()
    _ = try await browser.find("#link", "live", within: .seconds(120))
    _ = try await console.served.call("good")
    _ = try await browser.find("#region-events td, #region-now td, main td", "good", within: .seconds(120))
    try await browser.quit()
  }

  @Test(arguments: [true, false])
  func aPageOpenedWithoutADatabaseBecomesThePage(withScripts: Bool) async throws {
    let cluster = try await RunningRunner.cluster()
    let console = try await ServedConsole.start(database: cluster.url())
    console.served.runner.expectsOvertaken = true
    let browser = try await Browser()
    try await browser.allowScripts(withScripts)

    try await cluster.kill()
    try await browser.open("\(console.served.url)/_/console/dead")
    #expect(try await browser.text(of: "h1") == "The database does not answer")
    try await cluster.start()
    _ = try await browser.find("h1", "Dead letters", within: .seconds(120))
    try await browser.quit()
  }

  @Test func anOpenPageOutlivesARestartAndItsFormsStillWork() async throws {
    let before = try await ServedConsole.start()
    try await before.fail("one", "two")
    let browser = try await Browser()
    try await browser.open("\(before.served.url)/_/console/dead")
    _ = try await browser.find("#link", "live")
    let token = "return document.querySelector('input[name=token]').value"
    let old = try await browser.run(token)
    try await browser.run("window.mark = 1")

    let console = try await before.restarted()
    // The page has the new runner's tokens now, and is the same page.
    let deadline = ContinuousClock.now + .seconds(120)
    while try await browser.run(token) == old, .now < deadline {}
    #expect(try await browser.run(token) != old)
    #expect(try await browser.run("return window.mark").intValue == 1)
    _ = try await browser.find("#link", "live")
    try await browser.click(try await browser.find("#all-purge"))
    _ = try await browser.find("h1", "Purge 2 dead letters?")
    try await browser.quit()
    _ = console
  }

  @Test func afterAnUpgradeAPageLoadsTheNewScriptsOnce() async throws {
    let before = try await ServedConsole.start()
    let browser = try await Browser()
    try await browser.open("\(before.served.url)/_/console/dead")
    _ = try await browser.find("#link", "live")
    let script = "return document.querySelector('script[type=module]').getAttribute('src')"
    let present = try await browser.run(script)

    let console = try await before.restarted {
      // As a page of another build has it. The runner that serves would bring its own at any time.
      try await browser.run(
        "window.mark = 1; document.querySelector('script[type=module]').setAttribute('src', '/_/console/assets/0/console.js')"
      )
    }
    let deadline = ContinuousClock.now + .seconds(120)
    while try await browser.run("return window.mark ?? 0").intValue == 1, .now < deadline {}
    #expect(try await browser.run("return window.mark ?? 0").intValue == 0)
    _ = try await browser.find("#link", "live")
    #expect(try await browser.run(script) == present)
    // It is loaded once, and then stays.
    try await browser.run("window.mark = 2")
    _ = try await console.served.call("good")
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'good')")
    try await browser.press("r")
    _ = try await browser.find("#link", "live")
    #expect(try await browser.run("return window.mark ?? 0").intValue == 2)
    try await browser.quit()
  }
}
