/// The statements that a session has prepared, by their text and parameter types.
struct StatementCache {
  /// How many statements a session keeps before it forgets them all; the server holds some kilobytes for each.
  static let capacity = 256

  private var names: [SQL.Shape: String] = [:]
  private var nextNumber = 0

  var isFull: Bool { names.count >= Self.capacity }

  func name(of shape: SQL.Shape) -> String? { names[shape] }

  /// A name that this session has not used before.
  mutating func newName() -> String {
    nextNumber += 1
    return "s\(nextNumber)"
  }

  mutating func insert(_ shape: SQL.Shape, name: String) {
    names[shape] = name
  }

  mutating func removeAll() {
    names.removeAll()
  }
}
