package import FunctionKit

/// How a command answers.
package struct Reply: Sendable {
  /// Whether a program reads the answer.
  package let json: Bool

  /// The option that asks for it.
  package static let option = Flag("--json", "one JSON document").common

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
    Console.say(json ? try document().printable : text())
  }
}
