import CLI
import Console
import Documents

extension CSV {
  /// The notes that phones show, a row for each.
  static func notes(of phones: [Phone]) -> CSV {
    CSV(
      phones.flatMap { phone in phone.notes.map { (phone: phone, note: $0) } },
      [
        ("at", { TimeText.exact($0.note.at) }), ("person", { $0.phone.person.map { title(of: $0) } }),
        ("app", { $0.phone.app }), ("system", { $0.phone.platform }), ("provider", { $0.phone.provider.title }),
        ("badge", { $0.phone.badgeWords }), ("kind", { $0.note.kind }), ("title", { $0.note.title }),
        ("subtitle", { $0.note.subtitle }), ("body", { $0.note.body }), ("level", { $0.note.level.rawValue }),
        ("push", { "\($0.note.push)" }), ("done", { $0.note.done.joined(separator: ", ") }),
      ])
  }
}
