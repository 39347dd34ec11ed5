/// The statements that a session has prepared, by their text and parameter types.
struct StatementCache {
  struct Key: Hashable {
    let text: String
    let types: [UInt32]
  }

  /// How many statements a session keeps before it forgets them all; the server holds some kilobytes for each.
  static let capacity = 256

  private var names: [Key: String] = [:]
  private var nextNumber = 0

  var isFull: Bool { names.count >= Self.capacity }

  func name(of key: Key) -> String? { names[key] }

  /// A name that this session has not used before.
  mutating func newName() -> String {
    nextNumber += 1
    return "s\(nextNumber)"
  }

  mutating func insert(_ key: Key, name: String) {
    names[key] = name
  }

  mutating func removeAll() {
    names.removeAll()
  }
}
