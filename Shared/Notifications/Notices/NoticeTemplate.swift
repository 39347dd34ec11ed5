import PushPayload

/// The words of a kind, with the names of facts in braces.
struct NoticeTemplate: Sendable, Equatable {
  let title: String
  let body: String
  /// The required prefix of the row's `status`; a row without a status fits too.
  let status: String?

  init(_ title: String, _ body: String, status: String? = nil) {
    (self.title, self.body, self.status) = (title, body, status)
  }

  /// Whether it fits a row's status.
  func fits(_ entry: AppEntry) -> Bool {
    guard let status, let said = entry["status"] else { return true }
    return said.lowercased().hasPrefix(status)
  }

  /// A text filled with the facts of a row.
  func text(_ part: KeyPath<NoticeTemplate, String>, _ entry: AppEntry) throws(UnusableEntry) -> String {
    var filled = ""
    var rest = self[keyPath: part][...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      filled += rest[..<open]
      filled += try entry.require(String(rest[rest.index(after: open)..<close])).isolated
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }
}
