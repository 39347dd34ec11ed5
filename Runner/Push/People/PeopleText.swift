import Documents
import Terminal

extension PeopleDocument {
  /// The only one whom the search finds, or the one who has just this id or address.
  func only(for search: String) -> PersonSummary? {
    let search = search.lowercased()
    return found.count == 1 && !hasMore
      ? found[0] : found.first { $0.id.description == search || $0.email?.lowercased() == search }
  }

  var text: String {
    if let waiting {
      let lines = waiting.map(\.line) + (hasMore ? ["and more; --count shows more of them."] : [])
      return lines.isEmpty ? "Nothing waits." : lines.joined(separator: "\n")
    }
    guard !found.isEmpty else { return "Nobody is found." }
    let lines = found.map { "\($0.title)  \($0.id)".onOneCleanLine }
    return (lines + (hasMore ? ["and others; a longer search finds fewer."] : [])).joined(separator: "\n")
  }
}

extension PeopleDocument.Waiting {
  fileprivate var line: String {
    "\(person.title): \(sentence) \(LocalClock(zone: nil).full(until))  \(app)  \(reason)".onOneCleanLine
  }
}
