package import FoundationEssentials
package import PushPayload

/// A row that an app itself has inserted into `notifications`.
package struct AppEntry: Sendable {
  /// The row's id.
  package let id: UUID
  /// All its columns that are texts or numbers.
  package let columns: [String: PushPayload.Value]
  /// The members of its column `data` that are texts or numbers.
  package let data: [String: PushPayload.Value]

  package init(id: UUID, columns: [String: PushPayload.Value], data: [String: PushPayload.Value]) {
    (self.id, self.columns, self.data) = (id, columns, data)
  }

  /// The value of a column, or else of a member of `data`; `nil` without one that shows anything.
  package subscript(name: String) -> String? {
    [columns[name], data[name]].compactMap { $0?.text }.first { !$0.isBlank }
  }

  /// The members of `data` that do not describe the entry itself.
  static func data(of kind: Kind, _ entry: AppEntry) -> [String: PushPayload.Value] {
    entry.data.filter { !ownNames.contains($0.key) }
  }

  private static let ownNames: Set = ["aps", "title", "body", "message"]

  /// A fact that the words of its kind need.
  func require(_ name: String) throws(UnusableEntry) -> String {
    guard let fact = self[name] else { throw UnusableEntry("record.data.\(name) is missing.") }
    return fact
  }
}

/// Why a row cannot become a notification.
package struct UnusableEntry: Error, Equatable {
  /// One sentence that names the field.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

extension PushPayload.Value {
  /// The value as text.
  var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    }
  }
}
