/// A line of a migration.
///
/// It is taken apart by its bytes: to look at the characters of all migrations takes every start some 60 ms.
extension Substring {
  /// The words between spaces.
  var words: [String] { utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } }

  /// The parts before and after the first place of a text; `nil` where it does not occur.
  func parts(at text: String) -> (before: Substring, after: Substring)? {
    guard let first = text.utf8.first else { return nil }
    var rest = utf8
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: text.utf8) { return (self[..<place], Substring(rest.dropFirst(text.utf8.count))) }
      rest = rest.dropFirst()
    }
    return nil
  }

  func holds(_ text: String) -> Bool { parts(at: text) != nil }
}
