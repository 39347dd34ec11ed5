import Formats
import FunctionKit
import HTTP1

/// The page at the address that the runner prints.
struct FrontPage {
  /// The path of a bundle's API description, if it has one.
  static let description = "/openapi.json"

  /// The functions that can be called.
  let functions: [String]
  /// The path of the API's description, if there is one.
  let described: String?

  /// The page as HTML for a browser, else as text.
  func answer(to head: HTTP1Request) -> HTTP1Answer {
    let (type, text) =
      Self.isForBrowser(head) ? ("text/html; charset=utf-8", html) : ("text/plain; charset=utf-8", text)
    return HTTP1Answer(
      status: 200, headers: [("Content-Type", type), ("Vary", "Accept")], body: Array(text.utf8))
  }

  /// Whether a browser asks, which takes HTML.
  static func isForBrowser(_ head: HTTP1Request) -> Bool {
    head.headers.words(of: "accept").contains { $0.hasPrefix("text/html") }
  }

  private var title: String { "runner \(bundleVersion)" }

  private var places: [(path: String, what: String, isLink: Bool)] {
    let api = described.map { [($0, "the description of the API", true)] } ?? []
    return [("/functions/v1/NAME", "a function, by POST", false)] + api + [
      ("/_/health", "whether it runs", true), ("/_/ready", "whether it takes calls and events", true),
      ("/_/state", "what it is doing", true), ("/metrics", "figures for Prometheus", true),
    ]
  }

  private var text: String {
    let lines = places.map { place in
      "  \(place.path)\(String(repeating: " ", count: 20 - place.path.count))\(place.what)"
    }
    let names = functions.isEmpty ? [] : ["", "Functions:"] + functions.map { "  \($0)" }
    return ([title, "", "Paths:"] + lines + names + ["", "runner --help shows the commands.", ""])
      .joined(separator: "\n")
  }

  private var html: String {
    let rows = places.map { path, what, isLink in
      let shown = isLink ? "<a href=\"\(path)\"><code>\(path)</code></a>" : "<code>\(path)</code>"
      return "<tr><td>\(shown)<td>\(what)"
    }
    let names = functions.map { "<li><code>\($0.escapedForHTML)</code>" }
    let list = names.isEmpty ? "" : "<h2>Functions</h2>\n<ul>\n\(names.joined(separator: "\n"))\n</ul>\n"
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>body{font:16px/1.5 system-ui,sans-serif;max-width:42em;margin:2em auto}td{padding-right:2em}</style>
      <h1>\(title)</h1>
      <table>
      \(rows.joined(separator: "\n"))
      </table>
      \(list)<p><code>runner --help</code> shows the commands.
      </html>

      """
  }
}
