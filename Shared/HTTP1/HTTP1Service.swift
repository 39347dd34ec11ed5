/// What a server serves.
///
/// Its members are called on the server's thread, which must not wait.
package protocol HTTP1Service: Sendable {
  /// The answer that the head of a request decides alone; `nil` if the whole request is wanted.
  func answer(toHead head: HTTP1Request) -> HTTP1Answer?
  /// Takes a whole request, and answers it now or later.
  ///
  /// - Returns: what makes the answer if ``HTTP1Limits/work`` is over first; `nil` if the client may wait without end.
  func take(_ request: HTTP1Request, _ reply: HTTP1Reply) -> HTTP1LateAnswer?
  /// The answer to a request that cannot be read.
  func refusal(of malformed: MalformedRequest) -> HTTP1Answer
  /// The answer to a body of more bytes than the limit.
  func refusal(ofBodyOver limit: Int) -> HTTP1Answer
  /// The answer to a body for which there is no memory now.
  var refusalForMemory: HTTP1Answer { get }
}

/// Makes the answer to a request that the service did not answer in time, on the server's thread.
package typealias HTTP1LateAnswer = () -> HTTP1Answer

/// The limits of a server.
package struct HTTP1Limits: Sendable {
  /// A client's time for each thing that it must do: to begin a request, to send it, to read the answer.
  package var client = Duration.seconds(30)
  /// The service's time for an answer, where there is an answer that says that it is over.
  package var work: Duration?
  /// The bytes of a body.
  package var body = 1 << 20
  /// The bytes of all bodies together, and of all answers together that clients have not read yet.
  package var bodies = 64 << 20
  /// One more connection ends the one that has waited longest for its client.
  package var connections = 256

  package init() {}
}
