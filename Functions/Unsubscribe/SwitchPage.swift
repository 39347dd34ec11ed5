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
  let mutes: [LastingMute]
  /// The person's; UTC while nothing is muted.
  let zone: TimeZoneRules
  let hasTurned: Bool
  let words: Words

  /// A mute that has not ended.
  struct LastingMute {
    let scope: MuteScope
    let end: Date
  }

  private enum State: String {
    case on, again, done, off, muted
  }

  private var shown: State {
    switch (state.isOn, hasTurned) {
    case (true, _) where !mutes.isEmpty: .muted
    case (true, false): .on
    case (true, true): .again
    case (false, true): .done
    case (false, false): .off
    }
  }

  var page: Page {
    Page(in: words, title: shown.rawValue, paragraphs: sentences, forms: forms)
  }

  private var forms: [Page.Form] {
    let (off, on) = (
      Page.Form(buttons: [Page.Choice(value: "off", text: words("page.turn_off").text)]),
      Page.Form(buttons: [Page.Choice(value: Page.on, text: words("page.turn_on").text)])
    )
    switch shown {
    case .muted: return [unmuting, off]
    case .done, .off: return [on]
    case .on, .again: return [off, muting]
    }
  }

  /// Mutes one of what can be muted.
  private var muting: Page.Form {
    let facts: [String: Words.Fact] = ["app": .value(unsubscription.app.profile.title)]
    let choices = state.mutes.map { mute in
      Page.Choice(value: mute.scope.name, text: words("page.mute.\(mute.scope.name)", facts).text)
    }
    return Page.Form(legend: words("page.mute.what").text, choices: choices, buttons: Page.Pause.allCases.map(button))
  }

  /// Ends the mutes that the page names.
  private var unmuting: Page.Form {
    Page.Form(
      choices: [Page.Choice(value: mutes.map(\.scope.name).joined(separator: "."), text: "")],
      buttons: [Page.Choice(value: Page.unmute, text: words("page.unmute").text)])
  }

  /// A Monday morning, which ends the longer mutes.
  private static let morning = LocalTime(Date(timeIntervalSince1970: 4 * 86_400 + 8 * 3_600), in: nil)

  private func button(_ pause: Page.Pause) -> Page.Choice {
    let facts: [String: Words.Fact] = [
      "time": .words(words.time(Self.morning)), "weekday": .words(words.weekday(Self.morning)),
    ]
    return Page.Choice(value: pause.rawValue, text: words("page.mute.\(pause.rawValue)", facts).text)
  }

  private var sentences: [String] {
    let scope = unsubscription.scope.name
    return switch shown {
    case .muted:
      mutes.map { sentence("muted.\($0.scope.name)", until: $0.end) }
        + (namesWhatIsTurnedOff ? [] : [sentence("on.\(scope)")])
    case .on, .again: [sentence("\(shown.rawValue).\(scope)")] + remark + [sentence("muting")]
    case .done, .off: [sentence("off.\(scope)")] + remark
    }
  }

  /// Whether a mute is of all that the button turns off: of the link's project or group.
  private var namesWhatIsTurnedOff: Bool {
    guard case .part = unsubscription.scope else { return false }
    return mutes.contains { $0.scope == unsubscription.muteScope }
  }

  private func sentence(_ text: String, until end: Date? = nil) -> String {
    var facts = ["app": app, "name": name]
    if let end {
      let time = words.moment(LocalTime(end, in: zone.identifier))
      facts["time"] = "<bdi>\("\(time) (\(zone.identifier))".escapedForHTML)</bdi>"
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
