import Formats
import FoundationEssentials
import FunctionKit
import Notifications

/// A page without external parts: no script, no image.
struct Page {
  /// The form's field with the new state of the switch; a missing one means off.
  static let field = "turn"
  static let on = "on"
  static let unmute = "unmute"

  var status = 200
  let language: Language
  let title: String
  /// HTML.
  let paragraphs: [String]
  var buttons: [Button] = []

  /// A button, with the field's value and its text.
  struct Button {
    let value: String
    let text: String
  }

  /// A mute that a button sets; the raw value is the field's.
  enum Pause: String, CaseIterable {
    case hour, tomorrow, monday

    var end: MuteEnd {
      switch self {
      case .hour: .minutes(60)
      case .tomorrow: .tomorrow
      case .monday: .next(.monday)
      }
    }
  }

  /// The link was not made here, or its object is gone.
  static func unknown(in words: Words) -> Page { Page("unknown", status: 404, words) }

  /// No secret is set, so links cannot be checked.
  static func closed(in words: Words) -> Page { Page("closed", status: 503, words) }

  private init(_ name: String, status: Int, _ words: Words) {
    (self.status, language) = (status, words.language)
    title = words("page.\(name).title").text
    paragraphs = [words("page.\(name).body").text.escapedForHTML]
  }

  init(in words: Words, title: String, paragraphs: [String], buttons: [Button]) {
    (language, self.title) = (words.language, words("page.\(title).title").text)
    (self.paragraphs, self.buttons) = (paragraphs, buttons)
  }

  var response: HTTPResponse {
    HTTPResponse(statusCode: status, headers: Self.headers, body: html)
  }

  // This site needs the referrer: without it, a browser sends the form with `Origin: null`.
  private static let headers = [
    "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "X-Robots-Tag": "noindex, nofollow",
    "Content-Security-Policy":
      "default-src 'none'; style-src 'sha256-\(Data(SHA256.digest(Array(style.utf8))).base64EncodedString())'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ]

  private var html: String {
    """
    <!DOCTYPE html>
    <html lang="\(language.tag)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title.escapedForHTML)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <h1>\(title.escapedForHTML)</h1>
    \(paragraphs.map { "<p>\($0)</p>" }.joined(separator: "\n"))
    \(form)</main>
    </body>
    </html>

    """
  }

  private var form: String {
    guard !buttons.isEmpty else { return "" }
    let lines = buttons.map { button in
      "<button name=\"\(Self.field)\" value=\"\(button.value)\">\(button.text.escapedForHTML)</button>"
    }
    return """
      <form method="post">
      \(lines.joined(separator: "\n"))
      </form>

      """
  }

  private static let style = """

    :root { color-scheme: light dark; --ink: #1c1c1e; --paper: #f2f2f7; --card: #fff; --tint: #0062cc; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #f2f2f7; --paper: #000; --card: #1c1c1e; --tint: #0a6fe0; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; color: var(--ink);
      background: var(--paper); font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    main { width: 100%; max-width: 28rem; padding: 1.5rem; border-radius: 1rem; background: var(--card);
      overflow-wrap: anywhere; }
    h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; }
    p { margin: 0 0 .75rem; }
    button { width: 100%; min-height: 3rem; margin-top: .5rem; border: 0; border-radius: .75rem; font: inherit;
      font-weight: 600; color: #fff; background: var(--tint); cursor: pointer; }
    button:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }

    """
}
