/// The memory that the bodies of several answers may have together while they come.
final class AnswerMemory {
  /// In bytes.
  private let limit: Int
  private(set) var used = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes that many bytes; `false` if they are not free.
  func take(_ count: Int) -> Bool {
    guard count <= limit - used else { return false }
    used += count
    return true
  }

  func give(_ count: Int) { used -= count }
}
