import EventLoop
import FunctionKit
import Gateway
import HTTP1
import System

/// Tells open pages what has changed, as Server-Sent Events: kinds only, a page reads itself again.
///
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
@RunnerLoop
final class ChangeStreams {
  static let most = 16
  /// Changes are told together, no more often than this.
  private static let pause = Duration.milliseconds(100)
  private static let heartbeat = Duration.seconds(20)
  /// About this fraction (1/10) of the time at most goes into pages that read themselves again.
  private static let share = 10
  /// A change is told after this time at the latest.
  private static let longest = Duration.seconds(5)

  private var streams: [ObjectIdentifier: any AnswerStream] = [:]
  private var changed: Set<Page.Live> = []
  private var timer: TimerID?
  private var told = ContinuousClock.now
  /// The time since then that went into pages that read themselves again.
  private var spent = Duration.zero
  /// Called before changes are told.
  var onTell: @RunnerLoop () -> Void = {}
  private var isEnded = false

  var isEmpty: Bool { streams.isEmpty }
  var isFull: Bool { streams.count >= Self.most }

  /// The head of a stream; the refusal where there are too many.
  var head: HTTP1Answer {
    HTTP1Answer(
      status: 200,
      headers: [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")])
  }

  static let refusal = HTTP1Answer(
    status: 503, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Retry-After", "10")],
    body: Array("There are \(most) open pages that follow changes; this one does not.\n".utf8))

  func start() { beat() }

  func add(_ stream: any AnswerStream) {
    guard !isFull, !isEnded else { return stream.end() }
    let id = ObjectIdentifier(stream)
    streams[id] = stream
    stream.onEnd = { [self] in streams[id] = nil }
    stream.send(Array("retry: 1000\nevent: hello\ndata: {}\n\n".utf8))
  }

  /// Has the page read itself, which says why it is told nothing.
  func refuse(_ stream: any AnswerStream) {
    stream.send(Array("retry: 10000\nevent: hello\ndata: {}\n\n".utf8))
    stream.end()
  }

  func tell(_ kinds: Set<Page.Live>) {
    guard !streams.isEmpty else { return }
    changed.formUnion(kinds)
    guard timer == nil else { return }
    timer = RunnerLoop.loop.schedule(after: max(.zero, next - .now)) { [self] in
      timer = nil
      if .now < next { return tell([]) }
      (told, spent) = (.now, .zero)
      onTell()
      let kinds = RawJSON(array: changed.map(\.rawValue).sorted().map { RawJSON($0) })
      changed = []
      sendAll("event: change\ndata: \(RawJSON(object: [("kinds", kinds)]).text)\n\n")
    }
  }

  /// The time before which no change is told.
  var next: ContinuousClock.Instant { told + max(Self.pause, min(spent * Self.share, Self.longest)) }

  /// Takes note of the time in which a page was made again.
  func note(_ time: Duration) { spent += time }

  /// Ends every stream; a page comes back by itself.
  func end() {
    isEnded = true
    for stream in streams.values {
      stream.send(Array("retry: 1000\nevent: end\ndata: {}\n\n".utf8))
      stream.end()
    }
    streams = [:]
  }

  private func beat() {
    guard !isEnded else { return }
    RunnerLoop.loop.schedule(after: Self.heartbeat) { [self] in
      sendAll(":\n\n")
      beat()
    }
  }

  private func sendAll(_ text: String) {
    let bytes = Array(text.utf8)
    for stream in streams.values { stream.send(bytes) }
  }
}

extension RawJSON {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
