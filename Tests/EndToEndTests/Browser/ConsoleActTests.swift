import FunctionKit
import Postgres
import TestSupport
import Testing

/// The acts of people in the console, by the keyboard alone.
@Suite(.heavy, .needsBrowser)
struct ConsoleActTests {
  @Test func fromTheFirstPageSomebodyFindsWhyDanWasNotTold() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser

    for withScripts in [true, false] {
      try await browser.allowScripts(withScripts)
      try await browser.open("\(scene.served.url)/")
      try await browser.pressEnter(at: "People", role: "link")
      _ = try await browser.tab(to: "Name, e-mail address or id")
      try await browser.press("dan" + Key.enter)
      _ = try await browser.find("td", "they muted the project")
      #expect(try await browser.text(of: "h1") == "Dan", "with scripts: \(withScripts)")
      try await browser.pressEnter(at: "every gate", role: "link")
      let text = try await browser.text(of: browser.find("li.stopped"))
      #expect(text.contains("the project is muted"), "with scripts: \(withScripts)")
    }
    try await scene.end()
  }

  @Test(arguments: [true, false])
  func aTapVotesAndIsSeen(withScripts: Bool) async throws {
    let scene = try await ConsoleScene()
    let (browser, database) = (scene.browser, scene.bundle.runner)
    try await browser.allowScripts(withScripts)

    try await browser.open("\(scene.served.url)/_/console/phones?user=ben@example.com")
    try await browser.pressEnter(at: "Yes: “", role: "button")
    try await database.wait(
      until: "EXISTS (SELECT FROM proposal_votes WHERE user_id = '\(unescaped: ConsoleScene.ben)' AND vote = 'yes')")
    _ = try await browser.find(".done", "vote yes")
    try await database.wait(until: "EXISTS (SELECT FROM handled_events WHERE function = 'proposal-vote-cast')")
    #expect(try await browser.url.contains("user=ben"))
    try await scene.end()
  }

  @Test(arguments: [true, false])
  func aTapOnAnAndroidPhoneVotes(withScripts: Bool) async throws {
    let token = "eva_android:\(String(repeating: "A", count: 120))"
    let scene = try await ConsoleScene(
      names: """
        UPDATE device_tokens SET is_active = false WHERE user_id = '\(ConsoleScene.eva)' AND app = 'lockitin';
        INSERT INTO device_tokens (user_id, token, platform, provider, app)
        VALUES ('\(ConsoleScene.eva)', '\(token)', 'Android', 'fcm', 'lockitin');
        """)
    let (browser, runner) = (scene.browser, scene.bundle.runner)
    try await browser.allowScripts(withScripts)

    try await browser.open("\(scene.served.url)/_/console/phones?user=eva@example.com")
    let phone = try await browser.find(".phone.android", "Picnic")
    let text = try await browser.text(of: phone)
    #expect(text.contains("Android") && text.contains("Yes") && text.contains("Maybe") && !text.contains(".apns"))
    for look in withScripts ? Browser.Look.all : [] {
      try await browser.show(look)
      let violations = try await browser.violations() ?? []
      #expect(violations == [], "\(look)")
      #expect(try await browser.overhang <= 0, "\(look)")
      try await browser.keepPicture("phone-android-\(look)")
    }
    try await browser.pressEnter(at: "Yes: “", role: "button")
    try await runner.wait(
      until: "EXISTS (SELECT FROM proposal_votes WHERE user_id = '\(unescaped: ConsoleScene.eva)' AND vote = 'yes')")
    _ = try await browser.find(".phone.android .done", "vote yes")
    try await runner.wait(until: "EXISTS (SELECT FROM handled_events WHERE function = 'proposal-vote-cast')")
    try await scene.end()
  }

  @Test func anEventsLineGoesOnToTheTap() async throws {
    let scene = try await ConsoleScene()
    let (browser, runner) = (scene.browser, scene.bundle.runner)

    try await browser.open("\(scene.served.url)/_/console/phones?user=ben@example.com")
    try await browser.pressEnter(at: "Yes: “", role: "button")
    try await runner.wait(until: "EXISTS (SELECT FROM notification_interactions WHERE event = 'acted')")
    let event: String = try await runner.database.query(
      """
      SELECT d.event_id AS id FROM decisions d JOIN notification_interactions i USING (notification_id)
      WHERE i.event = 'acted' LIMIT 1
      """
    ).only().decode("id")
    try await browser.open("\(scene.served.url)/_/console/event/\(event)")
    _ = try await browser.find(".timeline > li", "acted on")

    // In one step: the page is live, and what was found may be another element by now.
    let text =
      try await browser.run(
        "return [...document.querySelectorAll('.timeline > li')].find(x => x.innerText.includes('acted on'))?.innerText"
      ).stringValue ?? ""
    #expect(text.hasPrefix("Ben told") && text.contains("acted") && text.contains(" 200 after "), "\(text)")
    _ = try await browser.find(".timeline > li", "people were decided about")
    for look in Browser.Look.all {
      try await browser.show(look)
      let violations = try await browser.violations() ?? []
      #expect(violations == [], "\(look)")
      #expect(try await browser.overhang <= 0, "\(look)")
      try await browser.keepPicture("event-\(look)")
    }
    try await browser.pressEnter(at: "why Ben", role: "link")
    _ = try await browser.find("ol.ladder")
    try await scene.end()
  }

  @Test func aFaultIsSetAndEndedByTheKeyboard() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser

    try await browser.open("\(scene.served.url)/_/console/phones")
    _ = try await browser.tab(to: "Answer", role: "combobox")
    try await browser.press("5")
    try await browser.pressEnter(at: "Let them fail", role: "button")
    _ = try await browser.find("#region-faults td", "503 ServiceUnavailable")
    try await browser.keepPicture("faults")
    try await browser.pressEnter(at: "End fault", role: "button")
    _ = try await browser.find("#region-faults", "None is set")
    try await scene.end()
  }

  @Test func aPushIsAFileForTheSimulator() async throws {
    let scene = try await ConsoleScene()
    let served = scene.served
    try await scene.browser.open("\(served.url)/_/console/phones?user=ben@example.com")
    let link = try await scene.browser.find("a[download]")
    let url = try #require(try await scene.browser.attribute("href", of: link))

    let path = String(url.drop { $0 != "_" })
    let file = try await served.request("/\(path)")

    #expect(
      file.status == 200 && file.json?["aps"] != nil && file.json?["Simulator Target Bundle"] != nil, "\(file.text)")
    #expect(file.headers.first { $0.name == "content-disposition" }?.value.hasPrefix("attachment;") == true)
    try await scene.end()
  }

  @Test func otherSitesCannotTapAndAReadOnlyConsoleDoesNot() async throws {
    let bundle = try await RunningBundle(environment: ["RUNNER_KEY": ServedConsole.key])
    let console = try await ServedConsole(served: bundle.start().served).signedIn()
    let page = try await console.get("/_/console/phones")
    func post(
      _ word: String, token: String, _ headers: [(name: String, value: String)] = []
    ) async throws -> ServedConsole.Answer {
      let form = [("notification", ConsoleScene.dan), ("answer", "410"), ("fault", "1"), ("token", token)]
      return try await console.post("/_/console/phones/\(word)", form, headers: headers)
    }

    #expect(page.status == 200 && !page.text.contains("Let them fail") && page.text.contains("read-only"))
    #expect(!page.token.isEmpty)
    #expect(try await post("tap", token: "x").status == 403)
    #expect(try await post("tap", token: page.token, [("Origin", "https://evil.example")]).status == 403)
    #expect(try await post("tap", token: page.token, [("Sec-Fetch-Site", "cross-site")]).status == 403)
    for word in ["tap", "fail", "mend"] {
      let answer = try await post(word, token: page.token)
      #expect(answer.status == 403 && answer.text.contains("This console is read-only"), "\(word)")
    }
  }
}
