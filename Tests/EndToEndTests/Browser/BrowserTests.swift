import FunctionKit
import TestSupport
import Testing

/// The browser does what the tests of pages ask of it.
@Suite(.needsBrowser) struct BrowserTests {
  @Test func itLoadsTypesAndLooks() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      <!doctype html><html lang="en"><title>Trial</title><main><h1>Trial</h1>
      <label>Name <input id="name"></label> <button id="greet">Greet</button><p id="said"></p>
      <img id="picture" src="missing.png"></main>
      <script>
        greet.onclick = () => { said.textContent = "Hello " + document.getElementById("name").value }
      </script></html>
      """, to: "page.html")
    let browser = try await Browser()
    try await browser.show(.dark)
    try await browser.open("file://\(folder.path)/page.html")

    #expect(try await browser.title == "Trial")
    _ = try await browser.tab(to: "Name", role: "textbox")
    try await browser.press("Ada")
    try await browser.press(Key.tab + Key.enter)
    #expect(try await browser.text(of: browser.find("#said", "Hello")) == "Hello Ada")
    #expect(try await browser.run("return matchMedia('(prefers-color-scheme: dark)').matches").kind == .bool)
    let requests = try await browser.requests()
    #expect(
      ["page.html", "missing.png"].allSatisfy { file in requests.contains { $0.hasSuffix(file) } }, "\(requests)")
    #expect(try await browser.complaints().contains { $0.contains("missing.png") })
    if let violations = try await browser.violations() {
      #expect(violations.contains { $0.hasPrefix("image-alt:") } && !violations.contains { $0.hasPrefix("label:") })
    }

    try await browser.allowScripts(false)
    try await browser.reload()
    try await browser.click(browser.find("#greet"))
    #expect(try await browser.text(of: "#said") == "")
    try await browser.quit()
  }
}
