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
