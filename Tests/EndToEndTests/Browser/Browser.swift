import Foundation
import FunctionKit
import HTTPClient
import TestSupport
import Testing

/// Debian's chromium without a window, which a test drives over WebDriver in a tab of its own.
///
/// Sources: https://www.w3.org/TR/webdriver2/ and, for `goog/cdp`, https://chromedevtools.github.io/devtools-protocol/.
final class Browser: Sendable {
  private static let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"]
  static let driver = path(of: "chromedriver")
  static let chromium = path(of: "chromium") ?? path(of: "chromium-browser") ?? path(of: "google-chrome")
  static let isInstalled = driver != nil && chromium != nil

  private let running: RunningBrowser

  /// Takes a browser that no other test uses, or starts one.
  init() async throws { running = try await IdleBrowsers.shared.take() }

  /// Leaves the browser to the next test; a test that fails before has its browser ended.
  func quit() async throws {
    try await running.reset()
    await IdleBrowsers.shared.add(running)
  }

  /// Sends a command of WebDriver, and returns its value.
  @discardableResult
  func ask(_ method: HTTPCall.Method, _ path: String, _ members: [(String, RawJSON)] = []) async throws -> RawJSON {
    try await running.ask(method, path, members)
  }

  /// Sends a command of the browser's own protocol.
  @discardableResult
  func command(_ name: String, _ parameters: [(String, RawJSON)] = []) async throws -> RawJSON {
    try await running.command(name, parameters)
  }

  private static func path(of name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

/// The browsers that tests have left.
private actor IdleBrowsers {
  static let shared = IdleBrowsers()
  private var browsers: [RunningBrowser] = []

  func take() async throws -> RunningBrowser {
    if let browser = browsers.popLast() { return browser }
    return try await RunningBrowser()
  }

  func add(_ browser: RunningBrowser) { browsers.append(browser) }
}

/// A driver with its browser, which end when nobody holds them, or when all tests have ended.
private final class RunningBrowser: Sendable {
  private let program: RunningProgram
  private let profile: TemporaryDirectory
  private let client: HTTPClient
  private let session: String

  /// Starts a browser with a profile of its own.
  init() async throws {
    let profile = try TemporaryDirectory()
    let client = HTTPClient(limits: HTTPLimits(total: .seconds(180), body: 64 << 20))
    let port: Substring
    (program, port) = try await Self.driver(in: profile)
    let options = RawJSON(object: [
      ("binary", RawJSON(try #require(Browser.chromium))),
      (
        "args",
        RawJSON(
          array: [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-component-update", "--no-first-run", "--window-size=1280,900",
            "--user-data-dir=\(profile.path)/profile",
          ].map { RawJSON($0) })
      ),
    ])
    let wanted = RawJSON(object: [
      ("goog:chromeOptions", options),
      ("goog:loggingPrefs", RawJSON(object: [("browser", RawJSON("ALL")), ("performance", RawJSON("ALL"))])),
    ])
    let body = RawJSON(object: [("capabilities", RawJSON(object: [("alwaysMatch", wanted)]))])
    let answer = try await Self.ask(client, .post, "http://127.0.0.1:\(port)/session", body)
    let id = try #require(answer["sessionId"]?.stringValue)
    session = "http://127.0.0.1:\(port)/session/\(id)"
    (self.profile, self.client) = (profile, client)
  }

  /// Starts the driver.
  ///
  /// It takes a free port of IPv6 and then the same one of IPv4, which somebody may have taken meanwhile: it ends then.
  private static func driver(in profile: TemporaryDirectory) async throws -> (RunningProgram, port: Substring) {
    for _ in 0..<20 {
      let program = try RunningProgram(
        try #require(Browser.driver), ["--port=0"], environment: ["HOME": profile.path, "TMPDIR": profile.path])
      let line = try await program.line { $0.contains("started successfully on port ") || $0.contains("Exiting...") }
      if !line.contains("Exiting..."), let port = line.split(whereSeparator: { !$0.isNumber }).last {
        return (program, port)
      }
    }
    throw BrowserError(name: "session not created", message: "chromedriver found no free port.")
  }

  /// Leaves one empty tab, without cookies, stored data or entries of logs.
  ///
  /// A context of the browser's own would do the same, but its protocol refuses that to the driver.
  func reset() async throws {
    let earlier = try await ask(.get, "/window/handles").elements ?? []
    let tab = try await ask(.post, "/window/new", [("type", RawJSON("tab"))])["handle"] ?? .null
    for handle in earlier {
      try await ask(.post, "/window", [("handle", handle)])
      try await ask(.delete, "/window")
    }
    try await ask(.post, "/window", [("handle", tab)])
    try await command("Network.clearBrowserCookies")
    try await command("Storage.clearDataForOrigin", [("origin", RawJSON("*")), ("storageTypes", RawJSON("all"))])
    for kind in ["browser", "performance"] { try await ask(.post, "/se/log", [("type", RawJSON(kind))]) }
  }

  @discardableResult
  func ask(_ method: HTTPCall.Method, _ path: String, _ members: [(String, RawJSON)] = []) async throws -> RawJSON {
    try await Self.ask(client, method, session + path, method == .post ? RawJSON(object: members) : nil)
  }

  @discardableResult
  func command(_ name: String, _ parameters: [(String, RawJSON)] = []) async throws -> RawJSON {
    try await ask(.post, "/goog/cdp/execute", [("cmd", RawJSON(name)), ("params", RawJSON(object: parameters))])
  }

  private static func ask(
    _ client: HTTPClient, _ method: HTTPCall.Method, _ url: String, _ body: RawJSON?
  ) async throws -> RawJSON {
    let headers = body == nil ? [] : [("Content-Type", "application/json")]
    let answer = try await client.send(
      HTTPCall(method, url, headers: headers, body: body.map { Array($0.bytes) } ?? []))
    let value = try RawJSON(validating: answer.body[...])["value"] ?? .null
    guard answer.status == 200 else {
      throw BrowserError(
        name: value["error"]?.stringValue ?? "\(answer.status)", message: value["message"]?.stringValue ?? answer.text)
    }
    return value
  }
}

/// WebDriver's refusal of a command.
struct BrowserError: Error, CustomStringConvertible {
  /// One of WebDriver's error codes, such as `no such element`.
  let name: String
  let message: String

  var description: String { "\(name): \(message)" }

  /// Whether the element belongs to a page that another one has replaced meanwhile.
  var isOfAnEarlierPage: Bool {
    name == "stale element reference" || message.contains("does not belong to the document")
  }
}

extension Trait where Self == ConditionTrait {
  static var needsBrowser: Self {
    .enabled(
      if: Browser.isInstalled,
      "Not run, because chromium or chromedriver is missing: the pages of the console in a browser. Tests/run installs them."
    )
  }
}
