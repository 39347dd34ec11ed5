package import FunctionKit
import Synchronization

/// How a command answers.
package struct Reply: Sendable {
  /// Whether a program reads the answer.
  package let json: Bool

  /// The option that asks for it.
  package static let option = Flag("--json", "one JSON document").common

  @TaskLocal private static var taken: Taken?

  /// A place for a document that is not printed.
  private final class Taken: Sendable {
    let document = Mutex<RawJSON?>(nil)
  }

  /// Does something whose answer is taken as a document instead of being printed.
  static func taking(_ body: () async throws -> Int32) async rethrows -> (document: RawJSON?, status: Int32) {
    let taken = Taken()
    let status = try await $taken.withValue(taken, operation: body)
    return (taken.document.withLock { $0 }, status)
  }

  package init(_ arguments: CommandArguments) {
    json = arguments[Self.option]
  }

  /// Answers a person with text, and a program with JSON.
  @discardableResult
  package func callAsFunction(_ value: some Encodable, text: @autoclosure () -> String) throws -> Int32 {
    try self(json: JSONCoding.encode(value), text: text())
  }

  /// Answers a person with text, and a program with a document.
  @discardableResult
  package func callAsFunction(
    json document: @autoclosure () throws -> RawJSON, text: @autoclosure () -> String
  ) rethrows -> Int32 {
    if let taken = Self.taken {
      let answer = try document()
      taken.document.withLock { $0 = answer }
      return 0
    }
    return TerminalWriter.say(json ? try document().printable : text())
  }
}
