/// The executable of a function: its input, its output, what it needs, and what it does.
///
/// A conforming type marked `@main` is a whole program: it reads an event on stdin and writes the result on stdout.
/// See ``Harness`` for the ways it can be called.
package protocol Function: Sendable {
  /// The event's `data`.
  associatedtype Payload: Sendable
  /// The result.
  associatedtype Output: Sendable

  /// The name in `functions.json` and of the executable; the type's name in kebab-case unless given.
  static var name: String { get }
  /// One sentence for `--help`.
  static var summary: String { get }

  /// Whether SIGTERM cancels the task of the present event; `false` unless given.
  ///
  /// A cancelled task ends soon with a result. Otherwise a warm process finishes the event, and a process for one event
  /// ends at once.
  static var endsEarly: Bool { get }

  /// Makes the function from its environment; called once in a process, before the first event.
  static func live(_ environment: Environment) async throws -> Self
  /// Reads the payload. Given for decodable payloads and for ``RawJSON``.
  static func payload(_ data: RawJSON) throws(FunctionError) -> Payload
  /// Writes the result. Given for encodable results and for ``RawJSON``.
  static func result(_ output: Output) throws -> RawJSON
  /// The result in lines for a person at a terminal; the document over several lines unless given.
  static func text(of result: RawJSON) -> String

  /// Does the work. Throw a ``FunctionError`` to say more than "failed".
  func handle(_ event: Event<Payload>, _ context: Context) async throws -> Output
  /// The thread that most of the work waits for, such as that of a connection to the database; `nil` unless given.
  ///
  /// A warm process handles events there while they follow one another, so that no event has to wake another thread.
  /// Meanwhile nothing but the events may need that thread.
  var thread: (any TaskExecutor)? { get }
  /// Called once after the last event, before the process ends; it has two seconds if the runner ends the process.
  func end() async
}

extension Function {
  /// The type's name in kebab-case.
  package static var name: String {
    "\(Self.self)".reduce(into: "") { name, character in
      if character.isUppercase, !name.isEmpty { name += "-" }
      name += character.lowercased()
    }
  }

  /// The document over several lines.
  package static func text(of result: RawJSON) -> String { result.pretty + "\n" }

  /// Does nothing.
  package func end() async {}

  /// None.
  package var thread: (any TaskExecutor)? { nil }

  /// SIGTERM does not cancel the present event.
  package static var endsEarly: Bool { false }
}

extension Function where Payload: Decodable {
  /// Decodes the payload; an error names the wrong field.
  package static func payload(_ data: RawJSON) throws(FunctionError) -> Payload {
    try JSONCoding.decode(Payload.self, from: data)
  }
}

extension Function where Payload == RawJSON {
  /// The payload as it came.
  package static func payload(_ data: RawJSON) -> RawJSON { data }
}

extension Function where Output: Encodable {
  /// Encodes the result.
  package static func result(_ output: Output) throws -> RawJSON { try JSONCoding.encode(output) }
}

extension Function where Output == RawJSON {
  /// The result as it is.
  package static func result(_ output: RawJSON) -> RawJSON { output }
}
