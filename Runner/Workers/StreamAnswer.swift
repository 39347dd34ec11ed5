import FunctionKit

/// One line of a `--stream` function's answers.
struct StreamAnswer {
  let id: String?
  let exit: Int32
  let output: RawJSON?

  /// `nil` where the line is not one.
  init?(_ line: ArraySlice<UInt8>) {
    guard let members = try? RawJSON.members(validating: line) else { return nil }
    var (id, exit, output): (String?, Int32?, RawJSON?)
    for member in members {
      switch member.name {
      case "id": id = member.value.stringValue
      case "exit": exit = member.value.intValue.flatMap(Int32.init(exactly:))
      case "result", "error": output = member.value
      default: break
      }
    }
    guard let exit else { return nil }
    (self.id, self.exit, self.output) = (id, exit, output)
  }

  /// Whether it is the answer to the event that is first in the queue.
  ///
  /// A function that cannot make sense of an event cannot name it either; one that has handled it must.
  func isMeant(for first: String) -> Bool {
    id.map { $0 == first } ?? (exit != 0)
  }
}
