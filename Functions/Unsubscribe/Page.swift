import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive

/// A page without external parts: no script, no image.
struct Page {
  /// The form's field with the new state of the switch; a missing one means off.
  static let field = "turn"
  static let on = "on"

  var status = 200
  let title: String
  /// HTML.
  let paragraphs: [String]
  var buttons: [Button] = []

  /// A button, with the field's value and its text.
  struct Button {
    let value: String
    let text: String

    static let turnOff = Button(value: "off", text: "Turn off")
    static let turnOn = Button(value: Page.on, text: "Turn on again")
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

    fileprivate var button: Button {
      switch self {
      case .hour: Button(value: rawValue, text: "Mute for an hour")
      case .tomorrow: Button(value: rawValue, text: "Mute until tomorrow 8:00")
      case .monday: Button(value: rawValue, text: "Mute until Monday 8:00")
      }
    }
  }

  /// The link was not made here, or its object is gone.
  static let unknown = Page(
    status: 404, title: "This link does not work",
    paragraphs: ["Take the one from the latest mail, or change your notifications in the app."])

  /// No secret is set, so links cannot be checked.
  static let closed = Page(
    status: 503, title: "Please try again later", paragraphs: ["Links cannot be checked at the moment."])

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
    <html lang="en">
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
    let lines = buttons.map { "<button name=\"\(Self.field)\" value=\"\($0.value)\">\($0.text)</button>" }
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

extension Page {
  /// The object of a link, the state of its switch, and the buttons to turn it or to mute it for a while.
  /// - Parameter muteEnd: when a mute ends that lasts, in words.
  init(_ unsubscription: Unsubscription, _ state: SubscriptionState, mutedUntil muteEnd: String?, hasTurned: Bool) {
    let object = unsubscription.object(named: state.name)
    let start = object.prefix(1).uppercased() + object.dropFirst()
    if state.isOn, let muteEnd {
      self.init(
        title: "Muted for a while",
        paragraphs: [
          "\(start) wait until \(muteEnd.escapedForHTML). You can still read them in the app."
        ], buttons: [.turnOn, .turnOff])
      return
    }
    let pauses = unsubscription.muteScope == nil ? [] : Pause.allCases.map(\.button)
    let sentence =
      switch (state.isOn, hasTurned) {
      case (true, false):
        "\(start) are on. If you turn them off, you can still read them in the app."
      case (true, true): "You get \(object) again."
      case (false, _): "You get no more \(object). You can still read them in the app."
      }
    let title =
      switch (state.isOn, hasTurned) {
      case (true, false): "Turn these notifications off?"
      case (true, true): "Turned on again"
      case (false, true): "Turned off"
      case (false, false): "These notifications are off"
      }
    self.init(
      title: title, paragraphs: [sentence] + unsubscription.remark,
      buttons: state.isOn ? [.turnOff] + pauses : [.turnOn])
  }
}

extension Unsubscription {
  /// What the person gets, such as “push notifications of the project …”, as HTML.
  fileprivate func object(named name: String?) -> String {
    let name = "<strong><bdi>\((name ?? "").escapedForHTML)</bdi></strong>"
    return switch scope {
    case .part: "push notifications of the \(scope.name) \(name)"
    case .kind(let kind): "push notifications of the kind <strong>\(kind.title)</strong> of \(app.profile.title)"
    case .unread: "reminders of what you have not read in <strong>\(app.profile.title)</strong>"
    }
  }

  /// Further facts.
  fileprivate var remark: [String] {
    switch scope {
    case .part(_, let app):
      app.profile.kinds.contains { !$0.canBeSilenced }
        ? ["You still get alerts about conflicts in your calendar."] : []
    case .kind(let kind): kind.remark
    case .unread: ["Your push notifications stay as they are."]
    }
  }
}

extension Kind {
  /// `Vote count update`: names consist of letters and underscores.
  fileprivate var title: String {
    let words = name.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The other kinds that the switch affects.
  fileprivate var remark: [String] {
    guard let column = preference.column else { return [] }
    let others = app.profile.kinds.filter { $0.name != name }
    let sentences = [
      ("The same switch is for: ", others.filter { $0.preference == preference }),
      ("These follow it unless you have set them apart: ", others.filter { $0.preference.shared == column }),
    ].compactMap { sentence, kinds in kinds.isEmpty ? nil : "\(sentence)\(kinds.map(\.title).joined(separator: ", "))."
    }
    return sentences + ["A \(app.profile.groups?.name ?? "") where you chose otherwise keeps your choice."]
  }
}
