import Formats
import Notifications
import PersonLive

extension Page {
  /// The object of a link, the state of its switch, and the button to turn it.
  init(_ unsubscription: Unsubscription, _ state: SubscriptionState, hasTurned: Bool) {
    let subject = unsubscription.subject(named: state.name)
    let sentence =
      switch (state.isOn, hasTurned) {
      case (true, false):
        "Push notifications \(subject) are on. If you turn them off, you can still read them in the app."
      case (true, true): "You get push notifications \(subject) again."
      case (false, _): "You get no more push notifications \(subject). You can still read them in the app."
      }
    let title =
      switch (state.isOn, hasTurned) {
      case (true, false): "Turn these notifications off?"
      case (true, true): "Turned on again"
      case (false, true): "Turned off"
      case (false, false): "These notifications are off"
      }
    self.init(
      title: title, paragraphs: [sentence] + unsubscription.remark, button: state.isOn ? .turnOff : .turnOn)
  }
}

extension Unsubscription {
  /// The end of the sentence “push notifications …”, as HTML.
  fileprivate func subject(named name: String?) -> String {
    let name = "<strong><bdi>\((name ?? "").escapedForHTML)</bdi></strong>"
    return switch scope {
    case .part: "of the \(scope.name) \(name)"
    case .kind(let kind): "of the kind <strong>\(kind.title)</strong> of \(app.profile.title)"
    }
  }

  /// Further facts.
  fileprivate var remark: [String] {
    switch scope {
    case .part(_, let app):
      app.profile.kinds.contains { !$0.canBeSilenced }
        ? ["You still get alerts about conflicts in your calendar."] : []
    case .kind(let kind): kind.remark
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
