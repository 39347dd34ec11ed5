import FunctionKit
import TestSupport
import Testing

/// Every page of the console, as people see it: light, dark, with forced colours, and on the narrowest screen.
@Suite(.heavy, .qualifiesReleases, .needsBrowser)
struct ConsoleLookTests {
  @Test func everyPageIsLegibleToEverybodyAndAsksNobodyElse() async throws {
    let scene = try await ConsoleScene()
    let (browser, root) = (scene.browser, scene.served.url)
    let pages = try await scene.pages()
    #expect(["People", "Explain", "Phones"].allSatisfy { title in pages.contains { $0.name == title } })

    for page in pages {
      try await browser.open(page.url)
      for look in Browser.Look.all {
        try await browser.show(look)
        let violations = try await browser.violations() ?? []
        #expect(violations == [], "\(page.name), \(look)")
        #expect(try await browser.overhang <= 0, "\(page.name), \(look)")
        try await browser.keepPicture("\(page.name.lowercased().replacing(" ", with: "-"))-\(look)")
      }
    }

    let foreign = try await browser.requests().filter { $0.hasPrefix("http") && !$0.hasPrefix("\(root)/") }
    #expect(foreign == [])
    let complaints = try await browser.complaints().filter { !$0.contains("/nowhere") }
    #expect(complaints == [])
    try await scene.end()
  }

  /// Without axe-core the test above looks at pages, but not for what it would find.
  @Test(.enabled(if: Axe.source != nil, Axe.absence)) func pagesAreJudgedByAxe() {
    #expect(Axe.source?.contains("axe-core") == true || Axe.source?.contains("axe v4") == true)
  }

  @Test func everyPageIsCompleteWithoutScripts() async throws {
    let scene = try await ConsoleScene()
    let browser = scene.browser

    for page in try await scene.pages() {
      var outlines = try await outlines(of: page.url, in: browser)
      // A schedule may fire between the two looks, and a page of events then lists one function more.
      for _ in 0..<5 where outlines.with != outlines.without {
        outlines = try await self.outlines(of: page.url, in: browser)
      }
      #expect(outlines.without.count { $0.hasPrefix("H1 ") } == 1, "\(page.name)")
      #expect(outlines.with == outlines.without, "\(page.name)")
    }
    try await scene.end()
  }

  /// The headings, columns and buttons of a page, with scripts and without them.
  private func outlines(of url: String, in browser: Browser) async throws -> (with: [String], without: [String]) {
    let outline = """
      return [...document.querySelectorAll('main h1, main h2, main h3, main th, main button')]
        .map(element => element.tagName + ' ' + element.innerText)
      """
    try await browser.open(url)
    let with = try await browser.run(outline).elements?.compactMap(\.stringValue) ?? []
    try await browser.allowScripts(false)
    try await browser.reload()
    let without = try await browser.run(outline).elements?.compactMap(\.stringValue) ?? []
    try await browser.allowScripts(true)
    return (with, without)
  }

  @Test func hostileNamesAreShownAndDoNothing() async throws {
    let hostile = #"<img src=x onerror=alert(1)>"#
    let scene = try await ConsoleScene(
      names: """
        UPDATE users SET name = '\(hostile)' || U&'\\202E' || 'evil' || repeat('W', 150) WHERE email = 'ben@example.com';
        UPDATE users SET name = '"><script>alert(2)</script>' || repeat('👩‍👩‍👧', 20) WHERE email = 'dan@example.com';
        UPDATE projects SET name = '<b onmouseover=alert(3)>' || repeat('x', 150);
        UPDATE groups SET name = '</title><script>alert(4)</script>';
        """)
    let browser = scene.browser

    for look in [Browser.Look.light, .narrow] {
      try await browser.show(look)
      for page in try await scene.pages() {
        try await browser.open(page.url)
        // A script that ran would have opened a dialog, which makes this fail.
        #expect(try await browser.all("main img, main script, main b").isEmpty, "\(page.name)")
        #expect(try await browser.overhang <= 0, "\(page.name), \(look)")
        #expect(try await browser.text(of: "body").contains("\u{202E}") == false, "\(page.name)")
      }
    }
    try await browser.open("\(scene.served.url)/_/console/people/\(ConsoleScene.ben)")
    #expect(try await browser.text(of: "h1").hasPrefix(hostile + "[U+202E]evil"))
    let complaints = try await browser.complaints().filter { !$0.contains("/nowhere") }
    #expect(complaints == [])
    try await scene.end()
  }
}
