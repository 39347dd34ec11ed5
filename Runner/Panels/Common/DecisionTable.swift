import CLI
import Console
import Documents

extension CSV {
  /// Decisions about people, a row each.
  static func decisions(_ decisions: [DecisionReport]) -> CSV {
    CSV(
      decisions,
      [
        ("at", { TimeText.exact($0.at) }), ("person", { title(of: $0.person) }),
        ("person's id", { $0.person.id.description }), ("app", { $0.app }), ("kind", { $0.kind }),
        ("about", { $0.subjectName ?? $0.subject }), ("outcome", { $0.outcome.rawValue }),
        ("reason", { $0.verdict.reason }), ("gate", { $0.gates.first { $0.verdict == .stopped }?.gate }),
        ("in words", { $0.words }), ("function", { $0.function }), ("event", { $0.event }),
      ])
  }
}
