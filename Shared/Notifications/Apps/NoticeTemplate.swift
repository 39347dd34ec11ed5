/// The words of a kind, with names of facts in braces.
struct NoticeTemplate: Sendable {
  let title: String
  let body: String
  /// How the row's `status` must begin where it has one.
  let status: String?

  init(_ title: String, _ body: String, status: String? = nil) {
    (self.title, self.body, self.status) = (title, body, status)
  }

  /// The template for a row; `nil` where its kind has no words for it.
  static func forKind(_ kind: Kind, of entry: AppEntry) -> NoticeTemplate? {
    guard kind.app == .repairMinder, let template = repairMinder[kind.name] else { return nil }
    if let needed = template.status, let status = entry["status"], !status.lowercased().hasPrefix(needed) { return nil }
    return template
  }

  /// A text with the facts of a row put in.
  func text(_ part: KeyPath<NoticeTemplate, String>, _ entry: AppEntry) throws(UnusableEntry) -> String {
    var filled = ""
    var rest = self[keyPath: part][...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      filled += rest[..<open]
      filled += try entry.require(String(rest[rest.index(after: open)..<close]), in: "record.data.")
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }
}
