public import FoundationEssentials
public import PushPayload

/// A row that an app has inserted into `notifications` by itself.
public struct AppEntry: Sendable {
  /// The row's id.
  public let id: UUID
  /// All its columns that are texts or numbers.
  public let columns: [String: PushPayload.Value]
  /// The members of its column `data` that are texts or numbers.
  public let data: [String: PushPayload.Value]

  /// A row from its parts.
  public init(id: UUID, columns: [String: PushPayload.Value], data: [String: PushPayload.Value]) {
    (self.id, self.columns, self.data) = (id, columns, data)
  }

  /// What the row says under a name, in a column or else in `data`; `nil` where it says nothing.
  public subscript(name: String) -> String? {
    [columns[name], data[name]].compactMap { $0?.text }.first { !$0.isEmpty }
  }

  func require(_ name: String, in place: String = "record.") throws(UnusableEntry) -> String {
    guard let fact = self[name] else { throw UnusableEntry("\(place)\(name) is missing.") }
    return fact
  }
}

/// Why a row cannot be told.
public struct UnusableEntry: Error, Equatable {
  /// One sentence that names the field.
  public let sentence: String

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
