import PushPayload

/// The words of a kind for rows without their own: texts of the catalogue, with facts of the row.
struct NoticeTemplate: Sendable, Equatable {
  /// The required prefix of the row's `status`; a row without a status fits too.
  let status: String?

  init(status: String? = nil) { self.status = status }

  /// Whether it fits a row's status.
  func fits(_ entry: AppEntry) -> Bool {
    guard let status, let said = entry["status"] else { return true }
    return said.lowercased().hasPrefix(status)
  }

  /// A text filled with the facts of a row.
  func text(
    _ part: String, of kind: Kind, _ entry: AppEntry, in words: Words
  ) throws(UnusableEntry) -> String {
    let name = "\(kind.app.rawValue).\(kind.name).\(part)"
    var facts: [String: Words.Fact] = [:]
    for fact in (words.facts(of: name) ?? []).sorted() { facts[fact] = .value(try entry.require(fact)) }
    return words(name, facts).text
  }
}
