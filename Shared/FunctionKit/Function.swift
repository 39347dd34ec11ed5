package import FoundationEssentials
package import Tracing

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

/// A function that can handle several events together, such as in one transaction.
///
/// A batch is the lines that are there when the process is free, as many as the runner allows; it waits for none. An
/// event that is there alone goes to ``Function/handle(_:_:)``, and so does every event without a runner.
package protocol BatchFunction: Function {
  /// Handles two or more events in their order, and returns the result of each in the same order.
  ///
  /// - Throws: if it handled none of them; then each is handled alone, so that one bad event harms no other. If the
  ///   database is away (``FunctionError/Code/databaseAway``), all of them fail.
  func handle(_ batch: [(event: Event<Payload>, context: Context)]) async throws -> [Result<Output, any Error>]
}

extension Array {
  /// Handles the events of a batch that could be read, and puts each answer in its event's place.
  ///
  /// - Parameter handle: returns an answer for each event; none if it handled none of them.
  /// - Returns: no results if there are no answers.
  package func handledTogether<Request, Answer>(
    by handle: ([Request]) async throws -> [Answer]
  ) async throws -> [Result<Answer, any Error>] where Element == Result<Request, any Error> {
    var answers = try await handle(compactMap { try? $0.get() })[...]
    guard !answers.isEmpty else { return [] }
    return map { request in request.map { _ in answers.removeFirst() } }
  }
}

/// The surroundings of one invocation.
package struct Context: Sendable {
  /// The function's name in `functions.json`.
  package let function: String
  /// Whether to decide everything and do nothing.
  package let dryRun: Bool
  /// The time for decisions: the event's virtual `now` if a runner has set it or in a dry run, else the clock's time.
  package let now: Date
  /// The log of this invocation.
  package let log: Log
  /// The trace of this invocation; `nil` unless traces are wanted.
  package let trace: InvocationTrace?

  /// Reports how much of a long work is finished, by a count that grows.
  ///
  /// The count goes on where an earlier attempt has stopped. An attempt that gets further than those before it uses up
  /// no attempt of the event, and does not count as a crash.
  package func progress(_ count: Int) { log.progress(count) }

  /// The surroundings of one invocation.
  package init(
    function: String, dryRun: Bool = false, now: Date = .now, log: Log, trace: InvocationTrace? = nil
  ) {
    (self.function, self.dryRun, self.now, self.log, self.trace) = (function, dryRun, now, log, trace)
  }
}
