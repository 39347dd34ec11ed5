import FunctionKit
import Postgres
import TestSupport
import Testing

/// Pages that functions answer, in a browser: they come from the console's address.
@Suite(.heavy, .needsBrowser)
struct FunctionPageTests {
  /// Reads the token of the console's page, and pauses the schedule.
  private static let page = """
    <!doctype html><title>waiting</title><h1>Evil</h1>
    <form method=post action=/_/console/schedules/tick/pause><button>Go</button></form>
    <script>
      (async () => {
        const path = "/_/console/schedules/tick";
        const text = await (await fetch(path)).text();
        const token = text.match(/name="token" value="([^"]*)"/)[1];
        await fetch(path + "/pause", { method: "POST", body: new URLSearchParams({ token }) });
        document.title = "done";
      })();
    </script>
    """

  private static func answer(_ more: String = "") throws -> String {
    let headers = #"{"Content-Type":"text/html"\#(more)}"#
    let body = String(decoding: RawJSON(page).bytes, as: UTF8.self)
    return #"{"statusCode":200,"headers":\#(headers),"body":\#(body)}"#
  }

  private static func manifest(_ function: String, _ pages: String) -> String {
    """
    {"functions":{"evil":{\(function),"triggers":[{"http":"function","routes":["GET /evil"]\(pages)}]},
      "tick":{"executable":"tick.sh","mode":"oneshot","triggers":[{"schedule":"0 3 1 1 *"}]}}}
    """
  }

  /// - Parameter policy: a header field of the function's own.
  @Test(arguments: [
    ("", "", false), ("", #","Content-Security-Policy":"script-src * 'unsafe-inline'""#, false),
    (#","pages":"forms""#, "", false), (#","pages":"trusted""#, "", true),
  ])
  func aScriptOfAFunctionDoesNothingInTheConsole(_ pages: String, _ policy: String, _ acts: Bool) async throws {
    let runner = try await RunningRunner(
      Self.manifest(#""executable":"evil.sh","mode":"oneshot""#, pages),
      scripts: ["evil.sh": "cat >/dev/null; cat page.json", "tick.sh": "cat >/dev/null"])
    try runner.project.write(try Self.answer(policy), to: "page.json")
    let served = try await runner.start(options: ["--console", "on"])
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    let browser = try await Browser()
    try await browser.open("\(served.url)/evil")
    #expect(try await browser.text(of: "h1") == "Evil")

    if acts {
      try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE paused_at IS NOT NULL)")
    } else {
      // The form is the page's last chance; it has no token.
      try await browser.click(try await browser.find("button", "Go"))
      #expect(try await browser.title != "done")
      let paused: SQL = "SELECT FROM runner.schedules WHERE paused_at IS NOT NULL"
      #expect(try await runner.database.query(paused).isEmpty)
      #expect(try await browser.complaints().contains { $0.contains("sandbox") })
    }
    try await browser.quit()
  }

  @Test func aTargetElsewhereDoesNothingInTheConsole() async throws {
    let body = try Self.answer()
    let target = try ScriptedServer(
      .answer(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"))
    defer { target.stop() }
    let runner = try await RunningRunner(
      Self.manifest(#""url":"http://127.0.0.1:\#(target.port)/""#, ""), scripts: ["tick.sh": "cat >/dev/null"])
    let served = try await runner.start(options: ["--console", "on"])
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")
    let answer = try await served.request("/evil")
    let policies = answer.headers.filter { $0.name.lowercased() == "content-security-policy" }.map(\.value)

    #expect(answer.status == 200 && answer.text.contains("<h1>Evil</h1>") && policies == ["sandbox"])
  }

  @Test(arguments: [true, false])
  func theFormToUnsubscribeWorks(withScripts: Bool) async throws {
    let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    let bundle = try await RunningBundle(environment: ["UNSUBSCRIBE_SECRET": secret])
    let served = try await bundle.start().served
    let made = try await BuiltExecutables.run(
      "runner",
      [
        "unsubscribe-link", "--project", bundle.runner.project.path, "--user", "grace@example.com",
        "--project-id", "b0000000-0000-4000-8000-000000000001", "--base-url", served.url,
      ],
      environment: ["DATABASE_URL": bundle.runner.databaseURL, "UNSUBSCRIBE_SECRET": secret])
    let browser = try await Browser()
    try await browser.allowScripts(withScripts)
    try await browser.open(String(try #require(made.stdout.split(separator: "\n").first)))
    _ = try await browser.find("h1", "Turn these notifications off?")

    try await browser.click(try await browser.find("button", "Turn off"))
    _ = try await browser.find("h1", "Turned off")
    try await browser.click(try await browser.find("button", "Turn on again"))
    _ = try await browser.find("h1", "Turned on again")
    try await browser.click(try await browser.find("button", "Mute for an hour"))
    _ = try await browser.find("h1", "Muted for a while")
    try await browser.click(try await browser.find("button", "End the mute now"))
    _ = try await browser.find("h1", "Turned on again")
    try await browser.quit()
  }
}
