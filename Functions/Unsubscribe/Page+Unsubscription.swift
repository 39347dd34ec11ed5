import Notifications
import PersonLive

extension Page {
  /// What a link is about, how its switch stands, and the button that turns it.
  init(_ unsubscription: Unsubscription, _ state: SubscriptionState, hasTurned: Bool) {
    let subject = unsubscription.subject(named: state.name)
    let sentence =
      switch (state.isOn, hasTurned) {
      case (true, false): "Push notifications \(subject) are on. Turned off, they still stand in the app."
      case (true, true): "You get push notifications \(subject) again."
      case (false, _): "You get no more push notifications \(subject). They still stand in the app."
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
  /// As HTML, the end of “push notifications …”.
  fileprivate func subject(named name: String?) -> String {
    let name = "<strong><bdi>\((name ?? "").escaped)</bdi></strong>"
    return switch scope {
    case .project: "of the project \(name)"
    case .group: "of the group \(name)"
    case .kind(let kind): "of the kind <strong>\(kind.title)</strong> of \(app.title)"
    }
  }

  /// What else there is to know.
  fileprivate var remark: [String] {
    switch scope {
    case .project: return []
    case .group: return ["Alerts about conflicts in your calendar come all the same."]
    case .kind(let kind): return kind.remark
    }
  }
}

extension Kind {
  /// `Vote count update`; names consist of letters and underscores.
  fileprivate var title: String {
    let words = name.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// What the switch turns off, and what it does not.
  fileprivate var remark: [String] {
    guard preference != .own else { return [] }
    let others = Kind.catalogue.filter { $0.app == app && $0.name != name }
    let sentences = [
      ("The same switch is for: ", others.filter { $0.preference == preference }),
      ("These follow it unless you have set them apart: ", others.filter { $0.preference.shared == preference }),
    ].compactMap { sentence, kinds in kinds.isEmpty ? nil : "\(sentence)\(kinds.map(\.title).joined(separator: ", "))."
    }
    let part = app == .lockItIn ? "group" : "project"
    return sentences + ["A \(part) where you chose otherwise keeps your choice."]
  }
}

extension App {
  fileprivate var title: String {
    switch self {
    case .feedbackKit: "FeedbackKit"
    case .lockItIn: "LockItIn"
    case .repairMinder: "Repair Minder"
    case .mugshot: "Mugshot"
    case .messageAI: "MessageAI"
    }
  }
}
