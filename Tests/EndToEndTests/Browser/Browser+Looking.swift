import Foundation
import FunctionKit
import HTTPClient
import Testing

/// The parts of a page that a test looks at, and how the page is shown.
extension Browser {
  /// A way to look at a page.
  struct Look: Sendable, CustomStringConvertible {
    var name: String
    var scheme = "light"
    var forced = false
    var width = 1280

    var description: String { name }

    static let light = Look(name: "light")
    static let dark = Look(name: "dark", scheme: "dark")
    static let forced = Look(name: "forced", scheme: "dark", forced: true)
    static let narrow = Look(name: "narrow", width: 320)
    static let all = [light, dark, forced, narrow]
  }

  /// Shows every page like that from now on.
  func show(_ look: Look) async throws {
    let features = [
      ("prefers-color-scheme", look.scheme), ("forced-colors", look.forced ? "active" : "none"),
      ("prefers-reduced-motion", "reduce"),
    ].map { RawJSON(object: [("name", RawJSON($0)), ("value", RawJSON($1))]) }
    try await command("Emulation.setEmulatedMedia", [("features", RawJSON(array: features))])
    try await command(
      "Emulation.setDeviceMetricsOverride",
      [
        ("width", RawJSON(look.width)), ("height", RawJSON(900)), ("deviceScaleFactor", RawJSON(1)),
        ("mobile", RawJSON(false)),
      ])
  }

  /// Switches the scripts of pages off or on.
  func allowScripts(_ isAllowed: Bool) async throws {
    try await command("Emulation.setScriptExecutionDisabled", [("value", RawJSON(!isAllowed))])
  }

  /// Keeps a picture of the whole page in `.build/screenshots`.
  func keepPicture(_ name: String) async throws {
    let picture = try await command(
      "Page.captureScreenshot", [("format", RawJSON("png")), ("captureBeyondViewport", RawJSON(true))])
    let bytes = try #require(Data(base64Encoded: picture["data"]?.stringValue ?? ""))
    let folder = House.root.appending(path: ".build/screenshots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bytes.write(to: folder.appending(path: "\(name).png"))
  }

  /// How many pixels the page is wider than the window.
  var overhang: Int {
    get async throws {
      try await run("return document.documentElement.scrollWidth - window.innerWidth").intValue ?? 0
    }
  }

  /// The faults that axe-core finds, a line each; `nil` where it is not installed.
  func violations() async throws -> [String]? {
    guard let axe = Axe.source else { return nil }
    // A page in another look still has it.
    if try await run("return typeof axe").stringValue == "undefined" { try await run(axe) }
    let found = try await run(
      """
      const done = arguments[arguments.length - 1]
      axe.run(document, { preload: false, resultTypes: ["violations"] }).then(
        report => done(report.violations.flatMap(rule => rule.nodes.map(
          node => `${rule.id}: ${rule.help}: ${node.html.slice(0, 200)} ${node.failureSummary}`))),
        error => done([String(error)]))
      """, isAsync: true)
    return (found.elements ?? []).compactMap(\.stringValue)
  }

  /// The requests of pages since the last time, by their URLs.
  func requests() async throws -> [String] {
    try await log("performance").compactMap { line in
      let message = try RawJSON(validating: Array(line.utf8)[...])["message"]
      guard message?["method"]?.stringValue == "Network.requestWillBeSent" else { return nil }
      return message?["params"]?["request"]?["url"]?.stringValue
    }
  }

  /// The complaints of the browser since the last time: errors of scripts, refused resources, broken rules.
  func complaints() async throws -> [String] { try await log("browser") }

  private func log(_ kind: String) async throws -> [String] {
    let entries = try await ask(.post, "/se/log", [("type", RawJSON(kind))])
    return (entries.elements ?? []).compactMap { $0["message"]?.stringValue }
  }
}

/// axe-core, which `Tests/run` takes from PyPI.
enum Axe {
  static let source: String? = {
    let folder = House.root.appending(path: ".build/axe/lib")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return versions.lazy.compactMap { version in
      try? String(
        contentsOf: folder.appending(path: "\(version)/site-packages/axe_playwright_python/axe.min.js"), encoding: .utf8
      )
    }.first
  }()

  static let absence: Comment = "Not run, because axe-core is missing: Tests/run takes it from PyPI."
}
