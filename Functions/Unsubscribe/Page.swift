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
  /// The form's field with what is muted or no longer muted: names of scopes, with full stops between them.
  static let scope = "mute"

  var status = 200
  let language: Language
  let title: String
  /// HTML.
  let paragraphs: [String]
  var forms: [Form] = []

  /// Buttons, and what they are for.
  struct Form {
    /// The name of the choices together.
    var legend = ""
    /// The first is chosen unless the reader takes another; a single one is not shown.
    var choices: [Choice] = []
    let buttons: [Choice]
  }

  /// A value of a form's field, and the text of its button.
  struct Choice {
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

  init(in words: Words, title: String, paragraphs: [String], forms: [Form]) {
    (language, self.title) = (words.language, words("page.\(title).title").text)
    (self.paragraphs, self.forms) = (paragraphs, forms)
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
    \(forms.map(\.html).joined())</main>
    </body>
    </html>

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
    fieldset { margin: 1.25rem 0 0; padding: 0; border: 0; }
    legend { padding: 0; font-weight: 600; }
    label { display: flex; align-items: center; gap: .75rem; min-height: 2.75rem; cursor: pointer; }
    input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--tint); }
    button { width: 100%; min-height: 3rem; margin-top: .5rem; border: 0; border-radius: .75rem; font: inherit;
      font-weight: 600; color: #fff; background: var(--tint); cursor: pointer; }
    :focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }

    """
}

extension Page.Form {
  fileprivate var html: String {
    """
    <form method="post">
    \(fields)\(buttons.map { button in
      "<button name=\"\(Page.field)\" value=\"\(button.value)\">\(button.text.escapedForHTML)</button>\n"
    }.joined())</form>

    """
  }

  private var fields: String {
    guard choices.count > 1 else {
      return choices.map { "<input type=\"hidden\" name=\"\(Page.scope)\" value=\"\($0.value)\">\n" }.joined()
    }
    let labels = choices.enumerated().map { place, choice in
      """
      <label><input type="radio" name="\(Page.scope)" value="\(choice.value)"\(place == 0 ? " checked" : "")>\
      <span>\(choice.text.escapedForHTML)</span></label>

      """
    }
    return "<fieldset>\n<legend>\(legend.escapedForHTML)</legend>\n\(labels.joined())</fieldset>\n"
  }
}
