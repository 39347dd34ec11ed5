package import HTTP1
package import System

/// Serves pages for people beside the functions.
///
/// It is asked only for requests that come neither for a foreign host name nor from another site.
@RunnerLoop
package protocol PageServer: AnyObject {
  /// The path that a browser is led to from `/`.
  var home: String { get }

  /// The route for which the head of a request asks; `nil` if its path is none of the pages'.
  func route(_ head: HTTP1Request, _ access: PageAccess) -> PageRoute?

  /// Answers a request with ``PageRoute/page``, now or later.
  func answer(
    _ request: HTTP1Request, _ access: PageAccess, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void)

  /// Takes a stream, which ``PageRoute/stream`` has asked for, until one of both ends it.
  func serve(_ stream: any AnswerStream, for head: HTTP1Request, _ access: PageAccess)

  /// Ends all streams, because the runner stops.
  func drain()
}

/// The thing for which the head of a request to a page asks.
package enum PageRoute {
  /// The head alone decides the answer.
  case answered(HTTP1Answer)
  /// The answer comes later.
  case page
  /// An answer without an end, whose head this is.
  case stream(HTTP1Answer)
}

/// An answer whose end is open.
@RunnerLoop
package protocol AnswerStream: AnyObject {
  /// Sends bytes; a client that does not read is left.
  func send(_ bytes: [UInt8])
  /// Ends the answer after what was sent.
  func end()
  /// Called once, when the client has gone or the stream has ended; `nil` from then on.
  var onEnd: (@RunnerLoop () -> Void)? { get set }
}

/// The check who may see pages.
@RunnerLoop
package struct PageAccess {
  let keys: KeyCheck

  /// Whether there is a key, which everybody has to show.
  package var needsKey: Bool { keys.key != nil }

  /// Checks the key in the head of a request, and counts a wrong one.
  package func check(_ head: HTTP1Request) throws(KeyRefusal) { try keys.check(head) }

  /// Checks a key that somebody has entered, and counts a wrong one.
  package func check(entered key: String, by head: HTTP1Request) throws(KeyRefusal) {
    guard needsKey else { return try check(head) }
    try keys.check([key], from: head.client)
  }

  /// A secret that only those have who have the key, for one purpose; `nil` if there is no key.
  package func secret(for purpose: String) -> [UInt8]? { keys.key?.derived(for: purpose) }
}
