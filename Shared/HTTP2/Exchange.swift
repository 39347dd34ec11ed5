import EventLoop

/// A request and the caller that waits for its response.
final class Exchange {
  typealias Outcome = Result<HTTP2Response, StreamFailure>

  let request: HTTP2Request
  var timer: TimerID?
  var streamID: Int32?
  private var completion: ((Outcome) -> Void)?

  init(_ request: HTTP2Request, completion: @escaping (Outcome) -> Void) {
    self.request = request
    self.completion = completion
  }

  var isDone: Bool { completion == nil }

  /// Gives the caller the outcome; only the first one counts.
  func finish(_ outcome: Outcome, on loop: EventLoop) {
    timer.take().map(loop.cancel)
    completion.take()?(outcome)
  }
}
