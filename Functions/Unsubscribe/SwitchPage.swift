import Formats
import FoundationEssentials
import Locales
import Notifications
import PersonLive
import TimeZones

/// The page of a link: its object, the state of its switch, and the buttons to turn it or to mute it for a while.
struct SwitchPage {
  let unsubscription: Unsubscription
  let state: SubscriptionState
  /// When a mute ends that lasts, by the person's clock.
  let muteEnd: MuteEndTime?
  let hasTurned: Bool
  let words: Words

  /// An instant by a person's clock.
  struct MuteEndTime {
    let date: Date
    let zone: TimeZoneRules
  }

  private enum State: String {
    case on, again, done, off, muted
  }

  private var shown: State {
    switch (state.isOn, hasTurned) {
    case (true, _) where muteEnd != nil: .muted
    case (true, false): .on
    case (true, true): .again
    case (false, true): .done
    case (false, false): .off
    }
  }

  var page: Page {
    Page(in: words, title: shown.rawValue, paragraphs: sentences, buttons: buttons)
  }

  private var mutesApp: Bool { unsubscription.muteScope == .app(unsubscription.app) }

  private var buttons: [Page.Button] {
    let (off, on) = (
      Page.Button(value: "off", text: words("page.turn_off").text),
      Page.Button(value: Page.on, text: words("page.turn_on").text)
    )
    switch shown {
    case .muted: return [Page.Button(value: Page.unmute, text: words("page.unmute").text), off]
    case .done, .off: return [on]
    case .on, .again: return [off] + Page.Pause.allCases.map(button)
    }
  }

  /// A Monday morning, which ends the longer mutes.
  private static let morning = LocalTime(Date(timeIntervalSince1970: 4 * 86_400 + 8 * 3_600), in: nil)

  private func button(_ pause: Page.Pause) -> Page.Button {
    let name = "page.mute.\(mutesApp ? "app." : "")\(pause.rawValue)"
    let facts: [String: Words.Fact] = [
      "app": .value(unsubscription.app.profile.title),
      "time": .words(words.time(Self.morning)), "weekday": .words(words.weekday(Self.morning)),
    ]
    return Page.Button(value: pause.rawValue, text: words(name, facts).text)
  }

  private var sentences: [String] {
    let scope = unsubscription.scope.name
    return switch shown {
    // What the button turns off is less than what the mute holds.
    case .muted where mutesApp: [sentence("muted.app"), sentence("on.\(scope)")]
    case .muted: [sentence("muted.\(scope)")]
    case .on, .again: [sentence("\(shown.rawValue).\(scope)")] + remark + (mutesApp ? [sentence("muting")] : [])
    case .done, .off: [sentence("off.\(scope)")] + remark
    }
  }

  private func sentence(_ text: String) -> String {
    var facts = ["app": app, "name": name]
    if let muteEnd {
      let time = words.moment(LocalTime(muteEnd.date, in: muteEnd.zone.identifier))
      facts["time"] = "<bdi>\("\(time) (\(muteEnd.zone.identifier))".escapedForHTML)</bdi>"
    }
    return html("page.\(text)", facts)
  }

  private var app: String {
    let title = unsubscription.app.profile.title.escapedForHTML
    return if case .unread = unsubscription.scope { "<strong>\(title)</strong>" } else { title }
  }

  private var name: String {
    switch unsubscription.scope {
    case .unread: ""
    case .part: "<strong><bdi>\((state.name ?? "").escapedForHTML)</bdi></strong>"
    case .kind(let kind): "<strong>\(title(of: kind).escapedForHTML)</strong>"
    }
  }

  /// Further facts.
  private var remark: [String] {
    switch unsubscription.scope {
    case .part(_, let app):
      app.profile.kinds.contains { !$0.canBeSilenced } ? [html("page.conflicts")] : []
    case .kind(let kind): remark(on: kind)
    case .unread: [html("page.unread")]
    }
  }

  /// The other kinds that the switch affects.
  private func remark(on kind: Kind) -> [String] {
    guard let column = kind.preference.column else { return [] }
    let others = kind.app.profile.kinds.filter { $0.name != kind.name }
    let sentences = [
      ("page.shared", others.filter { $0.preference == kind.preference }),
      ("page.following", others.filter { $0.preference.shared == column }),
    ].compactMap { name, kinds in
      kinds.isEmpty ? nil : html(name, ["kinds": words.list(kinds.map(title)).escapedForHTML])
    }
    return sentences + (kind.app.profile.groups.map { [html("page.keeps.\($0.name)")] } ?? [])
  }

  /// `Vote count update`: the words of its name, which consists of letters and underscores, where no text calls it anything.
  private func title(of kind: Kind) -> String {
    if let text = words.known("\(kind.app.rawValue).\(kind.name).name")?.text { return text }
    let words = kind.name.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// A text of the catalogue as HTML.
  /// - Parameter facts: HTML.
  private func html(_ name: String, _ facts: [String: String] = [:]) -> String {
    words.parts(of: name).reduce(into: "") { html, piece in
      switch piece {
      case .words(let words): html += words.escapedForHTML
      case .fact(let name): html += facts[name] ?? ""
      }
    }
  }
}
