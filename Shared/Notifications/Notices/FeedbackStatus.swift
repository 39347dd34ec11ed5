/// A feedback's status as FeedbackKit stores it.
package struct FeedbackStatus: RawRepresentable, Sendable, Hashable, Codable {
  /// `pending`, `in_progress` and so on; apps may have their own.
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// The status in words: `In Progress` for `in_progress`.
  package var displayName: String {
    if rawValue.lowercased() == "testflight" { return "TestFlight" }
    let words = rawValue.split { $0 == "_" || $0 == "-" || $0.isWhitespace }
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: " ")
  }
}
