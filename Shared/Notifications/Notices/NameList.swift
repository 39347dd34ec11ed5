import PushPayload

/// Some people by name: "Mike", "Mike and Anna", "Mike, Anna and 3 others".
package struct NameList: Sendable, Equatable {
  /// The names to show: the first two.
  private let named: [String]
  /// How many more there are.
  private let others: Int

  /// A list of people.
  /// - Parameters:
  ///   - names: the known names, the first to show first; those that show nothing are left out.
  ///   - count: how many people there are, the nameless included.
  package init(_ names: [String], of count: Int) {
    named = Array(names.filter { !$0.isBlank }.prefix(2).map(\.isolated))
    others = max(count, names.count) - named.count
  }

  /// The list in words; `nil` if no name is known.
  package var text: String? {
    guard !named.isEmpty else { return nil }
    if others == 0 { return named.joined(separator: " and ") }
    return "\(named.joined(separator: ", ")) and \(others) other\(others == 1 ? "" : "s")"
  }
}
